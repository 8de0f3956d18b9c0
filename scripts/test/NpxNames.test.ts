/**
 * `npx NAME` runs whatever package has that name in the registry. A name that nobody holds can be registered
 * by anybody, whose program the reader of a page would then run: so only packages are named that are ours, or
 * that the repository depends on.
 */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const root = fileURLToPath(new URL("../..", import.meta.url))

const Manifest = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.String,
    bin: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    devDependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })
)
const manifestOf = (file: string) =>
  Schema.decodeUnknownSync(Manifest)(readFileSync(join(root, file), "utf8"))

const own = globSync("packages/*/package.json", { cwd: root }).map(manifestOf)
/** What a reader may be told to run: of several commands `npx` would not know which. */
const runnable = own.filter(({ bin }) => Object.keys(bin ?? {}).length === 1).map(({ name }) => name)
const allowed = new Set([...runnable, ...Object.keys(manifestOf("package.json").devDependencies ?? {})])

/** A call, its options, and the first word that is none. */
const CALL = /\b(?:npx|npm exec|npm x|pnpm dlx|yarn dlx|bunx)((?:\s+-\S+)*)\s+(?!-)([^\s`'",;:)<>]+)/g

/** The packages that a text tells to run. */
const namedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(CALL)].map(([, , name = ""]) => name.replace(/(?<=.)@.*$/, ""))

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 1e8
})
  .split("\0")
  .filter((file) => /\.(?:[cm]?[jt]sx?|md|json|ya?ml|html|py|go|rb|java|cs|php|sh)$/.test(file))
  // This file has calls that are wrong; a lock file has none.
  .filter((file) => !/NpxNames\.test\.ts$|package-lock\.json$/.test(file))

describe("`npx` is printed", () => {
  it("with a package of ours or of the repository alone, in any file", () => {
    const wrong = files.flatMap((file) =>
      namedIn(readFileSync(join(root, file), "utf8"))
        .filter((name) => !allowed.has(name))
        .map((name) => `${file}: npx ${name}`)
    )
    assert.deepStrictEqual(wrong, [])
    assert.include(runnable, "@cairn/verifier")
    const found = files.filter((file) => namedIn(readFileSync(join(root, file), "utf8")).length > 0)
    assert.includeMembers(found, ["README.md", "packages/verifier/README.md"])
  })

  it("in forms that this test knows", () => {
    for (const [text, name] of [
      ["npx cairn-verify bundle.gz", "cairn-verify"],
      ["`npx -y cairn`", "cairn"],
      ["npx --yes --package @cairn/verifier cairn-verify x", "@cairn/verifier"],
      ["npx @cairn/verifier@1.2.3 bundle.gz", "@cairn/verifier"],
      ["npm exec cairn", "cairn"]
    ] as const) {
      assert.deepStrictEqual(namedIn(text), [name])
    }
  })
})
