/** The newest rows of a page, limited in number and in size. */

import type { SQLInputValue } from "node:sqlite"
import { upToEnough } from "@cairn/core/log"
import { ENTRY_COLUMNS, type ReadNewest } from "@cairn/storage-sql"
import type { SqliteClient } from "./SqliteClient.ts"

/** Characters of a row's content, if it has one. */
export const contentLength = (content: unknown): number => (typeof content === "string" ? content.length : 0)

/** Reads one row after the other and stops: later rows are not read at all. */
export const newestRows =
  (client: SqliteClient): ReadNewest =>
  (conditions, { limit, enough }) => {
    const statement = client`
      SELECT ${client.literal(ENTRY_COLUMNS)} FROM event e WHERE ${conditions}
      ORDER BY e.sequence DESC LIMIT ${limit}`
    const [text, params] = statement.compile()
    return client.use("read the newest events", ({ prepare }) =>
      upToEnough(
        // The dialect's compiler only allows what SQLite can bind.
        prepare(text).iterate(...(params as ReadonlyArray<SQLInputValue>)),
        ({ content }) => contentLength(content),
        enough
      )
    )
  }
