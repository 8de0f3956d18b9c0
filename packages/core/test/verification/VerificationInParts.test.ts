import { Checkpoints } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, eventHash, nowhere } from "@cairn/core/event"
import { nativeSha256, portableSha256, Sha256, uuid } from "@cairn/core/hashing"
import {
  extendChain,
  extendHistory,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type InboxRow,
  type LogEntry
} from "@cairn/core/log"
import {
  type ChainBreak,
  type ChainVerification,
  ChainVerifier,
  type VerifyRequest
} from "@cairn/core/verification"
import { MemoryStorage, ordinaryEvents, type SeededRandom, seededRandomness } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { eventsErased, retentionApplied } from "../../src/retention/RemovalEvent.ts"

const generated = generatedTests(import.meta.url)

const NOON = 1_714_564_800_000_000
const WORKSPACE = "wsp_1"
const sha256 = nativeSha256 ?? portableSha256
const nothing: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

interface Log {
  readonly events: ReadonlyArray<LogEntry>
  readonly head: Head
}

const rowsOf = (count: number, firstAt: number, seed: number): ReadonlyArray<InboxRow> => {
  const random = seededRandomness(seed)
  return ordinaryEvents(count, { seed }).map((body, index) => ({
    inboxId: index,
    acceptedAt: firstAt + index * Micros.SECOND,
    events: [
      {
        id: uuid(random),
        idempotencyKey: null,
        clientAddress: null,
        content: contentParts(Result.getOrThrow(decodeEvent(body)), firstAt)
      }
    ]
  }))
}

const context = (seed: number) => ({
  workspaceId: WORKSPACE,
  sha256,
  random: seededRandomness(seed),
  lookup: () => nowhere,
  now: NOON + Micros.DAY
})

const grow = (log: Log, count: number, seed: number): Log => {
  const { events, head } = extendChain(
    context(seed),
    log.head,
    rowsOf(count, NOON + log.head.sequence * Micros.SECOND, seed)
  )
  return { events: [...log.events, ...events], head }
}

const isGone = (sequences: ReadonlyArray<number>, below: number) => (event: LogEntry) =>
  event.sequence < below || sequences.includes(event.sequence)
    ? { ...event, content: null, salt: null, contentHash: event.contentHash ?? "" }
    : event

/** An honest log of one of four shapes: plain, with history before it, with erasures, after retention. */
const honestLog = (random: SeededRandom, seed: number): Log => {
  const shape = random.below(4)
  const count = 6 + random.below(14)
  const history =
    shape === 1
      ? extendHistory(context(seed), nothing, rowsOf(1 + random.below(5), NOON - 365 * Micros.DAY, seed + 1))
      : { events: [], head: nothing }
  const log = grow(history, count, seed + 2)
  if (shape < 2) return log
  const gone = shape === 2 ? [2, 3, 1 + random.below(count)] : []
  const below = shape === 3 ? 2 + random.below(count - 2) : 0
  const record =
    shape === 2
      ? eventsErased(context(seed), gone, "asked for")
      : retentionApplied(context(seed), {
          fromSequence: FIRST_LEGACY_SEQUENCE,
          belowSequence: below,
          kept: []
        })
  const appended = record(log.head, NOON + log.head.sequence * Micros.SECOND)
  return grow(
    { events: [...log.events.map(isGone(gone, below)), ...appended.events], head: appended.head },
    random.below(4),
    seed + 3
  )
}

const other = "0123456789abcdef".repeat(4)
const FORGED = "00000000-0000-4000-8000-00000000"

