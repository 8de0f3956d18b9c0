/**
 * The contract of verification over the log of an adapter, as tests: logs that somebody changed, completely
 * and in part.
 */

import { Micros } from "@cairn/core/encoding"
import { contentHash, eventHash, nowhere } from "@cairn/core/event"
import { nativeSha256, portableSha256, uuid } from "@cairn/core/hashing"
import { EventLog, extendChain, type Head, type InboxRow, type LogEntry } from "@cairn/core/log"
import { type ChainVerification, ChainVerifier, type VerifyRequest } from "@cairn/core/verification"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { seededRandomness } from "../generators/SeededRandom.ts"
import { sampled } from "../generators/TrialCases.ts"
import {
  accept,
  makePending,
  makeWorkspace,
  NOON,
  plainEvent,
  plainEvents,
  type StorageLayer,
  storageTest
} from "./StorageSteps.ts"

const sha256 = nativeSha256 ?? portableSha256

/** Cases are of a workspace each, so that one can wait for the database while another computes. */
const AT_ONCE = { concurrency: 4, discard: true } as const
const EVENTS = 6

/** Values that no event has. Some cannot be read as the type of their column. */
const FOREIGN: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  id: ["", "none", "\u{1F980}"],
  createdAt: [9e18, -9e16, -9e18, 2 ** 53 + 2, 0, -1],
  content: [null, "", "{", "null", "[]", '{"action":1}'],
  salt: [null, "", "none"],
  contentHash: [null, "", "none"],
  eventHash: [null, "", "none", "0".repeat(64)],
  previousEventHash: ["", "none", "0".repeat(64)],
  sequence: [9e18, 2 ** 52]
}
const FOREIGN_HEADS: ReadonlyArray<Partial<Head>> = [
  { sequence: 9e18 },
  { sequence: -9e18 },
  { sequence: 0 },
  { sequence: 5 },
  { eventHash: "none" },
  { createdAt: 9e18, sequence: 9e15 },
  { legacy: { count: 9e18, frontier: [] } },
  { legacy: { count: 3, frontier: ["none"] } },
  { legacy: { count: -1, frontier: [] } }
]

/** The requested part of a log. */
type Range = Omit<VerifyRequest, "workspaceId" | "limit">

/** Stores a log of six events a second apart, the first at noon, after `change` has modified them. */
const storeLog = Effect.fnUntraced(function* (
  change: (events: ReadonlyArray<LogEntry>, workspaceId: string) => ReadonlyArray<LogEntry>,
  changeHead: Partial<Head> = {}
) {
  const log = yield* EventLog
  const workspaceId = yield* makeWorkspace
  const random = seededRandomness(workspaceId.length + Number.parseInt(workspaceId.slice(4, 12), 16))
  yield* accept(workspaceId, plainEvents(1))
  const chain = (head: Head) => {
    const rows = Array.from({ length: EVENTS }, (_, index): InboxRow => {
      const acceptedAt = NOON + index * Micros.SECOND
      const body = { ...plainEvent(), metadata: { index } }
      return { inboxId: index, acceptedAt, events: [makePending(uuid(random), body, acceptedAt)] }
    })
    const made = extendChain(
      { workspaceId, sha256, random, lookup: () => nowhere, now: NOON + Micros.DAY },
      head,
      rows
    )
    return { events: change(made.events, workspaceId), head: { ...made.head, ...changeHead } }
  }
  yield* log.append([{ workspaceId, chain }], 1)
  return workspaceId
})

/** Replaces the content of an event, with or without recomputing its own hash; it links to `before`. */
const rewrite = (
  event: LogEntry,
  workspaceId: string,
  { createdAt, before, mended }: { createdAt: number; before: LogEntry | undefined; mended: boolean }
): LogEntry => {
  const content = event.content?.replace('"index"', '"Index"') ?? ""
  const changed = { ...event, createdAt, content, previousEventHash: before?.eventHash ?? null }
  if (!mended) return changed
  const hash = contentHash(sha256, event.salt ?? "", content)
  return {
    ...changed,
    contentHash: hash,
    eventHash: eventHash(sha256, { ...changed, contentHash: hash, workspaceId })
  }
}

