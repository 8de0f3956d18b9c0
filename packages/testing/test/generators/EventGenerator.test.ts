import { contentParts, contentText, decodeEvent, type EventInput, nowhere } from "@cairn/core/event"
import { eventGenerator, hostileGenerator, naughtyStrings, ordinaryEvents } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const utf8 = new TextEncoder()
const contentOf = (body: EventInput): string =>
  contentText(contentParts(Result.getOrThrow(decodeEvent(body)), 1_714_564_800_000_000), nowhere)

const distinct = (events: ReadonlyArray<EventInput>, of: (event: EventInput) => unknown) =>
  new Set(events.map(of)).size

describe("ordinary events", () => {
  it("average 577 bytes of content", () => {
    for (const seed of [1, 2, 3]) {
      const events = ordinaryEvents(4_000, { seed })
      const bytes = events.reduce((sum, event) => sum + utf8.encode(contentOf(event)).length, 0)
      assert.approximately(bytes / events.length, 577, 6)
    }
  })

  it("are the same for the same seed, and others for another", () => {
    assert.deepStrictEqual(ordinaryEvents(50, { seed: 1 }), ordinaryEvents(50, { seed: 1 }))
    assert.notDeepEqual(ordinaryEvents(50, { seed: 1 }), ordinaryEvents(50, { seed: 2 }))
    const next = eventGenerator({ seed: 1 })
    assert.deepStrictEqual([next(), next()], [...ordinaryEvents(2, { seed: 1 })])
  })

  it("are as varied as their profile asks", () => {
    const events = ordinaryEvents(3_000, {
      seed: 1,
      actors: 7,
      tenants: 3,
      sessions: 5,
      resources: 1,
      keyed: 0.25
    })
    assert.strictEqual(
      distinct(events, (event) => event.actor_id),
      7
    )
    assert.strictEqual(
      distinct(events, (event) => event.tenant_id),
      3
    )
    assert.strictEqual(
      distinct(events, (event) => event.session_id),
      6,
      "five, and none"
    )
    assert.strictEqual(
      distinct(events, (event) => event.resource_id),
      distinct(events, (event) => event.resource)
    )
    const keyed = events.flatMap(({ idempotency_key: key }) => (key === undefined ? [] : [key]))
    assert.approximately(keyed.length / events.length, 0.25, 0.03)
    assert.strictEqual(new Set(keyed).size, keyed.length)
  })
})

describe("hostile events", () => {
  it("are all to be accepted, and the same for the same seed", () => {
    const [one, same] = [hostileGenerator(1), hostileGenerator(1)]
    const contents = Array.from({ length: 500 }, () => {
      const body = one()
      assert.deepStrictEqual(body, same())
      return contentOf(body)
    })
    assert.strictEqual(new Set(contents).size, contents.length)
  })

  it("hold each naughty string", () => {
    const next = hostileGenerator(2)
    const seen = new Set(Array.from({ length: 1_500 }, () => next().tenant_id))
    assert.strictEqual(new Set(naughtyStrings).size, naughtyStrings.length)
    for (const text of naughtyStrings) assert.isTrue(seen.has(text), JSON.stringify(text))
  })
})
