/**
 * Who reads a log is recorded in it (PCI DSS 4.0, 10.2.1.3): the first read of a kind in an hour by a reader
 * is an event, `cairn.access.events`, which is written before the read is answered. How many more reads of
 * the kind there were follows when the hour is over, in `cairn.access.events.count`: every process writes its
 * own, so that the reads of an hour are one more than all `further_reads` of it. A crash may lose a count,
 * never the fact.
 *
 * A viewer's tenant stands in the metadata: what a tenant may see, and count, does not grow when it reads.
 */
import { Context, Deferred, Effect, Layer, Result } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { ACCESS_PREFIX } from "../event/AccessAction.ts"
import { derivedUuid } from "../hashing/DerivedUuid.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256, type Sha256Shape } from "../hashing/Sha256.ts"
import { ClockGuard } from "../log/ClockGuard.ts"
import { type Owed, type OwedEvent, OwedEvents, type TooMuchOwed } from "./OwedEvents.ts"

/** What is read, in words that follow "reads". */
export const ACCESS_KINDS = {
  events: "events: a list, one of them, a count, a histogram, values, or a rule tried on them",
  proofs: "whether the log is whole: verifications, proofs, checkpoints and anchors",
  alerts: "alerts",
  exports: "the list of exports, and their state",
  downloads: "the file of an export, each by itself: the download, and each fetch of the file",
  deliveries: "what was sent to webhooks and by mail",
  settings: "the workspace, members, sessions, keys, rules, webhooks, streams and usage"
} as const

/** The name of a kind. */
export type AccessKind = keyof typeof ACCESS_KINDS

