/**
 * A process that brings databases up to date: for each line of its input, the path of one, it answers with a
 * line of JSON, how many migrations each file took.
 */
import { createInterface } from "node:readline"
import { MIGRATIONS, type MigratedFile, SqliteClient, siblingFile } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { migrate } from "../src/Migrations.ts"

const bringUpToDate = Effect.fnUntraced(function* (filename: string) {
  const counts: Array<number> = []
  for (const name of Object.keys(MIGRATIONS) as ReadonlyArray<MigratedFile>) {
    const file = name === "log" ? filename : siblingFile(filename, name)
    counts.push(yield* migrate(yield* SqliteClient.make({ filename: file }), name))
  }
  return counts
}, Effect.scoped)

console.log("ready")
for await (const filename of createInterface({ input: process.stdin })) {
  const counts = await Effect.runPromise(bringUpToDate(filename).pipe(Effect.provide(Reactivity.layer)))
  console.log(JSON.stringify(counts))
}
