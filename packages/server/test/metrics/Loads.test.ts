import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { FAMILIES } from "../../src/metrics/Families.ts"
import { LOADS } from "./Loads.ts"

const packages = fileURLToPath(new URL("../../../", import.meta.url))

/** The text of the tests of a family; what is in a comment counts as little as what is not there. */
const textOf = (family: string): string =>
  (LOADS[family]?.tests ?? [])
    .map((file) => readFileSync(`${packages}${file}`, "utf8").replace(/^\s*(\/\/|\*|\/\*\*).*$/gm, ""))
    .join("\n")

describe("each family of metrics", () => {
  it("is held against a load that causes it, by a test of the table", () => {
    const names = FAMILIES.map(({ name }) => name)
    assert.deepStrictEqual(Object.keys(LOADS).toSorted(), names.toSorted())
    for (const family of names) {
      const asked = new RegExp(
        `(?:meteredValue|reaches|scrapedValue|shown)\\([^)]*"${family}(?:_count|_sum|_bucket)?"`
      )
      assert.match(textOf(family), asked, `${family} is asked for by none of its tests`)
    }
  })

  it("is so with each value of its labels", () => {
    for (const { name, labels } of FAMILIES) {
      const text = textOf(name)
      const { except = {} } = LOADS[name] ?? {}
      for (const [label, values] of Object.entries(labels)) {
        if (typeof values === "string") continue
        const missing = values.filter((value) => !text.includes(`"${value}"`))
        assert.deepStrictEqual(missing, except[label] ?? [], `${name}: ${label}`)
      }
    }
  })
})
