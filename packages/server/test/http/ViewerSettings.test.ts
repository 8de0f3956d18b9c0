import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const WORKSPACE = "/api/v1/workspace"
const SETTINGS = "/api/v1/viewer/settings"

type Sentences = Readonly<Record<string, unknown>>

const patch = (key: string, viewer: unknown) =>
  send({ path: WORKSPACE, method: "PATCH", key, body: { viewer } })
const viewerToken = (key: string) =>
  Effect.map(
    send({ path: "/api/v1/viewer-token", key, body: { tenant_id: "acme" } }),
    (response) => response.json<{ token: string }>().token
  )
const settings = (key: string, headers: Readonly<Record<string, string>> = {}) =>
  send({ path: SETTINGS, key, headers })

/** As many actions as asked for, with a sentence each. */
const many = (count: number): Sentences =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a.b${index}`, { en: "{actor}" }]))

const SENTENCES = {
  "document.*": { en: "{actor} changed {resource}", de: "{actor} hat {resource} geändert" },
  "document.shared": { ja: "{actor} が {target} と {resource_type} を共有 ({tenant}, {action})" }
}

describe("how the viewer tells events", () => {
  it.live("is what the workspace sets, and read with a key that may read, and with a viewer token", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const token = yield* viewerToken(key)
      for (const reader of [key, token]) {
        assert.deepStrictEqual((yield* settings(reader)).json(), { data: { sentences: {} } })
      }
      const changed = yield* patch(key, { sentences: SENTENCES })
      assert.strictEqual(changed.status, 200, changed.text)
      assert.deepStrictEqual(changed.json<{ data: { viewer: unknown } }>().data.viewer, {
        sentences: SENTENCES
      })
      for (const reader of [key, token]) {
        const response = yield* settings(reader)
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(response.json(), { data: { sentences: SENTENCES } })
      }
      const ingest = yield* makeKey(workspace.id, ["ingest"])
      assert.strictEqual((yield* settings(ingest.key)).status, 403)
      assert.strictEqual((yield* settings("nobody")).status, 401)
      assert.strictEqual((yield* patch(key, null)).status, 200)
      assert.deepStrictEqual((yield* settings(token)).json(), { data: { sentences: {} } })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("has a tag that changes with it, and of another workspace nothing is read", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const other = yield* makeTenant({ viewer: { sentences: { a: { en: "{actor}" } } } })
      const first = yield* settings(key)
      const tag = String(first.headers.etag)
      assert.match(tag, /^"[^"]+"$/)
      const known = yield* settings(key, { "if-none-match": tag })
      assert.deepStrictEqual([known.status, known.text], [304, ""])
      yield* patch(key, { sentences: SENTENCES })
      const changed = yield* settings(key, { "if-none-match": tag })
      assert.strictEqual(changed.status, 200)
      assert.notStrictEqual(changed.headers.etag, tag)
      assert.deepStrictEqual((yield* settings(other.key)).json(), {
        data: { sentences: { a: { en: "{actor}" } } }
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused with all that is wrong and its paths, and nothing changes", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const sentence = (text: unknown) => ({ sentences: { "a.b": { en: text } } })
      const cases: ReadonlyArray<readonly [unknown, ...ReadonlyArray<string>]> = [
        ["{actor}", "viewer: "],
        [[], "viewer: "],
        [{}, "viewer.sentences: is required"],
        [{ sentences: {}, theme: "dark" }, "viewer.theme: is not known"],
        [{ sentences: null }, "viewer.sentences: must be an object"],
        [{ sentences: { "a.b": "{actor}" } }, "viewer.sentences.a.b: must be an object"],
        [{ sentences: { "a.b": {} } }, "viewer.sentences.a.b: must have one of en, de, ja"],
        [{ sentences: { "a.b": { fr: "{actor}" } } }, "viewer.sentences.a.b.fr: is no language"],
        [sentence(5), "viewer.sentences.a.b.en: must be a string"],
        [sentence(null), "viewer.sentences.a.b.en: must be a string"],
        [sentence(""), "viewer.sentences.a.b.en: must have 1 to 200 characters"],
        [sentence("x".repeat(201)), "viewer.sentences.a.b.en: must have 1 to 200 characters"],
        [sentence("{actor}\n"), "viewer.sentences.a.b.en: must be one line"],
        [sentence("\u200b"), "viewer.sentences.a.b.en: must have a character that is seen"],
        [sentence("{who} left"), "viewer.sentences.a.b.en: must have no other braces than those of {actor}"],
        [sentence("{constructor}"), "viewer.sentences.a.b.en: must have no other braces"],
        [sentence("{actor"), "viewer.sentences.a.b.en: must have no other braces"],
        [sentence("{{actor}}"), "viewer.sentences.a.b.en: must have no other braces"],
        [{ sentences: { "*": { en: "x" } } }, "viewer.sentences.*: must be an action such as"],
        [{ sentences: { ".*": { en: "x" } } }, "viewer.sentences..*: must be an action such as"],
        [{ sentences: { "*.deleted": { en: "x" } } }, "viewer.sentences.*.deleted: must be an action"],
        [{ sentences: { "": { en: "x" } } }, 'viewer.sentences[""]: the action must have 1 to 256'],
        [{ sentences: { ["x".repeat(257)]: { en: "x" } } }, "the action must have 1 to 256 characters"],
        [{ sentences: many(201) }, "viewer.sentences: must have at most 200 actions"],
        [
          { sentences: { a: { en: "{b}" }, "*": { en: "" } } },
          "viewer.sentences.a.en: must have no other braces",
          "viewer.sentences.*: must be an action",
          "viewer.sentences.*.en: must have 1 to 200"
        ]
      ]
      for (const [viewer, ...messages] of cases) {
        const response = yield* patch(key, viewer)
        assert.strictEqual(response.status, 422, JSON.stringify(viewer))
        for (const message of messages)
          assert.include(response.json<{ message: string }>().message, message, JSON.stringify(viewer))
      }
      assert.deepStrictEqual((yield* settings(key)).json(), { data: { sentences: {} } })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("may be of two hundred actions, and of the longest sentences", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const longest = "\u{1F600}".repeat(200)
      for (const sentences of [many(200), { ["x".repeat(256)]: { en: longest, de: longest, ja: longest } }]) {
        const response = yield* patch(key, { sentences })
        assert.strictEqual(response.status, 200, response.text)
        assert.deepStrictEqual((yield* settings(key)).json(), { data: { sentences } })
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("may be of actions that are called as what every object has", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* patch(key, { sentences: SENTENCES })
      const names = ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"]
      for (const name of names) {
        const sentences = Object.fromEntries([[name, { en: "{actor}" }]])
        const response = yield* patch(key, { sentences })
        assert.strictEqual(response.status, 200, response.text)
        assert.deepStrictEqual((yield* settings(key)).json(), { data: { sentences } })
        yield* sequence
        const listed = yield* send({ path: "/api/v1/events?action=cairn.workspace.*&limit=1", key })
        assert.include(listed.text, `"to":{"sentences":${JSON.stringify(sentences)}}`)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is in the log from what to what, as far as an event holds it, and reading it is not", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant({ key_access_events: true })
      const told = Effect.gen(function* () {
        yield* sequence
        const listed = yield* send({ path: "/api/v1/events?action=cairn.workspace.*&limit=1", key })
        const [event] = listed.json<{ data: ReadonlyArray<{ metadata: { changed: Sentences } }> }>().data
        return event?.metadata.changed.viewer
      })
      yield* patch(key, { sentences: SENTENCES })
      assert.deepStrictEqual(yield* told, { from: null, to: { sentences: SENTENCES } })
      const shared = { "document.shared": { en: "{actor} shared {resource}" } }
      yield* patch(key, { sentences: { ...SENTENCES, ...shared } })
      const { "document.shared": before } = SENTENCES
      assert.deepStrictEqual(yield* told, {
        from: { sentences: { "document.shared": before } },
        to: { sentences: shared }
      })
      const long = (text: string) =>
        Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${index}`, { en: text.repeat(200) }]))
      yield* patch(key, { sentences: long("a") })
      yield* patch(key, { sentences: long("b") })
      const last = (yield* told) as {
        readonly to: { readonly sentences: Sentences }
        readonly omitted: number
      }
      const kept = Object.keys(last.to.sentences).length
      assert.isAbove(kept, 2)
      assert.strictEqual(kept + last.omitted, 200)
      for (let reads = 0; reads < 3; reads++) yield* settings(key)
      yield* sequence
      const reads = yield* send({ path: "/api/v1/events?action=cairn.access.settings", key })
      // Of the changes, which answer with the workspace as it is.
      assert.lengthOf(reads.json<{ data: ReadonlyArray<unknown> }>().data, 1)
    }).pipe(Effect.provide(testServer()))
  )
})
