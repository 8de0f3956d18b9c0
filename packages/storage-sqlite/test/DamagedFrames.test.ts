import { DatabaseSync } from "node:sqlite"
import { siblingFile } from "@cairn/storage-sqlite"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertExact, blobsOf, onDamaged, remove } from "./DamagedIndex.ts"

describe("an index of which a blob is damaged", { timeout: 240_000 }, () => {
  for (const [table, column] of [
    ["search_part", "cells"],
    ["search_frame", "signature"]
  ] as const)
    it.live(`answers exactly without ${column} of ${table}, also after a removal`, () =>
      onDamaged((filename, workspaceId) =>
        Effect.gen(function* () {
          const blobs = blobsOf(filename, table, column)
          for (const { id, blob } of blobs.all)
            blobs.write(id, blob.subarray(0, (blob.length >> 1) * (id % 2)))
          blobs.close()
          yield* assertExact(workspaceId, new Set(), "all are cut short")
          yield* remove(workspaceId, 1)
          yield* assertExact(workspaceId, new Set([1]), "one event is removed")
          const db = new DatabaseSync(siblingFile(filename, "search"))
          db.exec("DELETE FROM search_part WHERE part % 3 < 2")
          db.close()
          yield* assertExact(workspaceId, new Set([1]), "parts are missing")
          yield* remove(workspaceId, 11)
          yield* assertExact(workspaceId, new Set([1, 11]), "another event is removed")
        })
      )
    )
})
