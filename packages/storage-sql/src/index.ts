/**
 * What Cairn's SQL storage adapters share: rows, and the statements that both dialects understand.
 *
 * @packageDocumentation
 */
export * as ApiKeyRows from "./ApiKeyRows.ts"
export * from "./EventRows.ts"
export * from "./HeadRow.ts"
export * from "./InboxRows.ts"
export * from "./SearchMatch.ts"
export * from "./StorageFailure.ts"
export * from "./StoredRows.ts"
export * as TreeTileRows from "./TreeTileRows.ts"
export * as WorkspaceRows from "./WorkspaceRows.ts"