/** Verifies part after part. */
const verifyParts = Effect.fnUntraced(function* (workspaceId: string, range: Range, limit: number) {
  const { verify } = yield* ChainVerifier
  const parts: Array<ChainVerification> = []
  for (let from = range.from; ; ) {
    const part = yield* verify({ workspaceId, limit, ...range, ...(from === undefined ? {} : { from }) })
    parts.push(part)
    assert.strictEqual(part.valid, part.breaks.length === 0)
    assert.strictEqual(part.complete, part.next === null)
    assert.isAtMost(parts.length, 2 * EVENTS, "there is no end to it")
    if (part.next === null) return parts
    from = Micros.parse(part.next)
  }
})

/** Times before, at and after both ends of a range, and before and after all events. */
const momentsOf = ({ from, to }: Range): ReadonlyArray<number> =>
  [from, to]
    .flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]))
    .concat(NOON - Micros.SECOND, NOON + 2_500_000, NOON + EVENTS * Micros.SECOND)

const SECOND_TO_FOURTH = { from: NOON + 999_900, to: NOON + 3_000_100 }
const RANGES: ReadonlyArray<Range> = [
  SECOND_TO_FOURTH,
  { from: SECOND_TO_FOURTH.from },
  { to: SECOND_TO_FOURTH.to },
  // One event, the last one, and none.
  { from: NOON + 2_999_900, to: NOON + 3_000_100 },
  { from: NOON + 4_999_900, to: NOON + 5_000_100 },
  { from: NOON + 2_000_100, to: NOON + 2_000_200 }
]

const isWithin = (moment: number, { from = NOON - Micros.DAY, to = NOON + Micros.DAY }: Range): boolean =>
  moment >= from && moment <= to

const sumOf = (parts: ReadonlyArray<ChainVerification>) =>
  parts.reduce((sum, { events_checked }) => sum + events_checked, 0)

/**
 * If there is no break at the end, everything was read: every sequence of the requested part, and every event
 * that is dated within it.
 */
const seesAll = Effect.fnUntraced(function* (
  workspaceId: string,
  stored: ReadonlyArray<LogEntry>,
  range: Range,
  touched: ReadonlyArray<number>,
  told: string
) {
  const { from = NOON } = range
  const first = Math.ceil((from - NOON) / Micros.SECOND) + 1
  for (const limit of [1, 100]) {
    const parts = yield* verifyParts(workspaceId, range, limit)
    const isValid = parts.every(({ valid }) => valid)
    const where = `${told}; ${JSON.stringify(range)}, limit ${limit}: ${JSON.stringify(parts)}`
    if (!isValid) continue
    const [part] = parts
    assert.strictEqual(sumOf(parts), part?.total, where)
    const dated = stored.filter(({ sequence, createdAt }) => sequence >= first && isWithin(createdAt, range))
    assert.isAtLeast(sumOf(parts), dated.length, where)
    const asked = touched.filter((sequence) => isWithin(NOON + (sequence - 1) * Micros.SECOND, range))
    assert.deepStrictEqual(asked, [], where)
  }
})

