/** What a start without a demo adds to its log about a demo that is in the database. */
import { Micros } from "@cairn/core/encoding"
import { ApiKeys } from "@cairn/core/workspace"
import { Effect } from "effect"
import { findDemo } from "../demo/DemoWorkspace.ts"

/**
 * Warns of the demo's keys that still work: anybody who has seen the start of a demo may have one with every
 * scope. Nobody waits for it, and a store that cannot be read now is reported elsewhere.
 */
export const warnOfDemo = Effect.gen(function* () {
  const demo = yield* findDemo
  if (demo === undefined) return
  const now = yield* Micros.now
  const keys = (yield* (yield* ApiKeys).list(demo.id)).filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || expires_at > now)
  )
  if (keys.length === 0) return
  yield* Effect.logWarning(
    `The database has the workspace of a demo, with API keys that work: cairn key list -w ${demo.id} shows them, and cairn key revoke ID ends one. Without a demo starts a database of its own (CAIRN_DATABASE_URL)`
  ).pipe(
    Effect.annotateLogs({
      workspaceId: demo.id,
      name: demo.name,
      keys: keys.map(({ id }) => id).join(" ")
    })
  )
}).pipe(Effect.ignore)
