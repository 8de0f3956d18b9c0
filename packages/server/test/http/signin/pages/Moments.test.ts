import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { markupOf } from "../../../../src/http/signin/pages/Html.ts"
import { durationIn, momentsIn } from "../../../../src/http/signin/pages/locale/Moments.ts"

describe("a time", () => {
  it.each([
    ["en", "Mar 4, 2026, 00:05 UTC"],
    ["de", "4. März 2026, 00:05 UTC"],
    ["ja", "2026年3月4日 00:05 UTC"]
  ] as const)("in %s is written in UTC, for readers and programs", (language, words) => {
    const markup = markupOf(momentsIn(language)(1_772_582_705_999_999))
    assert.match(markup, /^<time datetime="2026-03-04T00:05:05Z">/)
    assert.strictEqual(markup.replace(/<[^>]*>/g, ""), words)
  })
})

describe("a duration", () => {
  it.each([
    ["en", 15 * Micros.MINUTE, "15 minutes"],
    ["de", 15 * Micros.MINUTE, "15 Minuten"],
    ["ja", 15 * Micros.MINUTE, "15 分"],
    ["en", Micros.SECOND, "1 second"],
    ["en", 59.2 * Micros.SECOND, "60 seconds"],
    ["en", 2 * Micros.MINUTE, "2 minutes"],
    ["en", 2 * Micros.MINUTE + 1, "3 minutes"],
    ["de", 3 * 60 * Micros.MINUTE, "3 Stunden"],
    ["de", 7 * Micros.DAY, "7 Tage"]
  ] as const)("in %s, of %i microseconds, is %s", (language, duration, words) => {
    assert.strictEqual(durationIn(language, duration), words)
  })
})
