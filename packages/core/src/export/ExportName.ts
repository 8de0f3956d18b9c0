/** What the file of an export is called for whoever downloads it. */
import * as Micros from "../encoding/Micros.ts"
import type { ExportFilters, ExportFormat } from "../outbound/Export.ts"

/** Most characters of a workspace's name. */
const MOST = 40

/** What the file holds, and what its name ends with. */
const KINDS: Readonly<Record<ExportFormat, readonly [kind: string, extension: string]>> = {
  csv: ["events", "csv"],
  ndjson: ["events", "ndjson"],
  evidence: ["evidence", "cairn"]
}

/** The workspace's name in what every file system and shell takes as it stands; its id if nothing is left. */
const plainName = ({ id, name }: { readonly id: string; readonly name: string }): string => {
  const letters = name
    .slice(0, 5 * MOST)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
  const words = letters.split(/[^a-z0-9]+/).filter((word) => word !== "")
  return words.join("-").slice(0, MOST).replace(/-$/, "") || id
}

/** The day of a time, in UTC. */
const dayOf = (time: Micros.Micros): string => Micros.format(time).slice(0, "2026-01-31".length)

/**
 * Such as `cairn-acme-evidence-2026-11-17--2026-11-24.cairn`: the workspace, what the file holds, and its
 * period; `until-2026-11-24` where that has no beginning. A period ends at the latest when it was asked for.
 */
export const exportFileName = (
  workspace: { readonly id: string; readonly name: string },
  {
    format,
    filters,
    createdAt
  }: {
    readonly format: ExportFormat
    readonly filters: Pick<ExportFilters, "from" | "to">
    readonly createdAt: Micros.Micros
  }
): string => {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : Micros.parse(text))
  const from = timeOf(filters.from)
  const to = dayOf(Math.min(timeOf(filters.to) ?? createdAt, createdAt))
  const [kind, extension] = KINDS[format]
  const period = from === undefined ? `until-${to}` : `${dayOf(from)}--${to}`
  return `cairn-${plainName(workspace)}-${kind}-${period}.${extension}`
}
