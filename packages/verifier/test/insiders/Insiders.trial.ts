/**
 * All trials of insiders. `CAIRN_INSIDER_COUNT` makes them more, `CAIRN_INSIDER_FROM` others: each is made from its number alone, so a run
 * with other numbers tries other bundles.
 */
import { vi } from "vitest"
import { describeTrials } from "./DescribeTrials.ts"

// The same transactions stand in thousands of bundles, and to read one is to find out who signed it.
vi.mock("../../src/ethereum/EthereumTransaction.ts", async (original) => {
  const { remembering } = await import("./RememberedTransactions.ts")
  return remembering(await original())
})

const count = Number(process.env.CAIRN_INSIDER_COUNT ?? 10_000)
const from = Number(process.env.CAIRN_INSIDER_FROM ?? 0)

describeTrials(
  `${count} bundles of insiders, from trial ${from} on`,
  Array.from({ length: count }, (_, index) => from + index)
)
