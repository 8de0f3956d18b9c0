/** The adapter over a database that is named as a server is told of it. */
import { PostgresStorage } from "@cairn/storage-postgres"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { type Layer, Redacted } from "effect"
import type { Ports } from "./LogDatabase.ts"

/** Rows fill databases faster than a sequencer empties inboxes. */
const inboxCapacity = Number.MAX_SAFE_INTEGER

/** Opens it, and makes it when it is not there. */
export const storageAt = ({
  CAIRN_DATABASE_URL: url = ""
}: Readonly<Record<string, string>>): Layer.Layer<Ports, unknown> =>
  url.startsWith("sqlite:")
    ? SqliteStorage.layer({ filename: url.slice("sqlite:".length), inboxCapacity })
    : PostgresStorage.layer({ url: Redacted.make(url), inboxCapacity })
