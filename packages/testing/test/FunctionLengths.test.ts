/**
 * How long functions are, counted plainly: from the line a function begins on to the one it ends on. The
 * linter's own rule leaves out blank lines and what it does not take for statements.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { type ESTree, parseSync, Visitor } from "rolldown/utils"
import { sourceFiles } from "./SourceRegExps.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Most lines of a function. */
const MOST = 80

/** What declares tests: in the contracts of ports, `test` is a test over a storage. */
const DECLARES_TESTS: ReadonlySet<string> = new Set(["describe", "it", "storageTest", "test"])

interface Span {
  readonly start: number
  readonly end: number
}

/** What a call calls first: `it` of `it.effect.skipIf(…)("…", …)`. */
const called = (node: ESTree.Node): string | undefined => {
  if (node.type === "CallExpression") return called(node.callee)
  if (node.type === "MemberExpression") return called(node.object)
  return node.type === "Identifier" ? node.name : undefined
}

/**
 * The functions of a file that are longer. One of the contracts of ports that declares tests is a suite,
 * which may be as long as its tests are many.
 */
const longFunctions = (file: string, text: string, most: number = MOST): ReadonlyArray<string> => {
  const functions: Array<Span> = []
  const tests: Array<number> = []
  const add = ({ start, end }: Span): void => {
    functions.push({ start, end })
  }
  new Visitor({
    ArrowFunctionExpression: add,
    FunctionDeclaration: add,
    FunctionExpression: add,
    CallExpression: (node) => {
      if (DECLARES_TESTS.has(called(node) ?? "")) tests.push(node.start)
    }
  }).visit(parseSync(file, text).program)
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length
  return functions.flatMap(({ start, end }) => {
    const first = lineAt(start)
    const lines = lineAt(end) - first + 1
    const isSuite =
      file.startsWith("packages/testing/src/contracts/") && tests.some((test) => test > start && test < end)
    return lines > most && !isSuite ? [`${file}:${first} has ${lines} lines`] : []
  })
}

describe("a function", () => {
  it("is counted from its first line to its last, with what is blank", () => {
    const long = (text: string) => longFunctions("a.tsx", text, 4)
    assert.deepStrictEqual(long("const f = () => {\n  a()\n\n  b()\n}\n"), ["a.tsx:1 has 5 lines"])
    assert.deepStrictEqual(long("\nfunction f() {\n  a()\n  b()\n}\n"), [])
    assert.deepStrictEqual(long("const F = () => (\n  <p>\n    <b>a</b>\n  </p>\n)\n"), [
      "a.tsx:1 has 5 lines"
    ])
    const suite = 'const f = () => {\n  test("is", () => {\n    a()\n  })\n}\n'
    assert.deepStrictEqual(long(suite), ["a.tsx:1 has 5 lines"])
    assert.deepStrictEqual(longFunctions("packages/testing/src/contracts/A.ts", suite, 4), [])
  })

  it(`has at most ${MOST} lines, outside the adapters of databases`, () => {
    const files = sourceFiles().filter((file) => /^packages\/(?!storage-)[^/]+\/src\/.*\.tsx?$/.test(file))
    assert.isAbove(files.length, 300)
    assert.deepStrictEqual(
      files.flatMap((file) => longFunctions(file, readFileSync(join(root, file), "utf8"))),
      []
    )
  })
})
