/** A release made to the end, short of what is published, in a repository of its own. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { shellEnvironment } from "@cairn/testing/OldestNode"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { root } from "./Tools.ts"

const MINUTE = 60_000
const execute = promisify(execFile)

const parser = <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema))
const decodeManifest = parser(
  Schema.Struct({
    name: Schema.String,
    version: Schema.String,
    private: Schema.optionalKey(Schema.Boolean),
    dependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })
)
const decodeBill = parser(
  Schema.Struct({
    bomFormat: Schema.Literal("CycloneDX"),
    specVersion: Schema.String,
    components: Schema.Array(Schema.Struct({ purl: Schema.String }))
  })
)

describe("a release", () => {
  let folder = ""
  let clone = ""
  const git = (...args: ReadonlyArray<string>) =>
    execute("git", ["-c", "user.name=Trial", "-c", "user.email=trial@example.com", ...args], { cwd: clone })
  const release = (...args: ReadonlyArray<string>) =>
    execute(process.execPath, ["scripts/release.mjs", ...args], {
      cwd: clone,
      env: shellEnvironment,
      timeout: 10 * MINUTE,
      maxBuffer: 1e8
    })
  /** What it says when it refuses. */
  const refusal = (...args: ReadonlyArray<string>): Promise<string> =>
    release(...args).then(
      () => "made",
      (error: unknown) => (error instanceof Error && "stderr" in error ? String(error.stderr) : String(error))
    )
  const read = (...path: ReadonlyArray<string>) => readFile(join(clone, ...path), "utf8")

  /** Fills a folder of the clone with links to what is in it here. */
  const linkAll = async (path: string, except: ReadonlyArray<string>) => {
    await mkdir(join(clone, path))
    for (const name of readdirSync(join(root, path)).filter((one) => !except.includes(one))) {
      await symlink(join(root, path, name), join(clone, path, name))
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cairn-release-"))
    clone = join(folder, "clone")
    const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    const { stdout } = await execute("git", listed, { cwd: root, maxBuffer: 1e8 })
    const files = stdout.split("\0").filter((file) => file !== "" && existsSync(join(root, file)))
    for (const file of files) await cp(join(root, file), join(clone, file))
    await git("init", "--quiet")
    await git("add", "--all")
    await git("commit", "--quiet", "--message", "What is released")
    // The dependencies that are here, and the clone's own packages.
    await linkAll("node_modules", ["@cairn", ".cache"])
    await mkdir(join(clone, "node_modules/@cairn"))
    for (const name of readdirSync(join(root, "packages"))) {
      await symlink(join("../../packages", name), join(clone, "node_modules/@cairn", name))
      const own = join("packages", name, "node_modules")
      if (existsSync(join(root, own))) await linkAll(own, [".cache", ".vite"])
    }
  }, MINUTE)

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("is refused before it has changed anything: into a full folder, or of what is not committed", async () => {
    assert.include(await refusal(), "name the folder")
    assert.include(await refusal(join(clone, "docs")), "is not empty")
    await writeFile(join(clone, "README.md"), "changed")
    assert.include(await refusal(join(folder, "out")), "README.md")
    await git("checkout", "--quiet", "README.md")
    assert.strictEqual((await git("status", "--porcelain")).stdout, "")
  })

  it(
    "has versions, change logs, tarballs, a bill of materials and checksums",
    async () => {
      const out = join(folder, "out")
      const before = decodeManifest(await read("packages/server/package.json")).version
      const { stdout } = await release(out)
      const manifests = await Promise.all(
        readdirSync(join(clone, "packages")).map(async (name) =>
          decodeManifest(await read("packages", name, "package.json"))
        )
      )
      const published = manifests.filter((manifest) => manifest.private !== true)
      const { version } = decodeManifest(await read("packages/server/package.json"))
      assert.notStrictEqual(version, before)
      assert.isTrue(published.every((one) => one.version === version))
      assert.include(await read("ops/helm/cairn/Chart.yaml"), `appVersion: ${version}`)
      assert.deepStrictEqual(
        readdirSync(join(clone, ".changeset")).filter((name) => name.endsWith(".md")),
        []
      )
      assert.include(await read("packages/server/CHANGELOG.md"), `\n## ${version}\n\n### Minor Changes\n\n- `)
      // What the lock file says is what the manifests say.
      await execute("npm", ["ci", "--dry-run", "--offline", "--ignore-scripts"], {
        cwd: clone,
        env: shellEnvironment
      })

      const tarballs = published.map(
        ({ name }) => `${name.replace("@", "").replace("/", "-")}-${version}.tgz`
      )
      const made = [...tarballs, `cairn-${version}.cdx.json`]
      assert.sameMembers(readdirSync(out), [...made, "SHA256SUMS"])
      const sums = (await readFile(join(out, "SHA256SUMS"), "utf8")).trimEnd().split("\n")
      for (const name of made) {
        const hash = createHash("sha256")
          .update(await readFile(join(out, name)))
          .digest("hex")
        assert.include(sums, `${hash}  ${name}`)
      }
      for (const name of tarballs) assert.include(stdout, `${dirname(join(out, name))}/*.tgz`)

      const { components } = decodeBill(await readFile(join(out, `cairn-${version}.cdx.json`), "utf8"))
      const purls = components.map(({ purl }) => decodeURIComponent(purl).replace(/@[^@]+$/, ""))
      const named = published.flatMap(({ name, dependencies }) => [name, ...Object.keys(dependencies ?? {})])
      assert.includeMembers(
        purls,
        [...new Set(named)].map((name) => `pkg:npm/${name}`)
      )
      // What is built into the pages is shipped too; what they are built with is not.
      assert.includeMembers(purls, ["pkg:npm/preact", "pkg:npm/@noble/ed25519"])
      for (const tool of ["vite", "vitest", "typescript", "rolldown"]) {
        assert.notInclude(purls, `pkg:npm/${tool}`)
      }
      assert.include(await refusal(join(folder, "again")), "commit or remove")
    },
    10 * MINUTE
  )
})
