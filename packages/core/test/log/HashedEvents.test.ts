import { testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { contentHash, eventHash } from "../../src/event/EventHash.ts"
import type { LogEntry } from "../../src/log/EventLog.ts"
import { HashedEvents } from "../../src/log/HashedEvents.ts"
import { sha256 } from "../support/CountingSha256.ts"

const log = testLog({ events: 30, erased: [7] })
const { events, workspaceId } = log
const intact = (stored: ReadonlyArray<LogEntry>) => new HashedEvents(sha256, workspaceId).intact(stored)
const whole = events.map(({ content }) => content !== null)

/** The event with a content of so many characters, and the hashes that it would have. */
const withLongContent = (event: LogEntry, length: number): LogEntry => {
  const content = "ü".repeat(length)
  const hash = contentHash(sha256, event.salt ?? "", content)
  return {
    ...event,
    content,
    contentHash: hash,
    eventHash: eventHash(sha256, { ...event, contentHash: hash, workspaceId })
  }
}

describe("events whose hashes are recomputed together", () => {
  it("are known to hold where nothing was changed, but for those without content", () => {
    assert.include(whole, false)
    assert.deepStrictEqual(intact(events), whole)
    assert.deepStrictEqual(intact([]), [])
  })

  it.each<[string, (event: LogEntry) => Partial<LogEntry>]>([
    ["the content", ({ content }) => ({ content: content?.replace("{", "{ ") ?? null })],
    ["the salt", () => ({ salt: "0".repeat(32) })],
    ["the content's hash", () => ({ contentHash: "0".repeat(64) })],
    ["the event's hash", ({ eventHash: hash }) => ({ eventHash: (hash ?? "").toUpperCase() })],
    ["an event's hash that is longer", ({ eventHash: hash }) => ({ eventHash: `${hash}0` })],
    ["the hash before", () => ({ previousEventHash: "0".repeat(64) })],
    ["the id", ({ id }) => ({ id: `${id}"` })],
    ["the time", ({ createdAt }) => ({ createdAt: createdAt + 1 })],
    ["the sequence", ({ sequence }) => ({ sequence: sequence + 1 })],
    ["content that is gone", () => ({ content: null })],
    ["salt that is gone", () => ({ salt: null })],
    ["hash that is gone", () => ({ eventHash: null })],
    ["content's hash that is gone", () => ({ contentHash: null })]
  ])("are not where it was changed: %s", (_, change) => {
    for (const index of [0, 1, 3, 4, 28, events.length - 1]) {
      const changed = events.map((event, at) => (at === index ? { ...event, ...change(event) } : event))
      assert.deepStrictEqual(intact(changed), whole.with(index, false), `event ${index + 1}`)
    }
  })

  it("are not another workspace's", () => {
    assert.notInclude(new HashedEvents(sha256, `${workspaceId}x`).intact(events), true)
  })

  it("are found however long their contents are", () => {
    const long = events.map((event, at) => (at % 4 === 1 ? withLongContent(event, 30_000 * (at % 5)) : event))
    const kept = long.map(({ content }) => content !== null)
    assert.deepStrictEqual(intact(long), kept)
    const changed = long.map((event, at) => (at === 9 ? { ...event, content: `${event.content}x` } : event))
    assert.deepStrictEqual(intact(changed), kept.with(9, false))
  })
})
