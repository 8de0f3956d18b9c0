/** Trials as tests: one for each verifier. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { because, Python, usable } from "../../../../examples/verify-python/test/Python.ts"
import { failureText, judge, type Outcome } from "./Judgement.ts"
import { askPython, cells } from "./Trials.ts"

/** A machine under load may need minutes for what takes seconds. */
const LIMIT = 1_800_000

const summary = ({ trials, verdicts }: Outcome, numbers: ReadonlyArray<number>): string => {
  const said = [...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(", ")
  return `${trials} trials, ${numbers[0]} to ${numbers.at(-1)}, over ${cells.length} cells: ${said}`
}

/** Holds the trials of these numbers before both verifiers, each in one process. */
export const describeTrials = (what: string, numbers: ReadonlyArray<number>): void => {
  describe(what, () => {
    const python = usable ? new Python() : undefined
    let outcome: Outcome | undefined
    beforeAll(async () => {
      outcome = await judge(numbers, python === undefined ? undefined : askPython(python))
      process.stdout.write(`${summary(outcome, numbers)}\n`)
    }, LIMIT)
    afterAll(() => python?.close())

    it("neither insider gets INTACT for what the log does not say, and none costs more than the honest bundle", () => {
      assert.strictEqual(failureText(outcome?.failures ?? ["nothing was tried"]), "")
      assert.strictEqual(outcome?.trials, numbers.length)
    })

    it.skipIf(!usable)(`the verifier in Python gives the same verdicts, at no more cost${because}`, () => {
      assert.strictEqual(failureText(outcome?.python ?? ["nothing was tried"]), "")
    })
  })
}
