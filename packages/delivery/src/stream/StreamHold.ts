/**
 * A stream's position and the hold on it: one process at a time sends a stream.
 *
 * The process that holds a stream knows its position without reading it again, since no other process sends
 * it. An operator may still pause or move it, so the position is checked before each batch; a batch that is
 * sent all the same cannot be committed.
 */
import type { ConsumerKey, ConsumerPosition, ConsumersShape } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import { readStreamHealth, STREAM_HEALTH_KEY, type StreamHealth } from "@cairn/core/outbound"
import { Effect, Option } from "effect"
import { heartbeat } from "../loop/KeepGoing.ts"

/** A hold expires this long after its last renewal: after a crash, a stream waits no longer than this. */
const HOLD: Micros.Micros = 15 * Micros.SECOND
/** How often a hold is renewed while a batch is sent. */
const KEEP_EVERY: Micros.Micros = 5 * Micros.SECOND
/** How long a known hold and position are trusted. A hold lasts much longer, so that clocks may differ. */
const SURE: Micros.Micros = 3 * Micros.SECOND

/** A stream's position and the health of its destination. */
export interface Standing {
  readonly position: ConsumerPosition
  readonly health: StreamHealth
}

/** One process's hold on one stream. */
export interface StreamHold {
  /** Its position and health; `undefined` once it was deleted. Costs nothing while it is held. */
  readonly standing: (now: Micros.Micros) => Effect.Effect<Standing | undefined, StorageUnavailable>
  /**
   * Takes or keeps the hold at this sequence; `undefined` if another process has it, or the stream was moved
   * or paused.
   */
  readonly take: (sequence: number) => Effect.Effect<Standing | undefined, StorageUnavailable>
  /** Whether it is held. */
  readonly isHeld: () => boolean
  /** Notes a commit. If the store rejected it, the position is no longer known. */
  readonly committed: (position: Option.Option<ConsumerPosition>, health: StreamHealth) => void
  /** Renews the hold while something is sent. If the store is briefly unavailable, sending goes on. */
  readonly during: <A, E>(sending: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly letGo: Effect.Effect<void>
}

/**
 * The position of a stream. It is created once: a stream that was deleted in the meantime must not start
 * again and send everything twice.
 */
const makePosition = (consumers: ConsumersShape, key: ConsumerKey, after: number) => {
  let begun = false
  return Effect.gen(function* () {
    if (begun) return (yield* consumers.everywhere(key.consumer))[0]
    const opened = yield* consumers.open(key, after, yield* Micros.now)
    begun = true
    return opened
  })
}

/** The hold of the process `holder` on a stream that begins after the sequence `after`. */
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
    /**
     * Fails while the store is behind what was seen of it; checked where something is sent without a write
     * before it.
     */
    readonly notBehind: Effect.Effect<void, StorageUnavailable>
  }
): StreamHold => {
  let held: (Standing & { readonly since: Micros.Micros }) | undefined
  /**
   * Whether a hold was requested and not released. After an interruption it is unknown whether it was
   * granted.
   */
  let asked = false

  const position = makePosition(consumers, key, after)
  const health = Effect.map(consumers.rows(key, [STREAM_HEALTH_KEY]), readStreamHealth)

  const hold = Effect.gen(function* () {
    const at = yield* Micros.now
    asked = true
    return yield* consumers.hold(key, { holder, at, until: at + HOLD })
  })

  /** What is known of the hold, while that can be trusted. */
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
