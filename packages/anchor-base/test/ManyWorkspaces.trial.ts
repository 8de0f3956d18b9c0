import { Anchors, parseAnchorPayload } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import {
  acceptEvent,
  anchoringRound,
  layerManualClock,
  manualClock,
  newWorkspace,
  sequence
} from "@cairn/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { hexToBytes, parseTransaction } from "viem"
import { anvil } from "./Anvil.ts"
import { newest, service } from "./Service.ts"

const NOON = 1_714_564_800 * Micros.SECOND
const WORKSPACES = 10_000

it.live(
  "10,000 workspaces whose day has ended go out in ten transactions, and are confirmed",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const node = yield* anvil()
        const clock = manualClock(NOON)
        yield* Effect.gen(function* () {
          const workspaces: Array<string> = []
          for (let count = 0; count < WORKSPACES; count++) {
            const workspaceId = yield* newWorkspace
            yield* acceptEvent(workspaceId)
            workspaces.push(workspaceId)
          }
          yield* sequence
          clock.advance(Micros.DAY)
          const done = yield* anchoringRound
          assert.deepStrictEqual(done, { closed: WORKSPACES, created: WORKSPACES, submitted: WORKSPACES })
          const sent = (yield* (yield* Anchors).unsettled(8453)).flatMap(({ transactions }) => transactions)
          assert.deepStrictEqual(
            sent.map(({ nonce }) => nonce),
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
          )
          const roots = sent.flatMap(({ raw }) => {
            const { data = "0x" } = parseTransaction(raw as `0x02${string}`)
            return Result.getOrThrow(parseAnchorPayload(hexToBytes(data))).map(({ merkleRoot }) => merkleRoot)
          })
          assert.strictEqual(new Set(roots).size, WORKSPACES)
          yield* Effect.promise(() => node.mine(9))
          yield* anchoringRound
          for (const workspaceId of workspaces) {
            assert.strictEqual((yield* newest(workspaceId)).status, "confirmed")
          }
        }).pipe(
          Effect.provide(
            service({ urls: [node.url], confirmations: 2 }).pipe(Layer.provideMerge(layerManualClock(clock)))
          )
        )
      })
    ),
  120_000
)
