// Writes the table of docs/Metrics.md from the families in packages/server/src/metrics/Families.ts:
//
//   node --conditions=@cairn/source scripts/metrics-doc.mjs
import { readFileSync, writeFileSync } from "node:fs"
import { metricsTable } from "../packages/server/src/metrics/MetricsText.ts"

const page = new URL("../docs/Metrics.md", import.meta.url)
const text = readFileSync(page, "utf8")
writeFileSync(
  page,
  text.replace(/^\| metric \|.*\n(?:\|.*\n)+/m, () => `${metricsTable()}\n`)
)
