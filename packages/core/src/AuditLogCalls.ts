/** The calls of an `AuditLog`, each for one workspace, made from the services. */
import { Context, Effect, Layer, Option } from "effect"
import { AuditLogError } from "./AuditLogErrors.ts"
import { type EvidenceMachine, makeEvidence } from "./AuditLogEvidence.ts"
import { type AuditEvent, type AuditSelection, readAuditEvent } from "./AuditLogInput.ts"
import { makeSequencing } from "./AuditLogSequencing.ts"
import * as Micros from "./encoding/Micros.ts"
import type { Event } from "./event/Event.ts"
import { parseContent, toEvent } from "./event/EventContent.ts"
import { decodeEvent } from "./event/EventDecoding.ts"
import type { EventFilter } from "./event/EventFilter.ts"
import { MAX_BATCH } from "./event/EventInput.ts"
import { InvalidInput } from "./event/InvalidInput.ts"
import { Sha256 } from "./hashing/Sha256.ts"
import { Acceptance } from "./log/Acceptance.ts"
import * as Cursor from "./log/Cursor.ts"
import { EMPTY_HEAD, EventLog, type LogEntry } from "./log/EventLog.ts"
import { EventReader } from "./log/EventReader.ts"
import { pageByOccurrence } from "./log/OccurrencePage.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "./log/ReadingBound.ts"
import { SeenEnds } from "./log/SeenEnds.ts"
import { Workspaces } from "./log/Workspace.ts"
import { ChainCheck } from "./verification/ChainCheck.ts"
import { ChainVerifier } from "./verification/ChainVerifier.ts"
import { furthestWitness, witnessReader } from "./verification/LogWitnesses.ts"
import type { ChainBreak, ChainVerification } from "./verification/Verification.ts"

/** Events read at once. */
const PAGE = 100
/** Events verified at once. */
const VERIFIED_AT_ONCE = 10_000

/** A workspace is created when something is first recorded in it; until then it reads as empty. */
const makeKnown = Effect.gen(function* () {
  const workspaces = yield* Workspaces
  const known = new Set<string>()

  const isThere = Effect.fnUntraced(function* (workspaceId: string) {
    if (known.has(workspaceId)) return true
    const found = Option.isSome(yield* workspaces.get(workspaceId))
    if (found) known.add(workspaceId)
    return found
  })

  const make = Effect.fnUntraced(function* (workspaceId: string) {
    if (yield* isThere(workspaceId)) return
    yield* workspaces.create({ id: workspaceId, name: workspaceId, created_at: yield* Micros.now }).pipe(
      // Another process may have created it in the meantime.
      Effect.catch((error) =>
        Effect.flatMap(isThere(workspaceId), (found) => (found ? Effect.void : Effect.fail(error)))
      )
    )
  })

  return { isThere, make }
})

/** A stored event as it is returned; nothing if its content was removed. */
const shown = (entry: LogEntry): ReadonlyArray<Event> => {
  const content = entry.content === null ? undefined : parseContent(entry.content)
  return content === undefined ? [] : [toEvent(content, entry)]
}

const context = (workspaceId: string) => ({ workspaceId, clientAddress: null, keysExpireBefore: null })

/**
 * A batch. Acceptance records the valid items of a batch; here it is all or nothing, so each item is checked
 * first.
 */
const readBatch = Effect.fnUntraced(function* (given: ReadonlyArray<AuditEvent>) {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_BATCH) {
    return yield* new InvalidInput({ path: "", reason: `must be a list of 1 to ${MAX_BATCH} events` })
  }
  const events: Array<object> = []
  for (const [index, one] of given.entries()) {
    const event = yield* Effect.fromResult(readAuditEvent(one, [index]))
    yield* Effect.fromResult(decodeEvent(event, [index]))
    events.push(event)
  }
  return { events }
})

/** Recording, with what sequences the events. */
const makeRecording = Effect.gen(function* () {
  const acceptance = yield* Acceptance
  const sequencing = yield* makeSequencing
  const known = yield* makeKnown

  const record = Effect.fnUntraced(function* (workspaceId: string, given: AuditEvent) {
    const event = yield* Effect.fromResult(readAuditEvent(given))
    yield* known.make(workspaceId)
    const accepted = acceptance.one(context(workspaceId), event)
    return yield* sequencing.after(workspaceId, accepted, ({ id }) => [id])
  })

  const recordAll = Effect.fnUntraced(function* (workspaceId: string, given: ReadonlyArray<AuditEvent>) {
    const batch = yield* readBatch(given)
    yield* known.make(workspaceId)
    const accepted = acceptance
      .batch(context(workspaceId), batch)
      .pipe(Effect.map(({ outcomes }) => outcomes.flatMap((one) => ("id" in one ? [one] : []))))
    return yield* sequencing.after(workspaceId, accepted, (all) => all.map(({ id }) => id))
  })

  /** The same for a call that needs the workspace to exist. */
  const settleMade = (workspaceId: string) =>
    Effect.andThen(known.make(workspaceId), sequencing.settle(workspaceId))

  /** Adds what this process has recorded to the chain; returns whether the workspace exists. */
  const settle = Effect.fnUntraced(function* (workspaceId: string) {
    const found = yield* known.isThere(workspaceId)
    if (found) yield* sequencing.settle(workspaceId)
    return found
  })

  return { record, recordAll, isThere: known.isThere, settle, settleMade, drain: sequencing.drain }
})

