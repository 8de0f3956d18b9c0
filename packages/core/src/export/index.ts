/** Exports of events, and the links to them. */

export { CSV_COLUMNS } from "./CsvColumns.ts"
export type { ExportFile } from "./ExportFile.ts"
export { ExportExpired, Exporting, ExportNotReady } from "./Exporting.ts"
export { checkLink, type LinkPurpose, LinkRefused, linkSubject, signLink } from "./ExportLink.ts"
export { ExportMaker } from "./ExportMaker.ts"
export { exportFileName } from "./ExportName.ts"
export {
  ExportFileMissing,
  ExportStore,
  type ExportStoreShape,
  ExportStoreUnavailable,
  type FileRange
} from "./ExportStore.ts"
export {
  type ClaimedExport,
  type ExportLimits,
  type ExportQuota,
  ExportQuotaReached,
  Exports,
  type NewExport,
  type SentExport,
  StoredExport,
  TooManyExports
} from "./Exports.ts"
export type { LinkHolder } from "./ExportView.ts"
export { SENT_FORMATS, SentExportRequest, SentExports, sentContentType } from "./SentExport.ts"
