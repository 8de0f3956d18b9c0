/**
 * Where a stream stands, and whose it is: it is sent by one process at a time.
 *
 * Whoever holds a stream knows where it stands without asking again, for nobody else sends it meanwhile. An operator may still pause it or
 * move it, so it is looked at once before each batch; what was sent nevertheless cannot be committed then.
 */
import type { ConsumerKey, ConsumerPosition, ConsumersShape } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import { readStreamHealth, STREAM_HEALTH_KEY, type StreamHealth } from "@cairn/core/outbound"
import { Effect, Option } from "effect"
import { heartbeat } from "../loop/KeepGoing.ts"

/** Whoever holds a stream and has not been heard of for so long is gone: what a crash interrupted waits no longer than this. */
const HOLD: Micros.Micros = 15 * Micros.SECOND
/** How often whoever sends is heard of. */
const KEEP_EVERY: Micros.Micros = 5 * Micros.SECOND
/** For how long it is believed that a stream is held, and where it stands: the hold lasts much longer, so that clocks may differ. */
const SURE: Micros.Micros = 3 * Micros.SECOND

/** Where a stream stands, and how its destination is. */
export interface Standing {
  readonly position: ConsumerPosition
  readonly health: StreamHealth
}

/** One stream as one process holds it, or does not. */
export interface StreamHold {
  /** Where it stands; `undefined` once it was deleted. Costs nothing while it is held. */
  readonly standing: (now: Micros.Micros) => Effect.Effect<Standing | undefined, StorageUnavailable>
  /** Takes or keeps it at this sequence; `undefined` when another process has it, or it was moved or paused. */
  readonly take: (sequence: number) => Effect.Effect<Standing | undefined, StorageUnavailable>
  /** Whether it is held. */
  readonly isHeld: () => boolean
  /** Its position was committed, or that was refused: then it is not known any more where it stands. */
  readonly committed: (position: Option.Option<ConsumerPosition>, health: StreamHealth) => void
  /** Keeps it while something is sent. A store that is out of reach for a moment is no reason to break that off. */
  readonly during: <A, E>(sending: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly letGo: Effect.Effect<void>
}

/** A stream that begins after the sequence `after`, for a `holder` who has a name of his own. */
export const makeStreamHold = (
  consumers: ConsumersShape,
  key: ConsumerKey,
  {
    holder,
    after,
    notBehind
  }: {
    readonly holder: string
    readonly after: number
    /** Fails while the store is behind what was seen of it; asked where nothing is written before something is sent. */
    readonly notBehind: Effect.Effect<void, StorageUnavailable>
  }
): StreamHold => {
  let held: (Standing & { readonly since: Micros.Micros }) | undefined
  /** Whether a hold was asked for and not given back; that it was given, an interruption may have kept from us. */
  let asked = false
  let begun = false

  /** It is begun once: one that was deleted meanwhile must not begin anew and send everything again. */
  const position = Effect.gen(function* () {
    if (begun) return (yield* consumers.everywhere(key.consumer))[0]
    const opened = yield* consumers.open(key, after, yield* Micros.now)
    begun = true
    return opened
  })

  const health = Effect.map(consumers.rows(key, [STREAM_HEALTH_KEY]), readStreamHealth)

  const hold = Effect.gen(function* () {
    const at = yield* Micros.now
    asked = true
    return yield* consumers.hold(key, { holder, at, until: at + HOLD })
  })

  /** What is known of it, if that is sure. */
  const known = (now: Micros.Micros) => {
    if (held !== undefined && (now < held.since || now - held.since >= SURE)) held = undefined
    return held
  }

  const standing = Effect.fnUntraced(function* (now: Micros.Micros) {
    const sure = known(now)
    if (sure !== undefined) return sure
    const current = yield* position
    return current === undefined ? undefined : { position: current, health: yield* health }
  })

  const take = Effect.fnUntraced(function* (sequence: number) {
    const now = yield* Micros.now
    const sure = known(now)
    if (sure !== undefined) {
      yield* notBehind
      const current = yield* position
      return current?.version === sure.position.version ? sure : undefined
    }
    const found = Option.getOrUndefined(yield* hold)
    if (found === undefined || found.paused || found.sequence !== sequence) return undefined
    held = { position: found, health: yield* health, since: now }
    return held
  })

  return {
    standing,
    take,
    isHeld: () => held !== undefined,
    committed: (moved, health) => {
      if (held === undefined) return
      held = Option.isSome(moved) ? { position: moved.value, health, since: held.since } : undefined
    },
    during: (sending) => Effect.raceFirst(sending, heartbeat(KEEP_EVERY / 1_000, hold)),
    letGo: Effect.suspend(() => {
      held = undefined
      if (!asked) return Effect.void
      asked = false
      return Effect.ignore(consumers.release(key, holder))
    })
  }
}
