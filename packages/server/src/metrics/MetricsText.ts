/** The families as `docs/Metrics.md` lists them. */
import type { MetricFamily } from "@cairn/core/log"
import { FAMILIES } from "./Families.ts"

/** A label and its values, or what they are. */
const labelText = ([name, values]: readonly [string, ReadonlyArray<string> | string]): string =>
  typeof values === "string"
    ? `\`${name}\`: ${values}`
    : `\`${name}\`: ${values.map((value) => `\`${value}\``).join(", ")}`

const row = ({ name, type, help, labels }: MetricFamily): string => {
  const listed = Object.entries(labels).map(labelText).join("; ")
  return `| \`${name}\` | ${type} | ${help} | ${listed} |`
}

/** The table of `docs/Metrics.md`. */
export const metricsTable = (): string =>
  ["| metric | type | meaning | labels |", "|---|---|---|---|", ...FAMILIES.map(row)].join("\n")
