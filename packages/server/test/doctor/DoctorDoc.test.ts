import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { CHECKS } from "../../src/doctor/AllChecks.ts"
import { checksTable } from "../../src/doctor/DoctorText.ts"
import { SETTINGS } from "../../src/settings/Settings.ts"

const page = readFileSync(fileURLToPath(new URL("../../../../docs/Doctor.md", import.meta.url)), "utf8")

describe("the checks of the doctor", () => {
  it("are those of docs/Doctor.md", () => {
    const table = /^\| check \|.*\n(?:\|.*\n)+/m.exec(page)?.[0]
    assert.strictEqual(table, `${checksTable(CHECKS)}\n`, "scripts/doctor-doc.mjs writes it")
  })

  it("have ids that tell them apart, on each database", () => {
    for (const kind of ["sqlite", "postgres"] as const) {
      const ids = CHECKS.filter(({ database = kind }) => database === kind).map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const id of ids) assert.match(id, /^[a-z]+(?:-[a-z]+)*$/)
    }
  })

  it("rely on variables that there are, and are told in a row of a table", () => {
    const names = Object.values(SETTINGS).map(({ name }) => name)
    for (const { needs, looks, title } of CHECKS) {
      for (const name of needs) assert.include(names, name)
      assert.notInclude(looks, "|")
      assert.match(title, /^[A-Z]/)
    }
  })
})
