// Writes the tables of docs/People.md from the permission model in
// packages/core/src/workspace/Permissions.ts and the kinds of access in
// packages/core/src/access/AccessEvents.ts:
//
//   node --conditions=@cairn/source scripts/permissions-doc.mjs
import { readFileSync, writeFileSync } from "node:fs"
import { accessTable, permissionsTable } from "../packages/api/src/PermissionsTable.ts"

const page = new URL("../docs/People.md", import.meta.url)
const text = readFileSync(page, "utf8")
writeFileSync(
  page,
  text
    .replace(/^\| permission \|.*\n(?:\|.*\n)+/m, () => `${permissionsTable()}\n`)
    .replace(/^\| action \|.*\n(?:\|.*\n)+/m, () => `${accessTable()}\n`)
)
