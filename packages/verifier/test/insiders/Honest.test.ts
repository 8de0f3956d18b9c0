/**
 * Honest bundles in every shape are never called tampered with, by either verifier, whatever an auditor
 * brings.
 */
import { type Auditor, type OlderBundle, SHAPES, type ShapeBundle, writeLines } from "@cairn/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { because, Python, usable } from "../../../../examples/verify-python/test/Python.ts"
import { type Answer, type Ask, ask, askPython, fileOf, shapes } from "./Trials.ts"

const python = usable ? new Python() : undefined
afterAll(() => python?.close())

/** A machine under load may need minutes for what takes seconds. */
const LIMIT = 600_000

/** What an auditor brings, and what he is to be told. */
interface Case {
  readonly what: string
  readonly honest: ShapeBundle
  readonly auditor: Auditor
  readonly expected: Answer["verdict"]
  /** What the verifier in Python says, which holds no anchor against an account. */
  readonly python: Answer["verdict"]
}

const anchorsOf = ({ lines }: ShapeBundle): ReadonlyArray<number> =>
  lines.flatMap(({ type, value }) =>
    type === "anchor" && typeof value === "object" && value !== null && "last_sequence" in value
      ? [Number(value.last_sequence)]
      : []
  )

/** Whether a bundle has a tree of this size: that is what an older one is held against. */
const reaches = ({ from, to }: ShapeBundle, { end }: OlderBundle): boolean =>
  end >= (from === 1 ? 0 : from - 2) && end <= to

const casesOf = (name: string, honest: ShapeBundle): ReadonlyArray<Case> => {
  const nothing: Auditor = { key: false, anchors: null, older: null }
  const known = anchorsOf(honest)
  const all = honest.truth.log.anchors.map(({ last_sequence: last }) => last)
  const elsewhere = all.filter((last) => !known.includes(last))
  const of = (
    what: string,
    auditor: Partial<Auditor>,
    expected: Answer["verdict"],
    ofPython: Answer["verdict"] = expected
  ): Case => ({
    what: `${name}, with ${what}`,
    honest,
    auditor: { ...nothing, ...auditor },
    expected,
    python: ofPython
  })
  const anchored = known.length > 0 ? "intact" : "unproven"
  return [
    of("nothing", {}, "intact"),
    of("the key", { key: true }, "intact"),
    of("the account", { anchors: [] }, anchored, "unproven"),
    of("the account and the blocks", { anchors: known }, anchored, "unproven"),
    of("the key, the account and the blocks", { key: true, anchors: known }, anchored, "unproven"),
    ...(elsewhere.length > 0 ? [of("the block of another anchor", { anchors: all }, "unproven")] : []),
    ...honest.older.flatMap((older) => {
      const proven = reaches(honest, older) ? "intact" : "unproven"
      return [
        of(`a bundle up to ${older.end}`, { older }, proven),
        of(`the key and a bundle up to ${older.end}`, { key: true, older }, proven)
      ]
    })
  ]
}

const cases = SHAPES.flatMap((shape) =>
  (shapes.get(shape) ?? []).flatMap((honest, index) => casesOf(`${shape} ${index + 1}`, honest))
)

const wrong = async (
  verifier: Ask,
  expected: (one: Case) => Answer["verdict"]
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const one of cases) {
    const { verdict } = await verifier(fileOf(one.honest.lines), one.honest, one.auditor)
    if (verdict !== expected(one)) found.push(`${one.what}: ${verdict}, and not ${expected(one)}`)
  }
  return found
}

describe("honest bundles in every shape", () => {
  it(
    "are intact, or unproven by what they have nothing to be held against",
    async () => {
      assert.deepStrictEqual(await wrong(ask, ({ expected }) => expected), [])
    },
    LIMIT
  )

  it.skipIf(!usable)(
    `are so to the verifier in Python, too${because}`,
    async () => {
      const verifier = python === undefined ? ask : askPython(python)
      assert.deepStrictEqual(await wrong(verifier, (one) => one.python), [])
    },
    LIMIT
  )

  it("are written again as they were read", () => {
    for (const { lines } of [...shapes.values()].flat())
      assert.isTrue(writeLines(lines).endsWith('"type":"end"}\n'))
  })
})
