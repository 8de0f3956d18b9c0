// Writes the table of docs/Configuration.md from the declarations in
// packages/server/src/settings/Settings.ts:
//
//   node --conditions=@cairn/source scripts/settings-doc.mjs
import { readFileSync, writeFileSync } from "node:fs"
import { settingsTable } from "../packages/server/src/settings/SettingsText.ts"

const page = new URL("../docs/Configuration.md", import.meta.url)
const text = readFileSync(page, "utf8")
writeFileSync(
  page,
  text.replace(/^\| variable \|.*\n(?:\|.*\n)+/m, () => `${settingsTable()}\n`)
)
