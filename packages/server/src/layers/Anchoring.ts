/** Anchoring, and the chain that anchors go to. */
import type { BaseChain } from "@cairn/anchor-base"
import { AnchorChain, Anchoring, AnchorVerifier, UnknownAnchors } from "@cairn/core/anchor"
import { Workspaces } from "@cairn/core/log"
import { Announcer } from "@cairn/core/outbound"
import { Effect, Layer, Result } from "effect"
import type { ChainSettings } from "../settings/AnchorSettings.ts"
import { AnchorRequests } from "../thread/AnchorRequests.ts"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"

/** The adapter of the chain, which is loaded only where one is configured, and its options. */
export const chainAdapter = (chain: ChainSettings) =>
  Effect.map(
    Effect.promise(() => import("@cairn/anchor-base")),
    ({ BaseChain, privateKeyFrom }) => {
      const [first = "", ...others] = chain.urls
      const options: BaseChain.BaseChainOptions = {
        urls: [first, ...others],
        privateKey: Result.getOrThrow(privateKeyFrom(chain.privateKey)),
        formerAccounts: chain.formerAccounts,
        chainId: chain.chainId,
        confirmations: BaseChain.confirmationsFrom(chain.confirmations) ?? "finalized",
        maxFeePerGas: BigInt(Math.round(chain.maxFeeGwei * 1e9))
      }
      return { BaseChain, options }
    }
  )

/** The chain. */
export const layerAnchorChain = (chain: ThreadConfig["chain"]) =>
  chain === null
    ? AnchorChain.layerNone
    : Layer.unwrap(Effect.map(chainAdapter(chain), ({ BaseChain, options }) => BaseChain.layer(options)))

/**
 * Anchoring, which notifies the webhooks of each anchor that is confirmed: once, because its id is the cause.
 */
const layerAnnouncedAnchoring = (everySeconds: number) =>
  Layer.unwrap(
    Effect.map(Effect.all([Announcer, Workspaces]), ([{ announce }, { logId }]) =>
      Anchoring.layer({
        logId,
        schedule: { every_seconds: everySeconds, offset_seconds: 0 },
        onConfirmed: (anchors) =>
          Effect.forEach(
            anchors,
            ({ workspaceId, anchor }) =>
              announce(workspaceId, { type: "anchor.confirmed", data: anchor }, anchor.id),
            { discard: true }
          )
      })
    )
    // No mail is sent for an anchor.
  ).pipe(Layer.provide(Announcer.layer({ mail: false })))

/** Anchoring, over `layerLog`. */
export const layerAnchoring = ({
  chain,
  anchorEverySeconds
}: Pick<ThreadConfig, "chain" | "anchorEverySeconds">) =>
  AnchorRequests.layer.pipe(
    Layer.provideMerge(
      Layer.merge(
        layerAnnouncedAnchoring(anchorEverySeconds),
        Layer.unwrap(Effect.map(Workspaces, ({ logId }) => AnchorVerifier.layer({ logId })))
      )
    ),
    Layer.provide(layerAnchorChain(chain))
  )

/** Counts transactions on the chain that the store does not know, over `layerLog`. */
export const layerUnknownAnchors = ({ chain }: Pick<ThreadConfig, "chain">) =>
  UnknownAnchors.layer.pipe(Layer.provide(layerAnchorChain(chain)))
