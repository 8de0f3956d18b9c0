// Writes the table of docs/Doctor.md from the checks in packages/server/src/doctor/AllChecks.ts:
//
//   node --conditions=@cairn/source scripts/doctor-doc.mjs
import { readFileSync, writeFileSync } from "node:fs"
import { CHECKS } from "../packages/server/src/doctor/AllChecks.ts"
import { checksTable } from "../packages/server/src/doctor/DoctorText.ts"

const page = new URL("../docs/Doctor.md", import.meta.url)
const text = readFileSync(page, "utf8")
writeFileSync(
  page,
  text.replace(/^\| check \|.*\n(?:\|.*\n)+/m, () => `${checksTable(CHECKS)}\n`)
)
