/**
 * Trials of insiders. A trial is made from its number: `CAIRN_INSIDER_TRIALS=642,1380` tries these and no
 * others.
 *
 * The short form tries a fixed part of the ten thousand. The whole tries all of them, or as many as
 * `CAIRN_INSIDER_COUNT` says, from `CAIRN_INSIDER_FROM` on: a run with other numbers tries other bundles.
 */
import { SHAPES } from "@cairn/testing"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { vi } from "vitest"
import { describeTrials } from "./DescribeTrials.ts"
import { cells } from "./Trials.ts"

// The same transactions stand in thousands of bundles, and to read one is to find out who signed it.
vi.mock("../../src/ethereum/EthereumTransaction.ts", async (original) => {
  const { remembering } = await import("./RememberedTransactions.ts")
  return remembering(await original())
})

const ALL = 10_000
/** How many of all the short form tries: one in each of so many parts. */
const COUNT = 500

const shortForm = () => {
  const asked = process.env.CAIRN_INSIDER_TRIALS
  const numbers =
    asked === undefined
      ? Array.from({ length: COUNT }, (_, index) => (index * ALL) / COUNT)
      : asked.split(",").map(Number)
  describeTrials(
    `${numbers.length} of the bundles of insiders, in ${SHAPES.length} shapes and ${cells.length} cells`,
    numbers
  )
}

const whole = () => {
  const count = Number(process.env.CAIRN_INSIDER_COUNT ?? ALL)
  const from = Number(process.env.CAIRN_INSIDER_FROM ?? 0)
  describeTrials(
    `${count} bundles of insiders, from trial ${from} on`,
    Array.from({ length: count }, (_, index) => from + index)
  )
}

if (isEndurance()) whole()
else shortForm()
