import { assert, describe, it } from "@effect/vitest"
import { daysText, spanText } from "../../../src/page/pages/rules/RuleWords.ts"

describe("days of the week", () => {
  it.each([
    [[1, 2, 3, 4, 5], "en", "Mon–Fri"],
    [[5, 1, 3], "en", "Mon, Wed, Fri"],
    [[1, 2, 4, 5, 6, 7], "en", "Mon, Tue, Thu–Sun"],
    [[6, 7], "de", "Sa, So"],
    [[7], "ja", "日"]
  ] as const)("%s are in %s: %s", (days, locale, text) => {
    assert.strictEqual(daysText(days, locale), text)
  })
})

describe("a length of time in words", () => {
  it.each([
    [90, "en", "hour", "90 seconds"],
    [60, "en", "hour", "1 minute"],
    [86_400, "en", "hour", "24 hours"],
    [86_400, "en", "day", "1 day"],
    [0, "en", "day", "0 minutes"],
    [7_200, "de", "hour", "2 Stunden"],
    [7_200, "ja", "hour", "2 時間"]
  ] as const)("of %s s is in %s, up to the %s: %s", (seconds, locale, most, text) => {
    assert.strictEqual(spanText(seconds, locale, most), text)
  })
})
