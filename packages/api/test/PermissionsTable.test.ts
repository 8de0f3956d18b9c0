import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { accessTable, permissionsTable } from "../src/PermissionsTable.ts"

const page = readFileSync(fileURLToPath(new URL("../../../docs/People.md", import.meta.url)), "utf8")

describe("docs/People.md", () => {
  it("has the table that the permission model gives", () => {
    const [table = ""] = /^\| permission \|.*\n(?:\|.*\n)+/m.exec(page) ?? []
    assert.strictEqual(table, `${permissionsTable()}\n`, "scripts/permissions-doc.mjs writes it")
  })

  it("has the table of what is recorded of reading", () => {
    const [table = ""] = /^\| action \|.*\n(?:\|.*\n)+/m.exec(page) ?? []
    assert.strictEqual(table, `${accessTable()}\n`, "scripts/permissions-doc.mjs writes it")
  })
})
