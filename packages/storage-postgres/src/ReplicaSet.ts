/**
 * Which replica answers a read, and when the primary does.
 *
 * A read names a position of the primary that the replica must have replayed: what its caller needs, and at
 * least what was on the primary a moment ago. After a read that the primary answered, and where another
 * replica takes over, that is what is on the primary now, so that no later read sees less.
 */
import { LATELY_SECONDS, laterPosition, type StorageUnavailable, type StorePosition } from "@cairn/core/log"
import { Effect, Option } from "effect"
import { lackOf, lose, type Replica } from "./Replica.ts"
import type { ReplicaWork } from "./ReplicaWork.ts"

/** A position of the primary is too old to be read at after so many milliseconds. */
const TOO_OLD_MILLIS = LATELY_SECONDS * 1_000
/** How long a read waits for a replica to come so far, and how often it looks. */
const WAIT = "500 millis"
const WAIT_EVERY = "10 millis"

/** A position of the primary, and when it was asked for, by a clock that only goes on. */
export interface Known {
  readonly position: StorePosition
  readonly at: number
}

/** What is known of the primary. */
interface Primary {
  /** Asks where it is. */
  readonly ask: Effect.Effect<StorePosition, StorageUnavailable>
  /** What every read needs at least; undefined before the first. */
  base: Known | undefined
  /** The newest that was asked for in the rounds. */
  latest: Known | undefined
  /** Those of its present history that were asked for before, as far as they are kept. */
  history: ReadonlyArray<Known>
  /** How many reads it has answered in the place of a replica. */
  answered: number
  /** So many of them the base covers. */
  covered: number
}

/** The replicas of a primary, as one thread knows them. */
export interface ReplicaSet {
  readonly primary: Primary
  readonly replicas: ReadonlyArray<Replica>
  readonly now: () => number
  /** The one that had the last read. */
  last: Replica | undefined
}

/** The replica that a read goes to, and what it must have replayed. */
export interface Chosen {
  readonly replica: Replica
  readonly position: StorePosition
}

/** The replica for the next read: the same as before, so that none is behind another. */
const pick = ({ last, replicas }: ReplicaSet): Replica | undefined =>
  last?.fit === true ? last : replicas.find(({ fit }) => fit)

/** Takes a position of the primary for what every read needs. */
export const raiseBase = ({ primary }: ReplicaSet, known: Known): StorePosition => {
  const { base } = primary
  const [earlier, later] = base !== undefined && base.at > known.at ? [known, base] : [base ?? known, known]
  const position = laterPosition(earlier.position, later.position)
  primary.base = { position, at: later.at }
  return position
}

/** What every read needs at least, no older than it may be. */
const baseFor = Effect.fnUntraced(function* (set: ReplicaSet, replica: Replica) {
  const { primary, now } = set
  const { base, answered } = primary
  const isOld = base === undefined || now() - base.at > TOO_OLD_MILLIS
  if (!isOld && primary.covered === answered && set.last === replica) return base.position
  const at = now()
  const position = raiseBase(set, { position: yield* primary.ask, at })
  primary.covered = Math.max(primary.covered, answered)
  return position
})

/** The position that a read needs; undefined if no replica can have it. */
const positionFor = Effect.fnUntraced(function* (
  set: ReplicaSet,
  replica: Replica,
  needed: ReplicaWork["needed"]
) {
  const base = yield* baseFor(set, replica)
  if (needed === "lately") return base
  if (needed.system !== base.system || needed.timeline > base.timeline) return undefined
  // What a former history had at its end is in the present one, or lost.
  return needed.timeline < base.timeline ? base : laterPosition(needed, base)
})

/**
 * Does not use a replica that lacks what is on the primary. A position that the primary does not have either,
 * as a request may name it, says nothing of the replica.
 */
const blame = ({ primary }: ReplicaSet, replica: Replica, needed: StorePosition) =>
  Effect.map(primary.ask, (now) => {
    if (laterPosition(needed, now) === now) replica.fit = false
  })

/** Waits until a replica has what is needed; whether it has. */
const reaches = Effect.fnUntraced(function* (set: ReplicaSet, replica: Replica, needed: StorePosition) {
  const again: Effect.Effect<boolean> = Effect.suspend(() =>
    lackOf(replica, needed) === undefined
      ? Effect.succeed(true)
      : Effect.matchEffect(replica.look, {
          onSuccess: () =>
            lackOf(replica, needed) === undefined ? Effect.succeed(true) : Effect.delay(again, WAIT_EVERY),
          onFailure: () => Effect.sync(() => lose(replica)).pipe(Effect.as(false))
        })
  )
  const reached = yield* Effect.timeoutOption(again, WAIT)
  if (Option.isNone(reached)) yield* blame(set, replica, needed)
  return Option.getOrElse(reached, () => false)
})

/** Chooses who answers a read: none if the primary does. */
export const choose = Effect.fnUntraced(
  function* (
    set: ReplicaSet,
    needed: ReplicaWork["needed"]
  ): Effect.fn.Return<Option.Option<Chosen>, StorageUnavailable> {
    const replica = pick(set)
    if (replica === undefined) return Option.none()
    const position = yield* positionFor(set, replica, needed)
    if (position === undefined || !(yield* reaches(set, replica, position))) return Option.none()
    set.last = replica
    return Option.some({ replica, position })
  },
  Effect.catch(() => Effect.succeedNone)
)
