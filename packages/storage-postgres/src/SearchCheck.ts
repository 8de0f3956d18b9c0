/** Whether the search index has the words of the events of each log, see `FrameCheck`. */
import { checkFrames, frameRows } from "@cairn/storage-sql"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** Checks the index in one snapshot. */
export const checkSearch = (sql: PgClient.PgClient) =>
  Effect.map(checkFrames({ log: sql, store: frameRows(sql), looks: 1 }), ({ damages, events }) => ({
    damages: damages.map((what) => ({ where: "the search index", what })),
    checked: [`the words and values of ${events} events in the search index`],
    not_checked: []
  }))