/** Ways to tamper with a log. Each is given one that may have been tampered with already. */
const TAMPERINGS: Readonly<Record<string, (log: Log, random: SeededRandom, seed: number) => Log>> = {
  salt: (log, random) => change(log, random, (event) => ({ ...event, salt: "0".repeat(32) })),
  "content removed": (log, random) =>
    change(log, random, (event) => ({ ...event, content: null, salt: null })),
  "content hash": (log, random) => change(log, random, (event) => ({ ...event, contentHash: other })),
  "event hash": (log, random) => change(log, random, (event) => ({ ...event, eventHash: other })),
  "no event hash": (log, random) => change(log, random, (event) => ({ ...event, eventHash: null })),
  link: (log, random) => change(log, random, (event) => ({ ...event, previousEventHash: other })),
  "no link": (log, random) => change(log, random, (event) => ({ ...event, previousEventHash: null })),
  content: (log, random) =>
    change(log, random, (event) => ({ ...event, content: event.content?.replace(/}$/, " }") ?? null })),
  "time, a little": (log, random) =>
    change(log, random, (event) => ({ ...event, createdAt: event.createdAt + random.pick([-1, 1, 7]) })),
  "time, by far": (log, random) =>
    change(log, random, (event) => ({
      ...event,
      createdAt: event.createdAt + random.pick([-1, 1]) * (random.below(20) * Micros.SECOND + 3)
    })),
  "time of another": (log, random) => {
    const { createdAt } = random.pick(log.events)
    return change(log, random, (event) => ({ ...event, createdAt }))
  },
  deleted: (log, random) => cut(log, random, 1),
  "several deleted": (log, random) => cut(log, random, 2 + random.below(4)),
  "the beginning deleted": (log, random) => {
    const first = 1 + random.below(4)
    return { ...log, events: log.events.filter(({ sequence }) => sequence < 1 || sequence > first) }
  },
  "the end cut off": (log, random) => ({ ...log, events: log.events.slice(0, -1 - random.below(4)) }),
  "the end cut off, and the head with it": (log, random) => {
    const events = log.events.slice(0, -1 - random.below(4))
    const last = events.at(-1)
    return last === undefined || last.sequence < 1
      ? { ...log, events }
      : {
          events,
          head: { ...log.head, sequence: last.sequence, eventHash: last.eventHash, eventId: last.id }
        }
  },
  "the head's hash": (log) => ({ ...log, head: { ...log.head, eventHash: other } }),
  "neighbours swapped": (log, random) => {
    const one = random.below(Math.max(1, log.events.length - 1))
    const [a, b] = [log.events[one], log.events[one + 1]]
    if (a === undefined || b === undefined) return log
    const swapped = [
      { ...b, sequence: a.sequence },
      { ...a, sequence: b.sequence }
    ]
    return { ...log, events: log.events.toSpliced(one, 2, ...swapped) }
  },
  "one put in between": (log, random, seed) => {
    const at = 1 + random.below(log.events.length)
    const moved = log.events.map((event) =>
      event.sequence >= at && event.sequence >= 1 ? { ...event, sequence: event.sequence + 1 } : event
    )
    return withEvent({ ...log, events: moved }, forged(log, at, seed))
  },
  "one put at the end": (log, _, seed) => {
    const last = log.events.at(-1)?.sequence ?? 0
    return last < 1 ? log : withEvent(log, forged(log, last + 1, seed))
  },
  "a hashed one put before the beginning": (log, _, seed) => {
    const before = forged(log, 1, seed)
    return withEvent(log, { ...before, sequence: 0, createdAt: NOON - 5, eventHash: other })
  },
  "history invented": (log, _, seed) => {
    const before = forged(log, 1, seed)
    const sequence = FIRST_LEGACY_SEQUENCE + 900
    return withEvent(log, {
      ...before,
      sequence,
      contentHash: null,
      previousEventHash: null,
      eventHash: null
    })
  }
}

const withEvent = (log: Log, event: LogEntry): Log => ({
  ...log,
  events: [...log.events.filter(({ sequence }) => sequence !== event.sequence), event].toSorted(
    (a, b) => a.sequence - b.sequence
  )
})

const change = (log: Log, random: SeededRandom, how: (event: LogEntry) => LogEntry): Log => {
  const victim = random.below(log.events.length)
  return { ...log, events: log.events.map((event, index) => (index === victim ? how(event) : event)) }
}

const cut = (log: Log, random: SeededRandom, count: number): Log => ({
  ...log,
  events: log.events.toSpliced(random.below(log.events.length), count)
})

/** A well-made event for a place, whose link and hash are right. */
const forged = (log: Log, sequence: number, seed: number): LogEntry => {
  const before = log.events.find((event) => event.sequence === sequence - 1)
  const [made] = extendChain(context(seed), nothing, rowsOf(1, NOON, seed)).events
  if (made === undefined) return assert.fail("nothing was chained")
  const event = {
    ...made,
    id: `${FORGED}${String(seed % 10_000).padStart(4, "0")}`,
    sequence,
    createdAt: (before?.createdAt ?? NOON) + 11,
    previousEventHash: before?.eventHash ?? null
  }
  return {
    ...event,
    eventHash: eventHash(sha256, { ...event, contentHash: event.contentHash ?? "", workspaceId: WORKSPACE })
  }
}

