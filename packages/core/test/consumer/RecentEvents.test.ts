import { RecentEvents } from "@cairn/core/consumer"
import { testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const read = (damage: (content: string) => string | null) =>
  Effect.gen(function* () {
    const { events, workspaceId } = testLog({ events: 3 })
    const entries = events.map((entry, index) =>
      index === 1 && entry.content !== null ? { ...entry, content: damage(entry.content) } : entry
    )
    const recent = yield* RecentEvents
    return (yield* recent.note(workspaceId, { after: 0, entries, atEnd: true })).events
  }).pipe(Effect.provide(RecentEvents.layer))

describe("an event that was read a moment ago", () => {
  it.effect("has a head without being parsed, and is parsed once when it is asked for", () =>
    Effect.gen(function* () {
      const events = yield* read((content) => content)
      assert.deepStrictEqual(
        events.map(({ sequence }) => sequence),
        [1, 2, 3]
      )
      for (const { content, whole } of events) {
        const found = whole()
        assert.strictEqual(found?.event.action, content.action)
        assert.deepStrictEqual(found?.event.actor, content.actor)
        assert.strictEqual(whole(), found)
      }
    })
  )

  it.effect("is not sent if its content is damaged within, and is none if it is removed or no content", () =>
    Effect.gen(function* () {
      const within = yield* read((content) => content.replace('"targets":[', '"targets":[5,'))
      assert.deepStrictEqual(
        within.map(({ sequence, whole }) => [sequence, whole() !== undefined]),
        [
          [1, true],
          [2, false],
          [3, true]
        ]
      )
      for (const damage of [() => null, (content: string) => content.slice(1), () => "{}"]) {
        assert.deepStrictEqual(
          (yield* read(damage)).map(({ sequence }) => sequence),
          [1, 3]
        )
      }
    })
  )
})
