/** What a transaction offers to pay (EIP-1559), and how much gas it takes. */
import { FeeTooHigh } from "@cairn/core/anchor"
import { Result } from "effect"

/** Wei a unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** What the chain asks for now. */
interface MarketFees {
  readonly baseFee: bigint
  readonly priorityFee: bigint
}

/** A tenth more is the least for which nodes replace a transaction; an eighth is safely above it. */
const raised = (fee: bigint): bigint => fee + fee / 8n + 1n

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/**
 * Offers twice the base fee, which allows for six full blocks in a row, but no more than `allowed`. In place
 * of `replaced` it offers at least an eighth more.
 */
export const offer = (
  { baseFee, priorityFee }: MarketFees,
  allowed: bigint,
  replaced?: Fees
): Result.Result<Fees, FeeTooHigh> => {
  const priority = max(priorityFee, replaced === undefined ? 0n : raised(replaced.maxPriorityFeePerGas))
  const least = max(baseFee + priority, replaced === undefined ? 0n : raised(replaced.maxFeePerGas))
  if (least > allowed) return Result.fail(new FeeTooHigh({ required: least, allowed }))
  return Result.succeed({
    maxFeePerGas: max(least, min(2n * baseFee + priority, allowed)),
    maxPriorityFeePerGas: priority
  })
}

/**
 * Gas of a transaction that only carries data: 21,000, and since EIP-7623 at least 10 for a zero byte and 40
 * for any other.
 */
export const gasFor = (data: Uint8Array): bigint => {
  let tokens = 0
  for (const byte of data) tokens += byte === 0 ? 1 : 4
  return 21_000n + 10n * BigInt(tokens)
}
