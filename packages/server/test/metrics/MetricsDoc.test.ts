import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { FAMILIES } from "../../src/metrics/Families.ts"
import { metricsTable } from "../../src/metrics/MetricsText.ts"

const page = readFileSync(fileURLToPath(new URL("../../../../docs/Metrics.md", import.meta.url)), "utf8")

/** Units that a name ends with, and what they belong to. */
const UNITS = { seconds: /_seconds(?:_total)?$/, bytes: /_bytes$/ }

describe("the families of metrics", () => {
  it("are those of docs/Metrics.md", () => {
    const table = /^\| metric \|.*\n(?:\|.*\n)+/m.exec(page)?.[0]
    assert.strictEqual(table, `${metricsTable()}\n`, "scripts/metrics-doc.mjs writes it")
  })

  it("are at least 25 of the service's own, each with a name of its own", () => {
    const names = FAMILIES.map(({ name }) => name)
    assert.isAtLeast(names.filter((name) => name.startsWith("cairn_")).length, 25)
    assert.strictEqual(new Set(names).size, names.length)
    for (const name of names) assert.match(name, /^(?:cairn|process)_[a-z]+(?:_[a-z]+)*$/)
  })

  it("are named after their units and types", () => {
    for (const { name, type, unit, help, bounds } of FAMILIES) {
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
      for (const [known, pattern] of Object.entries(UNITS))
        assert.strictEqual(pattern.test(name), unit === known, name)
      assert.strictEqual(bounds !== undefined, type === "histogram", name)
      assert.deepStrictEqual(
        bounds,
        bounds === undefined ? undefined : [...bounds].sort((one, other) => one - other),
        name
      )
      assert.match(help, /^[A-Z].*[^.]$/s, name)
      assert.notInclude(help, "|", name)
    }
  })
})
