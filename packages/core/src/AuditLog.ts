/**
 * The log for a program that embeds it: plain promises over the services of this package.
 *
 * A storage opens it (`openAuditLog` of `@cairn/storage-sqlite` or `@cairn/storage-postgres`); this is what
 * both have in common.
 */
import { Cause, Context, Effect, Exit, Layer, Logger, ManagedRuntime, References, Result } from "effect"
import { AuditLogCalls } from "./AuditLogCalls.ts"
import { AuditLogClosed, auditLogError } from "./AuditLogErrors.ts"
import type { EvidenceMachine, EvidencePorts, WrittenEvidence } from "./AuditLogEvidence.ts"
import { type AuditEvent, type AuditEventFilter, readAuditFilter, readLogName } from "./AuditLogInput.ts"
import type { Event } from "./event/Event.ts"
import { GeoIp } from "./event/GeoIp.ts"
import { Randomness } from "./hashing/Randomness.ts"
import { Sha256 } from "./hashing/Sha256.ts"
import { Acceptance } from "./log/Acceptance.ts"
import type { ClockGuard } from "./log/ClockGuard.ts"
import { EventCounts } from "./log/EventCounts.ts"
import { EventReader } from "./log/EventReader.ts"
import type { Inbox } from "./log/Inbox.ts"
import type { SearchIndexer } from "./log/SearchIndexer.ts"
import { SeenEnds } from "./log/SeenEnds.ts"
import { Sequencer } from "./log/Sequencer.ts"
import type { Workspaces } from "./log/Workspace.ts"
import { ChainVerifier } from "./verification/ChainVerifier.ts"
import type { ChainBreak } from "./verification/Verification.ts"

export {
  AuditLogClosed,
  AuditLogError,
  type AuditLogErrorCode,
  AuditLogUnavailable,
  InvalidArgument
} from "./AuditLogErrors.ts"
export type { EvidenceMachine, WrittenEvidence } from "./AuditLogEvidence.ts"
export {
  type AuditEvent,
  type AuditEventFilter,
  type AuditEventTarget,
  type AuditMetadata,
  refuseUnknown
} from "./AuditLogInput.ts"
export type { ChainBreak, Event }

/** The result of recording an event. */
export interface RecordedEvent {
  /** The event's id; for a duplicate, the id of the first event with its key. */
  readonly id: string
  /** Whether there was already an event with the same `idempotency_key`: then nothing was recorded. */
  readonly duplicate: boolean
}

/** The result of verifying a whole log. */
export interface AuditLogVerification {
  /** Whether the chain holds: no event was changed, removed or inserted. */
  readonly valid: boolean
  readonly events_checked: number
  /** Every place where the chain does not hold. */
  readonly breaks: ReadonlyArray<ChainBreak>
}

/**
 * One log, with its own chain of events. Every call rejects with an `AuditLogError`, and with
 * `AuditLogClosed` once the log is closed.
 */
export interface Log {
  /**
   * Records one event. When it returns, the event is on disk and survives `kill -9` and power loss; it is
   * added to the chain shortly afterwards. Rejects with `InvalidArgument` if a field is wrong.
   */
  readonly record: (event: AuditEvent) => Promise<RecordedEvent>
  /** Records 1 to 100 events in order: all of them or, if one is wrong, none. */
  readonly recordAll: (events: ReadonlyArray<AuditEvent>) => Promise<ReadonlyArray<RecordedEvent>>
  /** One event by its id; `undefined` if there is none. */
  readonly get: (id: string) => Promise<Event | undefined>
  /**
   * All events that match a filter, or as many as its `limit`, newest first. Pages are read as they are
   * needed, and memory holds one. It includes what this process recorded before, and nothing that is recorded
   * during the iteration; by when events occurred, it may include what is recorded meanwhile and occurred
   * earlier.
   */
  readonly events: (filter?: AuditEventFilter) => AsyncIterable<Event>
  /**
   * Verifies the whole chain as stored. Memory does not grow with the number of events.
   *
   * It notices an event that was changed, inserted, or removed between others. It cannot notice from the
   * chain alone that the log was cut at its end, removed whole, or rewritten completely. Other records that
   * reach further show that: this process (what it has appended, read or verified since it opened the log), a
   * signed checkpoint (one is stored when evidence is written), on SQLite the other files of the database,
   * and an evidence bundle, which is kept elsewhere. If somebody changes all the others too, only the bundle
   * shows it.
   */
  readonly verify: () => Promise<AuditLogVerification>
  /**
   * Writes the whole log to one file, which `cairn-verify` checks offline: events, hashes, and a checkpoint
   * that is signed with a permanent key. The file must not exist yet. Rejects with `damaged` if the log lacks
   * events that were signed, or that this process has seen.
   */
  readonly evidence: (file: string) => Promise<WrittenEvidence>
}

