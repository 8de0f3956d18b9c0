/** Checkpoints, proofs and evidence bundles. */

import { CheckpointSigner, LogCheckpoints } from "@cairn/core/checkpoint"
import { AnchorEvidence, EvidenceExport } from "@cairn/core/evidence"
import { EventProver } from "@cairn/core/proof"
import { layerEd25519Signers } from "@cairn/storage-sql"
import { Layer } from "effect"
import { layerSecrets } from "../secret/SecretKeys.ts"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import { layerAnchorChain } from "./Anchoring.ts"

/** What signs checkpoints, over the ports. */
export const layerSigning = ({ secretKeys }: Pick<ThreadConfig, "secretKeys">) =>
  CheckpointSigner.layer.pipe(Layer.provide([layerEd25519Signers, layerSecrets(secretKeys)]))

/** Checkpoints and proofs, over `layerLog`. */
export const layerProofs = (config: Pick<ThreadConfig, "secretKeys">) =>
  EventProver.layer.pipe(Layer.provideMerge(LogCheckpoints.layer), Layer.provide(layerSigning(config)))

/** Evidence bundles, over `layerLog`. */
export const layerEvidence = (config: Pick<ThreadConfig, "secretKeys" | "chain">) =>
  EvidenceExport.layer.pipe(
    Layer.provide(AnchorEvidence.layer.pipe(Layer.provide(layerAnchorChain(config.chain)))),
    Layer.provide(layerProofs(config)),
    Layer.provide(layerSigning(config))
  )
