/** Stray idempotency keys on SQLite: the keys are in the inbox's file, their events in the log's. */
import { STRAY_KEYS_A_LOOK, StrayKeys } from "@cairn/core/log"
import {
  eventIdBytes,
  findStrayKeys,
  keyHash,
  keyRowOf,
  type StrayKeyPlace,
  strayAmong,
  unavailable
} from "@cairn/storage-sql"
import { Effect, Layer } from "effect"
import { hasTextKeys } from "./IdempotencyKeys.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"
import { SqliteFiles } from "./SqliteFiles.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** Before the key from which a look goes on that is still at those of an earlier version. */
const TEXT = "text "

/** The next keys of an earlier version; undefined if there are none. */
const readTextKeys = (inbox: SqliteDatabase, workspace: number, after: string) => {
  if (!hasTextKeys(inbox)) return undefined
  const rows = inbox
    .prepare(
      "SELECT key, event_id, accepted_at FROM idempotency_key_text WHERE workspace = ? AND key > ? ORDER BY key LIMIT ?"
    )
    .all(workspace, after, STRAY_KEYS_A_LOOK)
  const last = rows.at(-1)
  if (last === undefined) return undefined
  const keys = rows.map(({ key, event_id, accepted_at }) =>
    keyRowOf(keyHash(String(key)), eventIdBytes(String(event_id)), Number(accepted_at))
  )
  return { keys, next: TEXT + String(last.key) }
}

/**
 * First the keys of an earlier version, as long as there are any: one that is moved meanwhile is then found
 * at its new place, perhaps for the second time.
 */
const find = Effect.fnUntraced(function* (
  { inbox, ...place }: StrayKeyPlace & { readonly inbox: SqliteFiles["Service"]["inbox"] },
  after: string | null
) {
  if (after === null || after.startsWith(TEXT)) {
    const text = yield* inbox.use("read idempotency keys", (database) =>
      readTextKeys(database, place.workspace, after?.slice(TEXT.length) ?? "")
    )
    if (text !== undefined)
      return { stray: yield* strayAmong({ inbox, ...place }, text.keys), next: text.next }
  }
  return yield* findStrayKeys({ inbox, ...place }, after === null || after.startsWith(TEXT) ? "" : after)
})

/** The search for stray keys. */
export const layer = Layer.effect(
  StrayKeys,
  Effect.gen(function* () {
    const { log, inbox } = yield* SqliteFiles
    const numbers = yield* WorkspaceNumbers
    return StrayKeys.of({
      find: (workspaceId, after) => {
        const workspace = numbers.number(workspaceId)
        return workspace === undefined
          ? Effect.succeed({ stray: [], next: null })
          : find({ inbox, log, workspace }, after).pipe(unavailable("look for stray keys"))
      }
    })
  })
)
