import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeBackup } from "../../src/backup/BackupMaking.ts"
import { backupSettings } from "../../src/command/BackupCommand.ts"
import { checkStaged, stageChosen } from "../../src/command/RestoreStage.ts"
import { layerExportStore } from "../../src/layers/ExportStore.ts"
import { readConfiguration } from "../../src/settings/Configuration.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()

describe("a backup of the store that is restored", () => {
  it("ends where its manifest says", async () => {
    const filename = join(folder, "cairn.db")
    const { workspaceId } = await seedTenant(filename)
    const store = join(folder, "store")
    const settings = await Effect.runPromise(
      readConfiguration({ CAIRN_DATABASE_URL: `sqlite:${filename}`, CAIRN_BACKUP_STORE: store })
    )
    const backup = await Effect.runPromise(backupSettings(settings))
    const made = await Effect.runPromise(
      makeBackup(settings, backup, null).pipe(Effect.provide(layerExportStore(backup.store)))
    )
    const name = made?.name ?? ""
    const place = join(folder, "restored")
    mkdirSync(place)
    const check = Effect.gen(function* () {
      const chosen = yield* stageChosen(settings, name, join(place, "cairn.db"), yield* Micros.now)
      return yield* checkStaged(settings, chosen)
    }).pipe(Effect.scoped)
    assert.lengthOf((await Effect.runPromise(check)).chains, 1)

    // Nothing of the database is in what this one lists, and nothing has been found of it yet.
    const manifest = join(store, "backups", `${name}.manifest.json`)
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), files: [] }))
    rmSync(join(store, "backups", `${name}.verdict.json`))
    const refused = await Effect.runPromise(Effect.flip(check))
    assert.include(String(refused.message), `the log of ${workspaceId} does not end where it did`)
  })
})
