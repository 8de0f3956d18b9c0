/** An export as the interface returns it. */

import * as Micros from "../encoding/Micros.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { Export } from "../outbound/Export.ts"
import { linkSubject, signLink } from "./ExportLink.ts"
import type { StoredExport } from "./Exports.ts"

/** Where links lead, and the key that signs them. */
export interface ExportLinkOptions {
  /** The beginning of links, without a slash at the end. */
  readonly baseUrl: string
  /** Signs the links; anybody who has it can make one. */
  readonly linkKey: string | Uint8Array
}

/** For whom a link is signed: it is good for no longer than that one may fetch exports. */
export interface LinkHolder {
  /** The id of a member or a key. */
  readonly id: string
  /** When the holder's access ends, as far as it is known; never unless set. */
  readonly until?: Micros.Micros
}

/**
 * The view of a stored export, with a signed link if there is a file: for the reader who asks or, where
 * `holder` is null, for the receiver of a message.
 */
export const exportView =
  (sha256: Sha256Shape, { baseUrl, linkKey }: ExportLinkOptions) =>
  (stored: StoredExport, holder: LinkHolder | null): Export => {
    const { id, status, expires_at } = stored
    const completed = status === "completed"
    const end = Math.min(expires_at, holder?.until ?? expires_at)
    const query = signLink(sha256, linkKey, "export", linkSubject(id, holder?.id ?? ""), end)
    const named = holder === null ? "" : `&for=${encodeURIComponent(holder.id)}`
    return {
      id,
      status,
      format: stored.format,
      filters: stored.filters,
      progress: stored.progress,
      total_rows: stored.total_rows,
      file_size: stored.file_size,
      download_url: completed ? `${baseUrl}/api/v1/exports/${id}/download?${query}${named}` : null,
      created_at: Micros.format(stored.created_at),
      expires_at: completed ? Micros.format(expires_at) : null
    }
  }