/** Reading. */
const makeReading = Effect.gen(function* () {
  const log = yield* EventLog
  const reader = yield* EventReader

  const get = (workspaceId: string, id: string) =>
    Effect.map(reader.get(workspaceId, id, null), Option.getOrUndefined)

  const byRecording = Effect.fnUntraced(function* (
    workspaceId: string,
    filter: EventFilter,
    cursor: string | null
  ) {
    const before = cursor === null ? null : (Cursor.decode(cursor) ?? null)
    const rows = yield* log.page(workspaceId, { filter, before, limit: PAGE })
    const last = mayGoOn(rows, PAGE, ENOUGH_TO_LIST) ? rows.at(-1) : undefined
    return { rows, next: last === undefined ? null : Cursor.encode(last.createdAt) }
  })

  /** Up to a hundred events from a place on, and the place to continue with. */
  const page = Effect.fnUntraced(function* (
    workspaceId: string,
    { filter, time }: AuditSelection,
    cursor: string | null
  ) {
    const { rows, next } = yield* time === "recorded"
      ? byRecording(workspaceId, filter, cursor)
      : pageByOccurrence(log, {
          workspaceId,
          filter,
          visibleFrom: null,
          beyond: cursor === null ? null : (Cursor.decodeOccurrence(cursor) ?? null),
          limit: PAGE
        })
    return { events: rows.flatMap(shown), next }
  })

  return { get, page }
})

/** Verifying. */
const makeVerifying = Effect.gen(function* () {
  const log = yield* EventLog
  const sha256 = yield* Sha256
  const verifier = yield* ChainVerifier
  const witnessesOf = yield* witnessReader
  const ends = yield* SeenEnds

  const verify = Effect.fnUntraced(function* (workspaceId: string) {
    const breaks: Array<ChainBreak> = []
    let checked = 0
    let from: { readonly from?: Micros.Micros } | undefined = {}
    while (from !== undefined) {
      const part: ChainVerification = yield* verifier.verify({
        workspaceId,
        limit: VERIFIED_AT_ONCE,
        ...from
      })
      for (const one of part.breaks) breaks.push(one)
      checked += part.events_checked
      const next = part.next === null ? undefined : Micros.parse(part.next)
      from = next === undefined ? undefined : { from: next }
    }
    if (breaks.length === 0) {
      yield* Effect.flatMap(
        log.storedHead(workspaceId),
        Option.match({ onNone: () => Effect.void, onSome: (head) => ends.see(workspaceId, head) })
      )
    }
    return { valid: breaks.length === 0, events_checked: checked, breaks }
  })

  /** A workspace that does not exist had no events, unless something remembers any. */
  const verifyAbsent = Effect.fnUntraced(function* (workspaceId: string) {
    const { witnesses } = yield* witnessesOf(workspaceId)
    const check = new ChainCheck(sha256, workspaceId)
    check.finish(furthestWitness(EMPTY_HEAD, witnesses), null)
    return { valid: check.breaks.length === 0, events_checked: 0, breaks: check.breaks }
  })

  /** Fails if the log lacks what this process has seen of it, unless that loss was accepted. */
  const holdsSeen = Effect.fnUntraced(function* (workspaceId: string) {
    const seen = ends.of(workspaceId)
    if (seen === undefined || (yield* ends.isHeld(workspaceId))) return
    if ((yield* witnessesOf(workspaceId)).lostUpTo >= seen.sequence) return
    return yield* Effect.fail(
      new AuditLogError(
        "damaged",
        `the log was changed from outside: it does not hold event ${seen.sequence} (${seen.eventHash}), which this process has seen in it`
      )
    )
  })

  return { verify, verifyAbsent, holdsSeen }
})

const isPath = (file: unknown): file is string =>
  typeof file === "string" && file !== "" && !file.includes("\0")

const makeCalls = (machine: EvidenceMachine) =>
  Effect.gen(function* () {
    const { record, recordAll, isThere, settle, settleMade, drain } = yield* makeRecording
    const { get, page } = yield* makeReading
    const { verify, verifyAbsent, holdsSeen } = yield* makeVerifying
    const evidence = yield* makeEvidence(machine)
    return {
      record,
      recordAll,
      drain,
      settle,
      get: Effect.fnUntraced(function* (workspaceId: string, id: string) {
        if (typeof id !== "string") return yield* new InvalidInput({ path: "id", reason: "must be a string" })
        return (yield* isThere(workspaceId)) ? yield* get(workspaceId, id) : undefined
      }),
      page,
      verify: (workspaceId: string) =>
        Effect.flatMap(settle(workspaceId), (found) =>
          found ? verify(workspaceId) : verifyAbsent(workspaceId)
        ),
      evidence: Effect.fnUntraced(function* (workspaceId: string, file: string) {
        if (!isPath(file))
          return yield* new InvalidInput({ path: "file", reason: "must be the path of a file" })
        yield* settleMade(workspaceId)
        yield* holdsSeen(workspaceId)
        return yield* evidence(workspaceId, file)
      })
    }
  })

/** The calls. */
export class AuditLogCalls extends Context.Service<
  AuditLogCalls,
  Effect.Success<ReturnType<typeof makeCalls>>
>()("@cairn/core/AuditLogCalls") {
  static readonly layer = (machine: EvidenceMachine) => Layer.effect(AuditLogCalls, makeCalls(machine))
}
