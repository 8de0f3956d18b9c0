import { mkdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  FILE_NAMES,
  filesOf,
  MIGRATIONS,
  openReadOnly,
  SqliteClient,
  schemaDifference
} from "@cairn/storage-sqlite"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { migrate } from "../src/Migrations.ts"

const folder = quickFolder("cairn-schema-difference-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What makes a trigger of the log anew, as a newer program may. */
const ANEW = `DROP TRIGGER event_is_never_deleted;
  CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'no'); END`

for (const name of FILE_NAMES) {
  const all = MIGRATIONS[name]
  for (const migrations of [
    all.slice(0, -1),
    all,
    [...all, name === "log" ? ANEW : "CREATE TABLE newer (a)"]
  ]) {
    it.effect(
      `nothing is missing or altered in the file of the ${name} at migration ${migrations.length}`,
      () =>
        Effect.gen(function* () {
          const filename = filesOf(join(folder, `${name}${migrations.length}`, "cairn.db"))[name]
          mkdirSync(dirname(filename), { recursive: true })
          yield* Effect.scoped(
            Effect.flatMap(SqliteClient.make({ filename }), (client) => migrate(client, name, migrations))
          )
          const found = schemaDifference(name, yield* openReadOnly(filename))
          assert.deepStrictEqual(found, { missing: [], altered: [] })
        }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
    )
  }
}
