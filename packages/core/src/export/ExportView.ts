/** An export as the interface returns it. */

import * as Micros from "../encoding/Micros.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { Export } from "../outbound/Export.ts"
import { signLink } from "./ExportLink.ts"
import type { StoredExport } from "./Exports.ts"

/** Where links lead, and the key that signs them. */
export interface ExportLinkOptions {
  /** The beginning of links, without a slash at the end. */
  readonly baseUrl: string
  /** Signs the links; anybody who has it can make one. */
  readonly linkKey: string | Uint8Array
}

/** The view of a stored export, with its signed link if there is a file. */
export const exportView =
  (sha256: Sha256Shape, { baseUrl, linkKey }: ExportLinkOptions) =>
  (stored: StoredExport): Export => {
    const { id, status, expires_at } = stored
    const completed = status === "completed"
    const query = signLink(sha256, linkKey, "export", id, expires_at)
    return {
      id,
      status,
      format: stored.format,
      filters: stored.filters,
      progress: stored.progress,
      total_rows: stored.total_rows,
      file_size: stored.file_size,
      download_url: completed ? `${baseUrl}/api/v1/exports/${id}/download?${query}` : null,
      created_at: Micros.format(stored.created_at),
      expires_at: completed ? Micros.format(expires_at) : null
    }
  }
