import { FeeTooHigh } from "@cairn/core/anchor"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { gasFor, offer } from "../src/Fees.ts"

const generated = generatedTests(import.meta.url)

const wei = fc.bigInt({ min: 0n, max: 10n ** 12n })

describe("offer", () => {
  it("is twice the base fee and what the block's maker gets", () => {
    const fees = offer({ baseFee: 100n, priorityFee: 7n }, 1_000n)
    assert.deepStrictEqual(Result.getOrThrow(fees), { maxFeePerGas: 207n, maxPriorityFeePerGas: 7n })
  })

  it("is no more than is allowed, as long as that is enough for now", () => {
    const fees = offer({ baseFee: 100n, priorityFee: 7n }, 150n)
    assert.deepStrictEqual(Result.getOrThrow(fees), { maxFeePerGas: 150n, maxPriorityFeePerGas: 7n })
    assert.strictEqual(Result.getOrThrow(offer({ baseFee: 100n, priorityFee: 7n }, 107n)).maxFeePerGas, 107n)
  })

  it("is refused when more than is allowed would be needed, and says how much", () => {
    assert.deepStrictEqual(
      offer({ baseFee: 100n, priorityFee: 7n }, 106n),
      Result.fail(new FeeTooHigh({ required: 107n, allowed: 106n }))
    )
  })

  it("is at least a tenth above what it replaces, in both parts, or refused", () => {
    generated.property(
      fc.property(wei, wei, wei, wei, wei, (baseFee, priorityFee, allowed, oldMax, oldPriority) => {
        const replaced = { maxFeePerGas: oldMax, maxPriorityFeePerGas: oldPriority }
        const fees = offer({ baseFee, priorityFee }, allowed, replaced)
        if (Result.isFailure(fees)) {
          assert.isTrue(fees.failure.required > allowed)
          return
        }
        const { maxFeePerGas, maxPriorityFeePerGas } = fees.success
        assert.isTrue(maxFeePerGas <= allowed && maxPriorityFeePerGas <= maxFeePerGas + oldPriority)
        assert.isTrue(maxFeePerGas * 10n > oldMax * 11n || oldMax === 0n)
        assert.isTrue(maxPriorityFeePerGas * 10n > oldPriority * 11n || oldPriority === 0n)
        assert.isTrue(maxFeePerGas >= baseFee + priorityFee)
      })
    )
  })
})

describe("gasFor", () => {
  it("is 21,000, and 10 for a zero byte and 40 for any other (EIP-7623)", () => {
    assert.strictEqual(gasFor(new Uint8Array(0)), 21_000n)
    assert.strictEqual(gasFor(Uint8Array.of(0, 0, 1)), 21_060n)
    assert.strictEqual(gasFor(new Uint8Array(96_006).fill(255)), 21_000n + 40n * 96_006n)
  })
})
