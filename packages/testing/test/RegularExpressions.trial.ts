/** Every regular expression of the sources, looked at by a tool that finds those whose time explodes. */
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { sourceRegExps } from "./SourceRegExps.ts"

interface Diagnostics {
  readonly status: "safe" | "vulnerable" | "unknown"
  readonly complexity?: { readonly summary: string }
}

type Check = (pattern: string, flags: string, options: object) => Promise<Diagnostics>

/** Milliseconds: a look at all of them takes a minute of a processor's time. */
const LONG_ENOUGH = 900_000

describe("regular expressions of the sources", () => {
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
      const patterns = new Map(sourceRegExps().map((one) => [`/${one.pattern}/${one.flags}`, one]))
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