/** An open database with any number of logs. It is itself the default log. */
export interface AuditLog extends Log {
  /**
   * The log with this name, for example one a tenant: a separate chain in the same database, created when
   * something is first recorded in it. The name has 1 to 200 characters of printable ASCII without spaces;
   * any other name throws `InvalidArgument`.
   */
  readonly of: (name: string) => Log
  /**
   * Waits for calls in progress, adds recorded events to the chain, and closes the database. Later calls
   * reject. It may be called more than once; the database is closed once.
   */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Called with warnings for the program's operator; `details.cause` is the error, if there is one. */
export type AuditLogWarn = (
  level: "warn" | "error",
  message: string,
  details: Readonly<Record<string, unknown>>
) => void

/** What a storage provides. */
export type AuditLogPorts = Inbox | Workspaces | SearchIndexer | ClockGuard | EvidencePorts

/** The default log, which needs no name. */
const DEFAULT_LOG = "default"

const layerCalls = (machine: EvidenceMachine) =>
  AuditLogCalls.layer(machine).pipe(
    Layer.provide(
      Layer.mergeAll(
        Acceptance.layer,
        Sequencer.layer,
        ChainVerifier.layer,
        EventReader.layer.pipe(Layer.provide(EventCounts.layer))
      )
    ),
    Layer.provide(SeenEnds.layer),
    Layer.provide(Layer.mergeAll(Sha256.layer, Randomness.layer, GeoIp.layerNowhere))
  )

const messageText = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).filter((part) => typeof part === "string").join(" ")

/** Passes what the services log to `warn`. */
const layerWarn = (warn: AuditLogWarn) =>
  Layer.merge(
    Logger.layer([
      Logger.make(({ message, logLevel, cause, fiber }) => {
        warn(logLevel === "Warn" ? "warn" : "error", messageText(message), {
          ...Context.get(fiber.context, References.CurrentLogAnnotations),
          ...(cause.reasons.length === 0 ? {} : { cause: auditLogError(Cause.squash(cause)) })
        })
      })
    ]),
    Layer.succeed(References.MinimumLogLevel, "Warn")
  )

/** The value of an exit, or the error that the program gets. */
const succeeded = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  throw auditLogError(Cause.squash(exit.cause))
}

type Calls = AuditLogCalls["Service"]

/** Runs calls until the log is closed. */
interface Session {
  /** Begins a call; rejects once the log is closed. */
  readonly run: <A, E>(call: (calls: Calls) => Effect.Effect<A, E>) => Promise<A>
  readonly close: () => Promise<void>
}

const makeSession = <E>(runtime: ManagedRuntime.ManagedRuntime<AuditLogCalls, E>): Session => {
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  const start = <A, F>(call: (calls: Calls) => Effect.Effect<A, F>) =>
    runtime.runPromiseExit(Effect.flatMap(AuditLogCalls, call))

  const end = async () => {
    await Promise.all(underWay)
    // Events that cannot be sequenced now are safe in the inbox: the next program that opens the log
    // sequences them.
    await start(({ drain }) => drain)
    await runtime.dispose()
  }

  return {
    run: async (call) => {
      if (closing !== undefined) throw new AuditLogClosed()
      const exit = start(call)
      underWay.add(exit)
      try {
        return succeeded(await exit)
      } finally {
        underWay.delete(exit)
      }
    },
    close: () => {
      closing ??= end()
      return closing
    }
  }
}

/** The events that match a filter, a page at a time. */
async function* readEvents(
  { run }: Session,
  workspaceId: string,
  given: AuditEventFilter
): AsyncGenerator<Event> {
  const selection = await run(() => Effect.fromResult(readAuditFilter(given)))
  if (!(await run(({ settle }) => settle(workspaceId)))) return
  let cursor: string | null = null
  let left = selection.limit
  do {
    const page: Effect.Success<ReturnType<Calls["page"]>> = await run((calls) =>
      calls.page(workspaceId, selection, cursor)
    )
    yield* page.events.slice(0, left)
    left -= page.events.length
    cursor = page.next
  } while (cursor !== null && left > 0)
}

const makeLog = (session: Session, workspaceId: string): Log => {
  const { run } = session
  return {
    record: (event) => run((calls) => calls.record(workspaceId, event)),
    recordAll: (events) => run((calls) => calls.recordAll(workspaceId, events)),
    get: (id) => run((calls) => calls.get(workspaceId, id)),
    events: (filter = {}) => readEvents(session, workspaceId, filter),
    verify: () => run((calls) => calls.verify(workspaceId)),
    evidence: (file) => run((calls) => calls.evidence(workspaceId, file))
  }
}

/** What opening a log needs from a storage. */
export interface AuditLogStorage<E> {
  readonly ports: Layer.Layer<AuditLogPorts, E>
  readonly machine: EvidenceMachine
  readonly warn: AuditLogWarn
}

/** Opens the log over a storage. Rejects with an `AuditLogError`. */
export const makeAuditLog = async <E>({ ports, machine, warn }: AuditLogStorage<E>): Promise<AuditLog> => {
  const runtime = ManagedRuntime.make(
    layerCalls(machine).pipe(Layer.provide(ports), Layer.provide(layerWarn(warn)))
  )
  try {
    succeeded(await runtime.runPromiseExit(Effect.void))
  } catch (error) {
    await runtime.dispose()
    throw error
  }
  const session = makeSession(runtime)
  return {
    ...makeLog(session, DEFAULT_LOG),
    of: (name) => {
      const read = readLogName(name)
      if (Result.isFailure(read)) throw auditLogError(read.failure)
      return makeLog(session, read.success)
    },
    close: session.close,
    [Symbol.asyncDispose]: session.close
  }
}
