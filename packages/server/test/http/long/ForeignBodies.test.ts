/** What others have collected to break readers of JSON and of texts, as bodies of events. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, sequence, testServer } from "../TestServer.ts"

const EVENTS = "/api/v1/events"
const BATCH = "/api/v1/events/batch"

/** A naughty string with the event that has it in every field. */
interface SentString {
  readonly text: string
  /** Whether it is short enough for the fields of identifiers. */
  readonly identifier: boolean
  readonly id: string | null
}

const foreign = process.env.CAIRN_FOREIGN

describe.skipIf(foreign === undefined)("Foreign bodies (needs CAIRN_FOREIGN)", () => {
  const folder = join(foreign ?? "", "vectors", "json-parsing", "test_parsing")
  const files = foreign === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".json"))

  it.live("every n_ body of JSONTestSuite is 400, every y_ body 422, and none is 500", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.isAbove(files.length, 280)
      for (const path of [EVENTS, BATCH]) {
        for (const name of files) {
          const body = new Uint8Array(readFileSync(join(folder, name)))
          const { status } = yield* send({ path, key, body })
          if (name.startsWith("n_")) assert.strictEqual(status, 400, name)
          else if (name.startsWith("y_")) assert.strictEqual(status, 422, name)
          else assert.include([400, 422], status, name)
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("every y_ body of JSONTestSuite is metadata, except the two with a repeated key", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const refused: Array<string> = []
      const valid = files.filter((name) => name.startsWith("y_"))
      assert.isAbove(valid.length, 90)
      for (const name of valid) {
        const value = readFileSync(join(folder, name), "utf8")
        const body = `{"actor_id":"a","action":"b","metadata":{"value":${value}}}`
        const response = yield* send({ path: EVENTS, key, body })
        if (response.status === 202) continue
        assert.strictEqual(response.status, 422, name)
        assert.include(response.text, "metadata.value.a: is given more than once")
        refused.push(name)
      }
      assert.deepStrictEqual(refused, [
        "y_object_duplicated_key.json",
        "y_object_duplicated_key_and_value.json"
      ])
    }).pipe(Effect.provide(testServer()))
  )

  const strings: ReadonlyArray<string> =
    foreign === undefined
      ? []
      : JSON.parse(readFileSync(join(foreign, "vectors", "naughty-strings", "blns.json"), "utf8"))

  /** A string that was sent: its event has it in every field, and is what its session is found by. */
  const showsAndFinds = (key: string, { text, identifier, id }: SentString) =>
    Effect.gen(function* () {
      const shown = yield* send({ path: `${EVENTS}/${id}`, key })
      const event = shown.json<{
        actor: { name: string }
        metadata: Record<string, unknown>
        targets: Array<{ name: string }>
      }>()
      assert.strictEqual(event.actor.name, text)
      assert.strictEqual(event.targets[0]?.name, text)
      assert.deepStrictEqual(event.metadata, { [text]: text, list: [text] })
      if (!identifier) return
      const found = yield* send({ path: `${EVENTS}?session_id=${encodeURIComponent(text)}&limit=1`, key })
      const [first] = found.json<{ data: Array<{ id: string }> }>().data
      assert.strictEqual(first?.id, id ?? "", JSON.stringify(text))
    })

  it.live("every naughty string comes back byte for byte, from every field and as a filter", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.isAbove(strings.length, 500)
      const sent = yield* Effect.forEach(
        new Set(strings),
        (text) => {
          // Identifiers end at 256 characters; a few of the strings do not.
          const identifier = text.length <= 256
          const body = {
            actor_id: "a",
            actor_name: text,
            action: "a.b",
            ...(identifier ? { resource: text, session_id: text } : {}),
            metadata: { [text]: text, list: [text] },
            targets: [{ type: "t", name: text }]
          }
          return Effect.map(send({ path: EVENTS, key, body }), (response) => {
            assert.strictEqual(response.status, 202, JSON.stringify(text))
            return { text, identifier, id: response.json<{ id: string | null }>().id }
          })
        },
        { concurrency: 16 }
      )
      yield* sequence
      yield* Effect.forEach(sent, (one) => showsAndFinds(key, one), { concurrency: 16, discard: true })
    }).pipe(Effect.provide(testServer()))
  )
})
