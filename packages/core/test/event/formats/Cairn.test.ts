import { createHash } from "node:crypto"
import { RecentEvents } from "@cairn/core/consumer"
import { testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import canonicalize from "canonicalize"
import { Effect } from "effect"
import { EVENT_FORMATS } from "../../../src/event/formats/FormatTable.ts"
import { origin, samples } from "./Samples.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The two hashes as a receiver computes them from a line, by docs/LogStreams.md, with nothing of Cairn. */
const recomputed = (line: string) => {
  const { id, created_at, integrity, ...content } = JSON.parse(line)
  const { content_hash, salt, sequence, workspace_id, previous_event_hash } = integrity
  const header = { content_hash, created_at, id, previous_event_hash, sequence, v: 1, workspace_id }
  return {
    content_hash: sha256(`cairn.content.v1\n${salt}\n${canonicalize(content)}`),
    event_hash: sha256(`cairn.event.v1\n${canonicalize(header)}`)
  }
}

describe("the format cairn", () => {
  it.each(samples)("%s is the event of the interface, with what its hash is verified by", (_, event) => {
    const { integrity, ...rest } = JSON.parse(EVENT_FORMATS.cairn.encode(event, origin))
    assert.deepStrictEqual({ ...rest, integrity: event.integrity }, event)
    assert.deepStrictEqual(integrity, {
      ...event.integrity,
      sequence: origin.sequence,
      content_hash: origin.contentHash,
      salt: origin.salt,
      workspace_id: origin.workspaceId
    })
  })

  it.effect("lets a receiver verify each event, and the chain from line to line", () =>
    Effect.gen(function* () {
      const { events: entries, workspaceId } = testLog({ events: 40, erased: [7] })
      const recent = yield* RecentEvents
      const { events } = yield* recent.note(workspaceId, { after: 0, entries, atEnd: true })
      assert.lengthOf(events, entries.filter(({ content }) => content !== null).length)
      for (const { whole, sequence } of events) {
        const line = whole()?.text("cairn") ?? ""
        const { integrity } = JSON.parse(line)
        const { content_hash, event_hash } = integrity
        assert.deepStrictEqual(recomputed(line), { content_hash, event_hash })
        assert.strictEqual(integrity.sequence, sequence)
        const before = entries.find((entry) => entry.sequence === sequence - 1)
        assert.strictEqual(integrity.previous_event_hash, before?.eventHash ?? null)
        const changed = recomputed(line.replace('"action":"', '"action":"x'))
        assert.notStrictEqual(changed.content_hash, content_hash)
      }
    }).pipe(Effect.provide(RecentEvents.layer))
  )
})

describe("a test", () => {
  const test = { id: "dlv_1", sent_at: "2024-05-01T12:00:00.000000Z", message: "a = b | \u2028" }
  it.each([
    ["cairn", { type: "test", ...test }],
    ["cloudevents", { type: "cairn.test", id: "dlv_1", data: test }],
    ["ocsf", { class_uid: 0, message: test.message, unmapped: test }]
  ] as const)("in the format %s is no event and no checkpoint", (format, members) => {
    assert.deepInclude(JSON.parse(EVENT_FORMATS[format].encodeTest(test, "wsp_1")), members)
  })

  it("in the format cef has a class of its own", () => {
    const line = EVENT_FORMATS.cef.encodeTest(test, "wsp_1")
    const pairs = "externalId=dlv_1 rt=1714564800000 msg=a \\= b | \\\\u2028"
    assert.strictEqual(line, `CEF:0|Cairn|Cairn|1|cairn.test|cairn.test|3|${pairs}`)
  })
})

describe("every format", () => {
  it.each(Object.entries(EVENT_FORMATS))("%s writes one line", (_, { encode, json }) => {
    for (const [what, event] of samples) {
      const text = encode(event, origin)
      assert.notMatch(text, /[\r\n]/, what)
      if (json) assert.isObject(JSON.parse(text))
    }
  })
})
