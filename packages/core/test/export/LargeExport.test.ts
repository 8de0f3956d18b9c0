/**
 * Exports of large contents: every event once, oldest first, in pieces that are bounded by their size and
 * made a little in each turn.
 */
import { contentParts, decodeEvent, GeoIp } from "@cairn/core/event"
import { Sha256 } from "@cairn/core/hashing"
import { EventLog, Inbox, Sequencer } from "@cairn/core/log"
import type { ExportFilters } from "@cairn/core/outbound"
import { layerSeededRandomness, MemoryStorage, workPerTurn } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import { exportContent } from "../../src/export/ExportedEvents.ts"
import { ndjsonLines } from "../../src/export/LineFormat.ts"

const NOON = 1_714_564_800_000_000
const WORKSPACE = "wsp_1"
/** Every third event is large. */
const EVENTS = 180
const LARGE = 200_000
/**
 * Bytes of a piece of the file: a page of the log, an event beyond it, and what stands around the contents.
 */
const MOST_IN_A_PIECE = 10_000_000

const storage = Sequencer.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(MemoryStorage.layer(), GeoIp.layerNowhere, Sha256.layer, layerSeededRandomness(1))
  )
)

const fill = Effect.gen(function* () {
  const inbox = yield* Inbox
  const metadata = { note: "\n".repeat(LARGE / 8) }
  const targets = Array.from({ length: 4 }, () => ({ type: "t", metadata }))
  for (let index = 0; index < EVENTS; index++) {
    const large = index % 3 === 2
    const body = { actor_id: String(index), action: large ? "large" : "small", ...(large ? { targets } : {}) }
    const content = contentParts(Result.getOrThrow(decodeEvent(body)), NOON)
    const events = [{ id: `event-${index}`, idempotencyKey: null, clientAddress: null, content }]
    yield* inbox.accept({ workspaceId: WORKSPACE, acceptedAt: NOON, keysExpireBefore: null, events })
  }
  yield* Effect.flatMap(Sequencer, ({ drain }) => drain)
})

describe("an export of large contents", () => {
  const all = Array.from({ length: EVENTS }, (_, index) => index)
  const large = all.filter((index) => index % 3 === 2)
  const cases: ReadonlyArray<readonly [ExportFilters, ReadonlyArray<number>]> = [
    [{}, all],
    [{ search: "large" }, large],
    [{ action: "large" }, large]
  ]
  for (const [filters, expected] of cases) {
    it.live(`by ${JSON.stringify(filters)}`, () =>
      Effect.gen(function* () {
        yield* fill
        const log = yield* EventLog
        const making = Stream.runCollect(exportContent(log, WORKSPACE, ndjsonLines, filters, null))
        const { value, most } = yield* workPerTurn(making)
        const utf8 = new TextDecoder()
        const lines = value.flatMap(({ bytes }) => utf8.decode(bytes).trim().split("\n"))
        const actors = lines
          .filter((line) => line !== "")
          .map((line) => (JSON.parse(line) as { readonly actor: { readonly id: string } }).actor.id)
        assert.deepStrictEqual(actors, expected.map(String))
        assert.isBelow(Math.max(...value.map(({ bytes }) => bytes.length)), MOST_IN_A_PIECE)
        // What an index finds, the store in memory finds by parsing all.
        if (filters.action === undefined) assert.isBelow(most, 8 * LARGE)
      }).pipe(Effect.provide(storage))
    )
  }
})
