/** Stray idempotency keys on SQLite: the keys are in the inbox's file, their events in the log's. */
import { STRAY_KEYS_A_LOOK, StrayKeys } from "@cairn/core"
import { findStrayKeys, inBatches, unavailable } from "@cairn/storage-sql"
import { Effect, Layer } from "effect"
import { SqliteFiles } from "./SqliteFiles.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** The look at them. */
export const layer = Layer.effect(
  StrayKeys,
  Effect.gen(function* () {
    const { log, inbox } = yield* SqliteFiles
    const numbers = yield* WorkspaceNumbers
    const find = Effect.fnUntraced(function* (workspaceId: string, after: string | null) {
      const workspace = numbers.number(workspaceId)
      if (workspace === undefined) return { stray: [], next: null }
      const keys = (from: string | null) => {
        const beyond = from === null ? inbox`true` : inbox`key > ${from}`
        return inbox`
          SELECT key, event_id, accepted_at FROM idempotency_key WHERE workspace = ${workspace} AND ${beyond}
          ORDER BY key LIMIT ${STRAY_KEYS_A_LOOK}`
      }
      const inLog = (ids: ReadonlyArray<string>) =>
        Effect.map(
          Effect.forEach(
            inBatches(ids),
            (batch) => log`SELECT id FROM event WHERE workspace = ${workspace} AND ${log.in("id", batch)}`
          ),
          (found) => found.flat()
        )
      const waiting = inbox`
        SELECT events FROM inbox WHERE workspace = ${workspace}
        UNION ALL SELECT events FROM parked WHERE workspace = ${workspace}`
      return yield* findStrayKeys({ keys, inLog, waiting }, after)
    }, unavailable("look for stray keys"))
    return StrayKeys.of({ find })
  })
)
