/** What the build of the pages takes for granted of all that is built into them. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { parseSync } from "rolldown/utils"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The pages, the packages that they are built of, and the libraries in them. */
const SOURCES = [
  "packages/{ui,viewer,console,core,verifier}/src/**/*.{ts,tsx}",
  "packages/client/src/{session/*,Backoff,Deadline,Endpoints,Errors,Http,Redaction}.ts",
  "node_modules/@preact/signals*/dist/*.module.js",
  "node_modules/preact/dist/preact.mjs",
  "node_modules/preact/hooks/dist/hooks.mjs",
  "node_modules/preact-iso/src/*.js",
  "node_modules/@tanstack/query-core/build/modern/*.js",
  "node_modules/@noble/{ed25519,hashes}/*.js"
]

interface Node {
  readonly type?: string
  readonly start?: number
  readonly end?: number
  readonly expression?: Node
  readonly argument?: Node
  readonly expressions?: ReadonlyArray<Node>
}

/** Reads of a property whose value nobody uses, in a statement of its own. */
const bareReads = (code: string, file: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const look = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    const { type, expression } = node as Node
    if (type === "ExpressionStatement") {
      const read = expression?.type === "UnaryExpression" ? expression.argument : expression
      for (const part of read?.expressions ?? [read]) {
        if (part?.type === "MemberExpression") found.push(`${file}: ${code.slice(part.start, part.end)}`)
      }
    }
    for (const value of Object.values(node)) look(value)
  }
  look(parseSync(file, code).program.body)
  return found
}

describe("properties in what the pages are built of", () => {
  it("are not read for what reading them does, which the build leaves out", () => {
    assert.deepStrictEqual(bareReads("reader.pages.value; void (a.b, c()); d()", "x.js"), [
      "x.js: reader.pages.value"
    ])
    const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root }))
    assert.isAbove(files.length, 500)
    assert.deepStrictEqual(
      files.flatMap((file) => bareReads(readFileSync(join(root, file), "utf8"), file)),
      []
    )
  })
})
