/**
 * A fixed part of the trials of insiders; `npm run test:trials` runs all of them.
 *
 * A trial is made from its number: `CAIRN_INSIDER_TRIALS=642,1380 npm test -- packages/verifier/test/insiders` runs these and no others.
 */
import { SHAPES } from "@cairn/testing"
import { vi } from "vitest"
import { describeTrials } from "./DescribeTrials.ts"
import { cells } from "./Trials.ts"

// The same transactions stand in thousands of bundles, and to read one is to find out who signed it.
vi.mock("../../src/ethereum/EthereumTransaction.ts", async (original) => {
  const { remembering } = await import("./RememberedTransactions.ts")
  return remembering(await original())
})

const COUNT = 500
/** All trials, and so those of them that these stand for. */
const ALL = 10_000

const asked = process.env.CAIRN_INSIDER_TRIALS
const numbers =
  asked === undefined
    ? Array.from({ length: COUNT }, (_, index) => (index * ALL) / COUNT)
    : asked.split(",").map(Number)

describeTrials(
  `${numbers.length} of the bundles of insiders, in ${SHAPES.length} shapes and ${cells.length} cells`,
  numbers
)