/** Who reads. */
export interface Reader {
  /** What tells it from others of the workspace. Not shown. */
  readonly is: string
  /** The actor of its events; null for one that has no id of its own, and gets one that stays the same. */
  readonly id: string | null
  readonly name: string | null
  /** `member`, `api_key`, `viewer`, or `link` for who has an export's link. */
  readonly type: string
  /** What else is known, for the metadata of its events. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** A read that is about to be answered. */
export interface Access {
  readonly workspaceId: string
  readonly kind: AccessKind
  readonly reader: Reader
  /** The client's address; null if it has none. */
  readonly address: string | null
  readonly at: Micros.Micros
  /** The id of the one thing that was read; null for the log. */
  readonly exportId: string | null
}

/** One reader's reads of a kind in an hour. */
interface Hour {
  readonly first: Access
  readonly hour: number
  /** Of this process, the first one included. */
  reads: number
  /** The event of the first one. */
  readonly event: Owed
}

const HOUR = 60 * Micros.MINUTE

/** Hours of readers, by kind, kept in memory, some 50 MB; beyond them the oldest is counted early. */
export const MOST_HOURS = 100_000

/**
 * Events of a workspace by which one process records the first reads of an hour by viewers, each by itself. A
 * program that may make viewer tokens can name any tenants: without a bound it could cause any number of
 * events, which no quota counts. All later readers of the hour are counted together.
 */
export const MOST_VIEWERS = 1_000

/** All viewers of a workspace beyond {@link MOST_VIEWERS}. */
const FURTHER_VIEWERS: Reader = {
  is: "further viewers",
  id: null,
  name: null,
  type: "viewer",
  metadata: { scope: "further" }
}

/** How often is looked for hours that are over. */
const LOOK_EVERY = "20 seconds"

const keyOf = ({ workspaceId, kind, reader, exportId }: Access): string =>
  `${workspaceId} ${kind} ${exportId ?? ""} ${reader.is}`

const hourText = (hour: number): string => Micros.formatSeconds(hour * HOUR)

const actionOf = (kind: AccessKind): string => `${ACCESS_PREFIX}${kind}`

/** The actor of a reader's events. */
export const readerId = (sha256: Sha256Shape, workspaceId: string, { id, is }: Reader): string =>
  id ?? derivedUuid(sha256, `cairn.reader.v1\n${workspaceId}\n${is}`)

/** What the events of a reader have in common. */
const bodyOf = (sha256: Sha256Shape, { reader, exportId, workspaceId }: Access, hour: number) => ({
  actor_id: readerId(sha256, workspaceId, reader),
  actor_name: reader.name,
  actor_type: reader.type,
  action_category: "cairn",
  resource: exportId === null ? "log" : "export",
  resource_id: exportId ?? workspaceId,
  metadata: { ...reader.metadata, hour: hourText(hour) }
})

/** All processes have one such key for an hour of a reader. */
const onceKey = ({ hex }: Sha256Shape, action: string, access: Access, hour: number): string =>
  `${action} ${hourText(hour)} ${hex(keyOf(access)).slice(0, 32)}`

/** The event of an hour's first read. */
const factOf = (sha256: Sha256Shape, access: Access, hour: number): OwedEvent => {
  const action = actionOf(access.kind)
  return {
    workspaceId: access.workspaceId,
    isCounted: false,
    body: {
      ...bodyOf(sha256, access, hour),
      action,
      occurred_at: Micros.format(access.at),
      ...(access.address === null ? {} : { ip_address: access.address }),
      idempotency_key: onceKey(sha256, action, access, hour)
    }
  }
}

/** The count of an hour's reads that no event stands for yet; `once` is of this count alone. */
const countOf = (
  sha256: Sha256Shape,
  { first, hour, reads, event }: Hour,
  once: () => string
): ReadonlyArray<OwedEvent> => {
  const further = reads - (event.outcome?.duplicate === true ? 0 : 1)
  if (further === 0) return []
  const action = `${actionOf(first.kind)}.count`
  const { metadata, ...body } = bodyOf(sha256, first, hour)
  return [
    {
      workspaceId: first.workspaceId,
      isCounted: false,
      body: {
        ...body,
        // It may come after an erasure, which the name must not outlive; the first event has it until then.
        actor_name: null,
        action,
        metadata: { ...metadata, further_reads: further },
        idempotency_key: `${onceKey(sha256, action, first, hour)} ${once()}`
      }
    }
  ]
}

/** How many viewers are recorded each by itself, by hour and workspace. */
const makeViewerTally = () => {
  const hours = new Map<number, Map<string, number>>()
  return {
    /** Who a first read is recorded as: its reader, or all viewers that there is no room for. */
    recorded: (access: Access, hour: number): Access => {
      if (access.reader.type !== FURTHER_VIEWERS.type) return access
      const tally = hours.get(hour) ?? new Map<string, number>()
      hours.set(hour, tally)
      const recorded = tally.get(access.workspaceId) ?? 0
      if (recorded >= MOST_VIEWERS) return { ...access, reader: FURTHER_VIEWERS, address: null }
      tally.set(access.workspaceId, recorded + 1)
      return access
    },
    /** Forgets hours before the last one: a read of that may still be on its way. */
    forget: (present: number): void => {
      for (const hour of hours.keys()) if (Math.abs(present - hour) > 1) hours.delete(hour)
    }
  }
}

const make = Effect.gen(function* () {
  const owed = yield* OwedEvents
  const clock = yield* ClockGuard
  const sha256 = yield* Sha256
  const hours = new Map<string, Hour>()
  const viewers = makeViewerTally()
  /** Of this process, so that the counts of several are all kept. */
  const process = uuid(yield* Randomness)
  let counts = 0
  const once = () => `${process} ${counts++}`

  /** Forgets hours, and leaves their counts to be written. */
  const end = (ended: ReadonlyArray<readonly [key: string, hour: Hour]>): Effect.Effect<void> => {
    for (const [key] of ended) hours.delete(key)
    return owed.leave(ended.flatMap(([, hour]) => countOf(sha256, hour, once)))
  }

  const knownHour = (access: Access, hour: number): Hour | undefined => {
    const known = hours.get(keyOf(access))
    return known?.hour === hour ? known : undefined
  }

  const readAgain = (known: Hour): Effect.Effect<void> => {
    known.reads++
    return Deferred.isDoneUnsafe(known.event.tried) ? Effect.void : owed.settled(known.event)
  }

  const begin = (first: Access, hour: number): Effect.Effect<void, TooMuchOwed> => {
    const key = keyOf(first)
    const event = owed.write(factOf(sha256, first, hour))
    if (Result.isFailure(event)) return Effect.fail(event.failure)
    const known = hours.get(key)
    const oldest = hours.size < MOST_HOURS ? undefined : hours.entries().next().value
    const ended = known === undefined ? oldest : ([key, known] as const)
    const counted = ended === undefined ? Effect.void : end([ended])
    hours.set(key, { first, hour, reads: 1, event: event.success })
    return Effect.andThen(counted, owed.settled(event.success))
  }

  const endThose = (isMeant: (hour: Hour) => boolean) =>
    Effect.suspend(() => end([...hours].filter(([, hour]) => isMeant(hour))))

  const sweep = Effect.flatMap(clock.reckoned, (now) => {
    const present = Math.floor(now / HOUR)
    viewers.forget(present)
    return endThose(({ hour }) => hour !== present)
  })

  yield* Effect.forkScoped(Effect.forever(Effect.delay(sweep, LOOK_EVERY)))
  yield* Effect.addFinalizer(() => endThose(() => true))

  return {
    /**
     * Notes a read. The first of its kind in the hour waits until its event is written, or two seconds, or
     * until it is known that it cannot be written now; the later ones cost a look into a map. Fails only
     * where more events wait to be written than fit in memory.
     */
    note: (access: Access): Effect.Effect<void, TooMuchOwed> =>
      Effect.suspend(() => {
        const hour = Math.floor(access.at / HOUR)
        const known = knownHour(access, hour)
        if (known !== undefined) return readAgain(known)
        const recorded = viewers.recorded(access, hour)
        const together = recorded === access ? undefined : knownHour(recorded, hour)
        return together === undefined ? begin(recorded, hour) : readAgain(together)
      })
  }
})

/** Records who reads. */
export class AccessEvents extends Context.Service<AccessEvents, Effect.Success<typeof make>>()(
  "@cairn/core/AccessEvents"
) {
  /** Until its scope ends; then it leaves the counts so far to be written. */
  static readonly layer = Layer.effect(AccessEvents, make)
}