/** Registers the contract for the storage called `name`. */
export const verificationContract = (name: string, storage: StorageLayer): void => {
  describe(`${name}: verification`, () => {
    for (const mended of [true, false]) {
      storageTest(storage)(
        `an event that was changed and given any date is found wherever it was asked for, its own hash ${mended ? "mended" : "as it was"}`,
        Effect.gen(function* () {
          const sequences = Array.from({ length: EVENTS }, (_, index) => index + 1)
          const cases = sequences.flatMap((sequence) =>
            (mended ? RANGES : RANGES.slice(0, 3)).flatMap((range) =>
              momentsOf(range).map((createdAt) => ({ sequence, range, createdAt }))
            )
          )
          // Every range, and not the same dates for each event: there are 21 or 48 cases of one.
          yield* Effect.forEach(
            sampled(cases, 5),
            Effect.fnUntraced(function* ({ sequence, range, createdAt }) {
              let stored: ReadonlyArray<LogEntry> = []
              const workspaceId = yield* storeLog((events, workspace) => {
                stored = events.map((event, index) =>
                  event.sequence === sequence
                    ? rewrite(event, workspace, { createdAt, before: events[index - 1], mended })
                    : event
                )
                return stored
              })
              yield* seesAll(workspaceId, stored, range, [sequence], `${sequence} dated ${createdAt - NOON}`)
            }),
            AT_ONCE
          )
        })
      )
    }

    storageTest(storage)(
      "a value that no event has, in any column, is a break at the event or after it, and never a failure",
      Effect.gen(function* () {
        const values = Object.entries(FOREIGN).flatMap(([name, values]) =>
          values.map((value) => (event: LogEntry) => ({
            ...event,
            // An id belongs to one workspace only.
            [name]: name === "id" ? `${value}${event.salt}` : value
          }))
        )
        const cases = values.flatMap((change) => [1, 4, EVENTS].map((sequence) => ({ change, sequence })))
        yield* Effect.forEach(
          sampled(cases, 7),
          Effect.fnUntraced(function* ({ change, sequence }) {
            let changed: ReadonlyArray<LogEntry> = []
            let at = ""
            const workspaceId = yield* storeLog((events) => {
              changed = events.map((event) => (event.sequence === sequence ? change(event) : event))
              at = events[sequence - 1]?.id ?? ""
              return changed
            })
            const ids = new Set([at, ...changed.slice(sequence - 1, sequence + 1).map(({ id }) => id)])
            for (const limit of [1, 100]) {
              const parts = yield* verifyParts(workspaceId, {}, limit)
              const told = parts.flatMap(({ breaks }) => breaks.map(({ event_id }) => event_id))
              const where = `${sequence}: ${JSON.stringify(changed[sequence - 1])}, limit ${limit}`
              assert.isTrue(
                told.some((id) => ids.has(id)),
                `${where}: ${JSON.stringify(parts)}`
              )
            }
          }),
          AT_ONCE
        )
      })
    )

    storageTest(storage)(
      "a head that is none is a break",
      Effect.gen(function* () {
        for (const head of FOREIGN_HEADS) {
          const workspaceId = yield* storeLog((events) => events, head)
          for (const limit of [1, 100]) {
            const parts = yield* verifyParts(workspaceId, {}, limit)
            const where = `${JSON.stringify(head)}, limit ${limit}: ${JSON.stringify(parts)}`
            assert.isFalse(
              parts.every(({ valid }) => valid),
              where
            )
          }
        }
      })
    )

    storageTest(storage)(
      "nothing that is dated within what is asked for stays unread, whatever was rewritten before it",
      Effect.gen(function* () {
        const range = SECOND_TO_FOURTH
        const dates = [range.from - 5, range.to - 5, range.to + 5]
        const firsts = Array.from({ length: EVENTS - 1 }, (_, index) => index + 1)
        const cases = firsts.flatMap((first) =>
          Array.from({ length: EVENTS - first }, (_, index) => index + 2).flatMap((count) =>
            Array.from({ length: dates.length ** 2 }, (_, way) => ({ first, count, way }))
          )
        )
        yield* Effect.forEach(
          sampled(cases, 7),
          Effect.fnUntraced(function* ({ first, count, way }) {
            const dateOf = (index: number) =>
              (dates[(index % 2 === 0 ? way : Math.floor(way / dates.length)) % dates.length] ?? 0) + index
            let stored: Array<LogEntry> = []
            const workspaceId = yield* storeLog((events, workspace) => {
              stored = []
              for (const [index, event] of events.entries()) {
                const isRewritten = event.sequence >= first && event.sequence < first + count
                const change = { createdAt: dateOf(index - first), before: stored.at(-1), mended: true }
                stored.push(isRewritten ? rewrite(event, workspace, change) : event)
              }
              return stored
            })
            // All of them rewritten would be a log of its own, were it not for its head.
            yield* seesAll(workspaceId, stored, range, [], `${count} from ${first} on, way ${way}`)
          }),
          AT_ONCE
        )
      })
    )
  })
}
