/** The short number of a workspace, which every row and index entry has instead of its id. */
import { StorageUnavailable } from "@cairn/core/log"
import { unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { Places } from "./Places.ts"
import { SeenHeads } from "./SeenHeads.ts"

/** Numbers change only if a log was lost, so each is looked up once until such a loss is accepted. */
export class WorkspaceNumbers extends Context.Service<
  WorkspaceNumbers,
  {
    /**
     * Fails if there is no such workspace: the caller has already authorised a request for it. Fails also
     * while its machine is known to be away, and so does `find`.
     */
    readonly number: (workspaceId: string) => Effect.Effect<number, StorageUnavailable>
    /** Undefined if there is no such workspace. */
    readonly find: (workspaceId: string) => Effect.Effect<number | undefined, StorageUnavailable>
    /** The existing ids for these numbers. */
    readonly ids: (numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  }
>()("@cairn/storage-postgres/WorkspaceNumbers") {
  static readonly layer = Layer.effect(
    WorkspaceNumbers,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const numbers = new Map<string, number>()
      const ids = new Map<number, string>()
      const seen = yield* SeenHeads
      const places = yield* Places
      let accepted = seen.accepted()

      /** A restored copy that lacks a workspace may give its number to another one. */
      const forgetLost = () => {
        if (seen.accepted() === accepted) return
        accepted = seen.accepted()
        numbers.clear()
        ids.clear()
      }

      const lookUp = Effect.fnUntraced(function* (workspaceId: string) {
        forgetLost()
        const known = numbers.get(workspaceId)
        if (known !== undefined) return known
        const [row] = yield* sql<{ readonly number: number }>`
          SELECT number FROM workspace WHERE id = ${workspaceId}`.pipe(unavailable("find a workspace"))
        if (row === undefined) return undefined
        numbers.set(workspaceId, row.number)
        ids.set(row.number, workspaceId)
        return row.number
      })

      /** What is asked of a machine that answers nothing would keep a connection. */
      const find = (workspaceId: string) =>
        Effect.tap(lookUp(workspaceId), (found) =>
          found === undefined ? Effect.void : places.admitTo(found)
        )

      const number = Effect.fnUntraced(function* (workspaceId: string) {
        const found = yield* find(workspaceId)
        if (found !== undefined) return found
        const cause = new Error(`there is no workspace ${workspaceId}`)
        return yield* new StorageUnavailable({ operation: "find a workspace", cause })
      })

      const idOf = Effect.fnUntraced(function* (wanted: number) {
        forgetLost()
        const known = ids.get(wanted)
        if (known !== undefined) return [known]
        const rows = yield* sql<{ readonly id: string }>`SELECT id FROM workspace WHERE number = ${wanted}`
        for (const { id } of rows) ids.set(wanted, id)
        return rows.map(({ id }) => id)
      }, unavailable("find a workspace"))

      return WorkspaceNumbers.of({
        number,
        find,
        ids: (wanted) => Effect.map(Effect.forEach(wanted, idOf), (found) => found.flat())
      })
    })
  )
}
