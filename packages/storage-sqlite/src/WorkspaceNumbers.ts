/** The short number of a workspace, which every row and index entry has instead of its id. */
import { Context, Effect, Layer } from "effect"
import { SqliteFiles } from "./SqliteFiles.ts"

/** Numbers never change, so each is looked up once. `undefined` if there is no such workspace. */
export class WorkspaceNumbers extends Context.Service<
  WorkspaceNumbers,
  {
    readonly number: (workspaceId: string) => number | undefined
    readonly id: (number: number) => string | undefined
  }
>()("@cairn/storage-sqlite/WorkspaceNumbers") {
  static readonly layer = Layer.effect(
    WorkspaceNumbers,
    Effect.gen(function* () {
      const { log } = yield* SqliteFiles
      const { prepare } = log.database
      const numbers = new Map<string, number>()
      const ids = new Map<number, string>()
      const learn = (row: Record<string, unknown> | undefined) => {
        if (row === undefined) return
        numbers.set(String(row.id), Number(row.number))
        ids.set(Number(row.number), String(row.id))
      }
      return WorkspaceNumbers.of({
        number: (workspaceId) => {
          if (!numbers.has(workspaceId))
            learn(prepare("SELECT number, id FROM workspace WHERE id = ?").get(workspaceId))
          return numbers.get(workspaceId)
        },
        id: (number) => {
          if (!ids.has(number))
            learn(prepare("SELECT number, id FROM workspace WHERE number = ?").get(number))
          return ids.get(number)
        }
      })
    })
  )
}
