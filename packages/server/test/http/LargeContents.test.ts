/** Pages of events with large contents are read a little at a time, and answered as others are. */
import { CheckpointSigner } from "@cairn/core/checkpoint"
import { TURN_SIZE } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { ENOUGH_TO_LIST } from "@cairn/core/log"
import { openCheckpoint, parseVerifierKey } from "@cairn/core/note"
import { EventProofs, verifyProvenEvent } from "@cairn/core/proof"
import { workPerTurn } from "@cairn/testing"
import { portableEd25519 } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const COUNT = 100
/** As much as an event's metadata may hold, or nearly. */
const LARGE = "x".repeat(60_000)
/**
 * Parsed, and written; and where the counter's turns fall within a piece's, two pieces are counted as one.
 */
const BOUND = 5 * TURN_SIZE

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string }>
  readonly pagination: {
    readonly has_more: boolean
    readonly next_cursor: string | null
    readonly total: number
  }
}

const decodeProofs = Schema.decodeUnknownSync(EventProofs)

/** An event of about 240,000 characters, the first of its keys escaped, and one that reads as a number. */
const largeEvent = (index: number) => ({
  ...EVENT,
  metadata: { '"': index, "10": 1, "9": 2, large: LARGE },
  targets: Array.from({ length: 3 }, (_, id) => ({ type: "part", id: `${id}`, metadata: { large: LARGE } }))
})

/** Accepts and sequences a page of them; gives their ids, newest first. */
const acceptLarge = Effect.fnUntraced(function* (key: string) {
  const ids: Array<string> = []
  for (let index = 0; index < COUNT; index += 20) {
    const events = Array.from({ length: 20 }, (_, offset) => largeEvent(index + offset))
    const answer = yield* send({ path: `${EVENTS}/batch`, key, body: { events } })
    for (const { id } of answer.json<{ events: ReadonlyArray<{ id: string }> }>().events) ids.push(id)
  }
  yield* sequence
  return ids.reverse()
})

describe("a hundred large events", () => {
  it.live(
    "are listed, and proven, a few at a time",
    () =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const ids = yield* acceptLarge(key)
        // The store in memory parses what it filters, once.
        yield* send({ path: `${EVENTS}?limit=1`, key })

        const listed = yield* workPerTurn(send({ path: `${EVENTS}?limit=${COUNT}`, key }))
        // A page ends with the event with which it has enough, and the next goes on from there.
        const found: Array<string> = []
        let pages = 0
        for (let answer = listed.value; ; pages++) {
          assert.isBelow(answer.text.length, ENOUGH_TO_LIST + 5 * LARGE.length)
          const { data, pagination } = answer.json<Listed>()
          found.push(...data.map(({ id }) => id))
          assert.strictEqual(pagination.total, COUNT)
          assert.strictEqual(pagination.has_more, found.length < COUNT)
          if (pagination.next_cursor === null) break
          answer = yield* send({ path: `${EVENTS}?limit=${COUNT}&cursor=${pagination.next_cursor}`, key })
        }
        assert.deepStrictEqual(found, ids)
        assert.isAbove(pages, 1)
        const [first = ""] = ids
        const alone = yield* send({ path: `${EVENTS}/${first}`, key })
        assert.isTrue(
          listed.value.text.startsWith(`{"data":[${alone.text},{`),
          "the text of one event is the same"
        )
        assert.isAbove(listed.all, ENOUGH_TO_LIST)
        assert.isBelow(listed.most, BOUND)

        const proven = yield* workPerTurn(send({ path: `${EVENTS}/proofs`, key, body: { ids } }))
        assert.isAbove(proven.all, COUNT * 4 * LARGE.length)
        assert.isBelow(proven.most, BOUND)
        const proofs = decodeProofs(proven.value.json())
        const sha256 = yield* Sha256
        const keys = (yield* (yield* CheckpointSigner).list).map(({ verifierKey }) =>
          Result.getOrThrow(parseVerifierKey(sha256, verifierKey))
        )
        const { checkpoint } = Result.getOrThrow(openCheckpoint(portableEd25519, proofs.checkpoint, keys))
        for (const event of proofs.events) {
          assert.isTrue(Result.getOrThrow(verifyProvenEvent(sha256, checkpoint, event)).content)
        }
        assert.deepStrictEqual(
          proofs.events.map(({ header }) => header.id),
          ids
        )
      }).pipe(Effect.provide(testServer())),
    120_000
  )
})
