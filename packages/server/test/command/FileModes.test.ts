import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { cairn, cairnJson, killLeftovers } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

it("nobody else may read a database, a backup and their folders", async () => {
  const database = join(folder, "data", "cairn.db")
  await cairnJson(["workspace", "create", "Acme"], { database })
  const { code, stderr } = await cairn(["backup", join(folder, "backup", "cairn.db")], { database })
  assert.strictEqual(code, 0, stderr)
  for (const name of ["data", "backup"]) {
    assert.strictEqual(statSync(join(folder, name)).mode & 0o777, 0o700, name)
    const files = readdirSync(join(folder, name))
    assert.isNotEmpty(files)
    for (const file of files) {
      assert.strictEqual(statSync(join(folder, name, file)).mode & 0o077, 0, `${name}/${file}`)
    }
  }
})
