/** The contract of verification over the log of an adapter, as tests: logs that somebody changed, whole and in parts. */
import {
  type ChainVerification,
  ChainVerifier,
  contentHash,
  EventLog,
  eventHash,
  extendChain,
  type InboxRow,
  Micros,
  nativeSha256,
  nowhere,
  portableSha256,
  type StoredEvent,
  uuid,
  type VerifyRequest
} from "@cairn/core"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { seededRandomness } from "./SeededRandom.ts"
import {
  accept,
  makePending,
  makeWorkspace,
  NOON,
  plainEvent,
  plainEvents,
  type StorageLayer,
  storageTest
} from "./StorageContract.ts"

const sha256 = nativeSha256 ?? portableSha256
const EVENTS = 6

/** What is asked for of a log. */
type Range = Omit<VerifyRequest, "workspaceId" | "limit">

/** Stores a log of six events a second apart, the first at noon, as `change` leaves them. */
const storeLog = Effect.fnUntraced(function* (
  change: (events: ReadonlyArray<StoredEvent>, workspaceId: string) => ReadonlyArray<StoredEvent>
) {
  const log = yield* EventLog
  const workspaceId = yield* makeWorkspace
  const random = seededRandomness(workspaceId.length + Number.parseInt(workspaceId.slice(4, 12), 16))
  yield* accept(workspaceId, plainEvents(1))
  yield* log.append(workspaceId, 1, (head) => {
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
    return { ...made, events: change(made.events, workspaceId) }
  })
  return workspaceId
})

/** Another content for an event, whose own hash is mended or not; its link is to `before`. */
const rewrite = (
  event: StoredEvent,
  workspaceId: string,
  { createdAt, before, mended }: { createdAt: number; before: StoredEvent | undefined; mended: boolean }
): StoredEvent => {
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

/** Moments before, at and after both ends of a range, and before and after all events. */
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

/** No break at the end means that all was read: every place of what is asked for, and every event that is dated within it. */
const seesAll = Effect.fnUntraced(function* (
  workspaceId: string,
  stored: ReadonlyArray<StoredEvent>,
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
          for (let sequence = 1; sequence <= EVENTS; sequence++) {
            for (const range of mended ? RANGES : RANGES.slice(0, 3)) {
              for (const createdAt of momentsOf(range)) {
                let stored: ReadonlyArray<StoredEvent> = []
                const workspaceId = yield* storeLog((events, workspace) => {
                  stored = events.map((event, index) =>
                    event.sequence === sequence
                      ? rewrite(event, workspace, { createdAt, before: events[index - 1], mended })
                      : event
                  )
                  return stored
                })
                yield* seesAll(
                  workspaceId,
                  stored,
                  range,
                  [sequence],
                  `${sequence} dated ${createdAt - NOON}`
                )
              }
            }
          }
        })
      )
    }

    storageTest(storage)(
      "nothing that is dated within what is asked for stays unread, whatever was rewritten before it",
      Effect.gen(function* () {
        const range = SECOND_TO_FOURTH
        const dates = [range.from - 5, range.to - 5, range.to + 5]
        for (let first = 1; first < EVENTS; first++) {
          for (let count = 2; first + count - 1 <= EVENTS; count++) {
            for (let way = 0; way < dates.length ** 2; way++) {
              const dateOf = (index: number) =>
                (dates[(index % 2 === 0 ? way : Math.floor(way / dates.length)) % dates.length] ?? 0) + index
              let stored: Array<StoredEvent> = []
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
            }
          }
        }
      })
    )
  })
}
