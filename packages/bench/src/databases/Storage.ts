/** The adapter over a database that is named as for a server. */

import type { StoragePorts } from "@cairn/core/storage-ports"
import { PostgresStorage } from "@cairn/storage-postgres"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { type Layer, Redacted } from "effect"

/** Rows fill databases faster than a sequencer empties inboxes. */
const inboxCapacity = Number.MAX_SAFE_INTEGER

/** Opens it, and makes it when it is not there. */
export const storageAt = ({
  CAIRN_DATABASE_URL: url = ""
}: Readonly<Record<string, string>>): Layer.Layer<StoragePorts, unknown> => {
  switch (new URL(url).protocol) {
    case "sqlite:":
      return SqliteStorage.layer({ filename: url.slice("sqlite:".length), inboxCapacity })
    case "postgres:":
    case "postgresql:":
      return PostgresStorage.layer({ url: Redacted.make(url), inboxCapacity })
    default:
      throw new Error("CAIRN_DATABASE_URL: neither sqlite: nor postgres:")
  }
}