const verification = ChainVerifier.layer.pipe(
  Layer.provideMerge(Layer.merge(MemoryStorage.layer(), Sha256.layer))
)

const setLog = (log: Log) =>
  Effect.map(MemoryStorage.MemoryTables, (tables) => {
    Object.assign(tables.log(WORKSPACE), { events: [...log.events], head: log.head })
  })

const verify = (request: Omit<VerifyRequest, "workspaceId">) =>
  Effect.flatMap(ChainVerifier, (verifier) => verifier.verify({ workspaceId: WORKSPACE, ...request }))

/** Verifies part after part, each from where the one before says; `between` is done after each. */
const goOn = Effect.fnUntraced(function* (
  request: Omit<VerifyRequest, "workspaceId">,
  most: number,
  between: Effect.Effect<void, never, MemoryStorage.MemoryTables> = Effect.void
) {
  const parts: Array<ChainVerification> = []
  for (let from = request.from; ; ) {
    const part = yield* verify({ ...request, ...(from === undefined ? {} : { from }) })
    parts.push(part)
    assert.strictEqual(part.complete, part.next === null)
    assert.isAtLeast(part.total, part.events_checked)
    if (part.next === null) return parts
    assert.isAbove(part.events_checked, 0, "no progress")
    assert.isAtMost(parts.length, most, "there is no end to it")
    from = Micros.parse(part.next)
    yield* between
  }
})

/** The breaks, each as often as it is reported. */
const textsOf = (breaks: ReadonlyArray<ChainBreak>) => breaks.map((each) => JSON.stringify(each))

const LIMITS = [1, 2, 3, 5, 7, 10, 25]

const inTheStores = <A, E>(body: Effect.Effect<A, E, Layer.Success<typeof verification>>) =>
  Effect.suspend(() => Effect.provide(body, Layer.fresh(verification)))

