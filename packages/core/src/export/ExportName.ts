/** The name under which an export's file is downloaded. */
import * as Micros from "../encoding/Micros.ts"
import type { ExportFilters, ExportFormat } from "../outbound/Export.ts"

/** Most characters of a workspace's name. */
const MOST = 40

/** What the name of a file ends with, after the dot. */
export const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  csv: "csv",
  ndjson: "ndjson",
  evidence: "cairn"
}

/** Letters that are no letter with a mark. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i"
}

/** The workspace's name in what every file system and shell takes as it stands; its id if nothing is left. */
const plainName = ({ id, name }: { readonly id: string; readonly name: string }): string => {
  const letters = name
    .slice(0, 5 * MOST)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => FOLDED[letter] ?? "")
  const words = letters.split(/[^a-z0-9]+/).filter((word) => word !== "")
  return words.join("-").slice(0, MOST).replace(/-$/, "") || id
}

/** Characters of an export's id: enough to tell apart what a workspace exports of one period. */
const OF_ID = 8

/** The day of a time, in UTC. */
const dayOf = (time: Micros.Micros): string => Micros.format(time).slice(0, "2026-01-31".length)

/**
 * Such as `cairn-acme-evidence-2026-11-17--2026-11-24-1a2b3c4d.cairn`: the workspace, what the file holds,
 * its period, and how the export's id begins, so that no two have one name. `until-2026-11-24` is a period
 * without a beginning; one that begins after its end is left out. It ends at the latest when it was asked
 * for.
 */
export const exportFileName = (
  workspace: { readonly id: string; readonly name: string },
  {
    id,
    format,
    filters,
    createdAt
  }: {
    readonly id: string
    readonly format: ExportFormat
    readonly filters: Pick<ExportFilters, "from" | "to">
    readonly createdAt: Micros.Micros
  }
): string => {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : Micros.parse(text))
  const from = timeOf(filters.from)
  const to = Math.min(timeOf(filters.to) ?? createdAt, createdAt)
  const kind = format === "evidence" ? "evidence" : "events"
  const period =
    from === undefined ? [`until-${dayOf(to)}`] : from <= to ? [`${dayOf(from)}--${dayOf(to)}`] : []
  const mark = id.replace(/^exp_|[^a-z0-9]/gi, "").slice(0, OF_ID)
  return `${["cairn", plainName(workspace), kind, ...period, mark].join("-")}.${EXTENSIONS[format]}`
}
