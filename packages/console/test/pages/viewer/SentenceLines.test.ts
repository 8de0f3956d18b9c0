import { assert, describe, it } from "@effect/vitest"
import { linesOf, readLines, sentenceFaults } from "../../../src/page/pages/viewer/SentenceLines.ts"

describe("the workspace's own sentences, as a form holds them", () => {
  it("are the same setting after a way there and back", () => {
    const sentences = {
      "document.*": { en: "{actor} en: {resource}", de: "{actor} hat {resource} geändert" },
      "an action": { ja: "{actor}: {tenant}" }
    }
    for (const settings of [null, { sentences }]) {
      assert.deepStrictEqual(readLines(linesOf(settings)), { settings, wrong: [] })
    }
    assert.strictEqual(linesOf({ sentences: {} }), "")
  })

  it("leave out empty lines and spaces", () => {
    const { settings, wrong } = readLines("\n  a.b   en:   {actor}  \r\n\t\n")
    assert.deepStrictEqual(settings, { sentences: { "a.b": { en: "{actor}" } } })
    assert.deepStrictEqual(wrong, [])
  })

  it("say which line is none, or a second one", () => {
    const lines = ["a.b en: one", "a.b en: two", "a.b fr: trois", "en: no action", "a.b de: drei", "a.b en:"]
    const { settings, wrong } = readLines(lines.join("\n"))
    assert.deepStrictEqual(wrong, ["a.b en: two", "a.b fr: trois", "en: no action", "a.b en:"])
    assert.deepStrictEqual(settings, { sentences: { "a.b": { en: "one", de: "drei" } } })
  })

  it("say what the service finds wrong, by action and language", () => {
    const fields = {
      "viewer.sentences.a.b.en": "must have no other braces",
      "viewer.sentences": "must have at most 200 actions",
      viewer_frame_ancestors: "too many"
    }
    assert.strictEqual(
      sentenceFaults(fields),
      "a.b.en: must have no other braces; must have at most 200 actions"
    )
    assert.isUndefined(sentenceFaults({ viewer_frame_ancestors: "too many" }))
  })
})
