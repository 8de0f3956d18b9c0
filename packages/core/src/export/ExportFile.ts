/** The name and the contents of an export's file. */

import type { ExportFormat } from "../outbound/Export.ts"
import { csvLines } from "./CsvColumns.ts"
import { EXTENSIONS } from "./ExportName.ts"
import type { StoredExport } from "./Exports.ts"
import { type LineFormat, ndjsonLines } from "./LineFormat.ts"

/** The formats that consist of single events. */
export const LINE_FORMATS = { csv: csvLines, ndjson: ndjsonLines } as const

const lineFormats: Partial<Record<ExportFormat, LineFormat>> = LINE_FORMATS

/** How a format writes an event; `undefined` for the bundle, which is more than its events. */
export const lineFormatOf = (format: ExportFormat): LineFormat | undefined => lineFormats[format]

/** Of a bundle, as `cairn evidence` writes it. */
const BUNDLE_TYPE = "application/gzip"

/** The file of one attempt at an export, as it is stored. */
export interface StoredFile {
  readonly workspaceId: string
  /** Its name in the `ExportStore`; every attempt has its own. */
  readonly name: string
  readonly contentType: string
  /** Bytes; null until it is complete. */
  readonly size: number | null
}

/** A file to be fetched. */
export interface ExportFile extends StoredFile {
  /** The name of the downloaded file. */
  readonly filename: string
}

/** The file of an attempt; by default, of the last one. */
export const storedFile = (
  { workspace_id, id, attempts, format, file_size }: StoredExport,
  attempt = attempts
): StoredFile => ({
  workspaceId: workspace_id,
  name: `${workspace_id}/${id}.${attempt}.${EXTENSIONS[format]}`,
  contentType: lineFormatOf(format)?.contentType ?? BUNDLE_TYPE,
  size: file_size
})