describe("verifying in parts", () => {
  it.effect("comes to the whole of an honest log, each event once, at any limit", () =>
    generated.effects({ count: 12 }, (random, seed) =>
      inTheStores(
        Effect.gen(function* () {
          const log = honestLog(random, seed)
          yield* setLog(log)
          const { sequence } = log.head
          const whole = yield* verify({ limit: 1_000 })
          assert.deepStrictEqual(
            whole,
            {
              valid: true,
              events_checked: sequence,
              breaks: [],
              complete: true,
              total: sequence,
              next: null
            },
            `seed ${seed}`
          )
          for (const limit of LIMITS) {
            const parts = yield* goOn({ limit }, sequence)
            let left = sequence
            for (const { valid, events_checked, total } of parts) {
              assert.isTrue(valid, `seed ${seed}, limit ${limit}`)
              assert.strictEqual(total, left)
              assert.strictEqual(events_checked, Math.min(limit, left))
              left -= events_checked
            }
            assert.strictEqual(left, 0)
          }
        })
      )
    )
  )

  it.effect("finds every break that one verification of the whole finds, and no other", () => {
    const names = Object.keys(TAMPERINGS)
    let found = 0
    return generated
      .effects({ count: 3 * names.length }, (random, seed) =>
        inTheStores(
          Effect.gen(function* () {
            const honest = honestLog(random, seed)
            const chosen = [names[seed % names.length] ?? "", ...names.filter(() => random.chance(0.07))]
            const log = chosen.reduce((log, name, index) => {
              const tampered =
                log.events.length === 0 ? undefined : TAMPERINGS[name]?.(log, random, seed + index)
              return tampered ?? log
            }, honest)
            const told = `seed ${seed}: ${chosen.join(", ")}`
            yield* setLog(log)
            if (random.chance(0.3)) {
              const { issue } = yield* Checkpoints
              yield* issue(WORKSPACE, { size: honest.head.sequence, root: other, keyNumber: 1, note: "" })
            }
            const moment = () => NOON + random.below(24) * Micros.SECOND + random.pick([-1, 0, 0, 0, 1])
            const range = {
              ...(random.chance(0.3) ? { from: moment() } : {}),
              ...(random.chance(0.3) ? { to: moment() } : {})
            }
            const whole = yield* verify({ ...range, limit: 1_000 })
            assert.isTrue(whole.complete, told)
            found += whole.breaks.length
            for (const limit of LIMITS) {
              const parts = yield* goOn({ ...range, limit }, log.events.length + 2)
              const breaks = textsOf(parts.flatMap((part) => part.breaks))
              assert.sameMembers(breaks, textsOf(whole.breaks), `${told}; limit ${limit}`)
              assert.strictEqual(
                parts.every(({ valid }) => valid),
                whole.valid,
                told
              )
            }
          })
        )
      )
      .pipe(Effect.tap(() => Effect.sync(() => assert.isAbove(found, 3 * names.length))))
  })

  it.effect("is not ended at an edge by an event that was moved out of what is asked for", () =>
    Effect.forEach([1, 2, 3, 4, 5, 6], (limit) =>
      inTheStores(
        Effect.gen(function* () {
          const log = grow({ events: [], head: nothing }, 10, 1)
          const moved = log.events.map((event) => {
            if (event.sequence === 5) return { ...event, createdAt: event.createdAt + Micros.DAY }
            return event.sequence === 8 ? { ...event, salt: "0".repeat(32) } : event
          })
          yield* setLog({ ...log, events: moved })
          const parts = yield* goOn({ limit, to: moved[8]?.createdAt ?? 0 }, 10)
          const found = new Set(parts.flatMap(({ breaks }) => breaks.map(({ event_id }) => event_id)))
          assert.deepStrictEqual([...found], [moved[4]?.id, moved[7]?.id], `limit ${limit}`)
        })
      )
    )
  )

  it.effect("is not ended by an event that was rewritten and dated after all others, nor by several", () =>
    Effect.forEach([1, 2, 3], (count) =>
      Effect.forEach([1, 2, 4, 100], (limit) =>
        inTheStores(
          Effect.gen(function* () {
            const log = grow({ events: [], head: nothing }, 12, 1)
            const rewritten = log.events.slice(0, 4)
            for (let sequence = 5; sequence < 5 + count; sequence++) {
              const before = rewritten.at(-1)
              const event = forged({ ...log, events: rewritten }, sequence, sequence)
              const late = { ...event, createdAt: log.head.createdAt + sequence * Micros.SECOND }
              const hashOf = { ...late, contentHash: late.contentHash ?? "", workspaceId: WORKSPACE }
              const linked = { ...hashOf, previousEventHash: before?.eventHash ?? null }
              rewritten.push({ ...late, eventHash: eventHash(sha256, linked) })
            }
            yield* setLog({ ...log, events: [...rewritten, ...log.events.slice(4 + count)] })
            const to = log.events[9]?.createdAt ?? 0
            const parts = yield* goOn({ limit, to }, 20)
            assert.isFalse(
              parts.every(({ valid }) => valid),
              `${count} rewritten, limit ${limit}`
            )
            const checked = parts.reduce((sum, { events_checked }) => sum + events_checked, 0)
            assert.strictEqual(checked, 10)
            assert.strictEqual(parts[0]?.total, 10)
          })
        )
      )
    )
  )

  it.effect("ends, and has seen every event, while others are appended after each part", () =>
    inTheStores(
      Effect.gen(function* () {
        let log = grow({ events: [], head: nothing }, 10, 1)
        yield* setLog(log)
        let rounds = 0
        const append = Effect.suspend(() => {
          if (++rounds > 9) return Effect.void
          log = grow(log, 2 + (rounds % 3), rounds)
          return setLog(log)
        })
        const parts = yield* goOn({ limit: 3 }, 100, append)
        const checked = parts.reduce((sum, { events_checked }) => sum + events_checked, 0)
        assert.isAbove(log.events.length, 20)
        assert.strictEqual(checked, log.events.length)
        assert.isTrue(parts.every(({ valid }) => valid))
        assert.strictEqual(parts.at(-1)?.complete, true)
      })
    )
  )

  it.effect("finds what was altered after the first ten thousand of 10,528 events", () =>
    inTheStores(
      Effect.gen(function* () {
        const log = grow({ events: [], head: nothing }, 10_528, 1)
        const altered = log.events.map((event) =>
          event.sequence === 10_500 ? { ...event, salt: "0".repeat(32) } : event
        )
        yield* setLog({ ...log, events: altered })
        const parts = yield* goOn({ limit: 10_000 }, 2)
        assert.deepInclude(parts[0], { valid: true, events_checked: 10_000, complete: false, total: 10_528 })
        assert.deepInclude(parts[1], { valid: false, events_checked: 528, complete: true, total: 528 })
        assert.deepStrictEqual(
          parts[1]?.breaks.map(({ event_id }) => event_id),
          [altered[10_499]?.id]
        )
      })
    )
  )
})
