/** What an export's file is called, and what is in it. */

import type { ExportFormat } from "../outbound/Export.ts"
import { csvTable } from "./CsvColumns.ts"
import { type EventTable, ndjsonTable } from "./EventTable.ts"
import type { StoredExport } from "./Exports.ts"

/** The formats that are made of single events. */
const TABLES: Partial<Record<ExportFormat, EventTable>> = { csv: csvTable, ndjson: ndjsonTable }

/** The table of a format; `undefined` for the bundle, which is no table. */
export const tableOf = (format: ExportFormat): EventTable | undefined => TABLES[format]

/** A bundle, as `cairn evidence` writes it. */
const BUNDLE = { extension: "cairn", contentType: "application/gzip" }

/** The file of one attempt at an export. */
export interface ExportFile {
  /** In the `ExportStore`; no two attempts share one. */
  readonly name: string
  readonly filename: string
  readonly contentType: string
}

/** The file of an attempt, which is the last one unless given. */
export const exportFile = (
  { workspace_id, id, attempts, format }: StoredExport,
  attempt = attempts
): ExportFile => {
  const { extension, contentType } = TABLES[format] ?? BUNDLE
  return {
    name: `${workspace_id}/${id}.${attempt}.${extension}`,
    filename: `${id}.${extension}`,
    contentType
  }
}
