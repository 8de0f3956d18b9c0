import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { sourceRegExps } from "./SourceRegExps.ts"

interface Diagnostics {
  readonly status: "safe" | "vulnerable" | "unknown"
  readonly complexity?: { readonly summary: string }
}

type Check = (pattern: string, flags: string, options: object) => Promise<Diagnostics>

/** Milliseconds: a look at all of them takes eight seconds of a processor's time. */
const LONG_ENOUGH = 900_000

describe("regular expressions of the sources", () => {
  const found = sourceRegExps()

  it("are found", () => {
    assert.isAbove(found.length, 100)
    for (const folder of ["packages/ui/src/", "packages/verifier/src/", "packages/server/src/http/"]) {
      assert.isTrue(
        found.some(({ file }) => file.startsWith(folder)),
        folder
      )
    }
  })

  it("are made of constants, so that they are known before the program runs", () => {
    assert.deepStrictEqual(
      found.filter(({ pattern }) => pattern === null).map(({ file, text }) => `${file}: ${text}`),
      []
    )
  })

  it(
    "take time that grows with the length of the text, and no faster",
    async () => {
      // The backend that needs no Java and no binary. It is chosen when the module is loaded.
      process.env.RECHECK_BACKEND = "pure"
      const { check }: { readonly check: Check } = createRequire(import.meta.url)("recheck")
      // Without limits of time, so that it finds the same on a slow machine. With more repetitions than by
      // default the exact check decides: it is much faster than the fuzzing that it is spared.
      const repetitions = { maxRepeatCount: 64, maxSimpleRepeatCount: 64 }
      const options = { timeout: null, attackTimeout: null, randomSeed: 1, ...repetitions }
      const patterns = new Map(found.map((one) => [`/${one.pattern}/${one.flags}`, one]))
      const flagged: Array<string> = []
      for (const [text, { file, pattern, flags }] of patterns) {
        const { status, complexity } = await check(pattern ?? "", flags, options)
        if (status !== "safe") flagged.push(`${file}: ${text}: ${complexity?.summary ?? status}`)
      }
      // To be written otherwise: as a pattern, or a loop, that looks at each character once.
      assert.deepStrictEqual(flagged, [])
    },
    LONG_ENOUGH
  )
})
