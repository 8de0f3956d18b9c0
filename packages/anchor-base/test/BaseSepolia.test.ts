/** Anchoring on Base's test network: another chain id, and another explorer. */
import { AnchorReader } from "@cairn/core/anchor"
import { anchoringRound } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseTransaction } from "viem"
import { anvil } from "./Anvil.ts"
import { makeAnchor, service, status } from "./Service.ts"

const SEPOLIA = 84_532

describe("a service on Base Sepolia", () => {
  it.live("signs for that chain, is confirmed by it, and points to its explorer", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const node = yield* anvil({ chainId: SEPOLIA })
        yield* Effect.gen(function* () {
          const workspaceId = yield* makeAnchor
          yield* anchoringRound
          yield* Effect.promise(() => node.mine(2))
          yield* anchoringRound
          const [anchor] = yield* (yield* AnchorReader).list(workspaceId)
          assert.deepInclude(anchor, {
            status: "confirmed",
            chain: "base",
            explorer_url: `https://sepolia.basescan.org/tx/${anchor?.tx_hash}`
          })
          const raw = yield* Effect.promise(() => node.call("eth_getRawTransactionByHash", anchor?.tx_hash))
          assert.strictEqual(parseTransaction(raw as `0x02${string}`).chainId, SEPOLIA)
        }).pipe(Effect.provide(service({ urls: [node.url], chainId: SEPOLIA, confirmations: 2 })))
      })
    )
  )

  it.live("does not listen to a node of the main network", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const node = yield* anvil()
        yield* Effect.gen(function* () {
          const workspaceId = yield* makeAnchor
          yield* anchoringRound
          assert.strictEqual(yield* status(workspaceId), "pending")
        }).pipe(Effect.provide(service({ urls: [node.url], chainId: SEPOLIA, confirmations: 2 })))
        const sent = yield* Effect.promise(() => node.call("txpool_status"))
        assert.deepStrictEqual(sent, { pending: "0x0", queued: "0x0" })
      })
    )
  )
})
