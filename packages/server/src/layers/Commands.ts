/** What the commands that open the database themselves work with. */
import { AlertBacktest } from "@cairn/core/alert"
import { Micros } from "@cairn/core/encoding"
import { Acceptance, EventCounts } from "@cairn/core/log"
import {
  AlertRuleManagement,
  ConsumerManagement,
  ManagementEvents,
  MemberInvitations,
  MemberManagement,
  SecretRotation
} from "@cairn/core/management"
import { Erasure } from "@cairn/core/retention"
import { Layer } from "effect"
import { layerSecrets } from "../secret/SecretKeys.ts"
import type { Configuration } from "../settings/Configuration.ts"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import { layerAccepting } from "./Accepting.ts"
import { layerArchive } from "./Archive.ts"
import { layerLog } from "./Log.ts"
import { layerSignIn } from "./People.ts"
import { layerEvidence, layerProofs, layerSigning } from "./Proofs.ts"
import { layerViewerTokens } from "./ViewerTokens.ts"

type SecretKeys = ThreadConfig["secretKeys"]

/** `cairn alert-rule` */
export const layerAlertRules = (settings: Configuration) =>
  Layer.merge(AlertRuleManagement.layer, AlertBacktest.layer).pipe(
    Layer.provide(ManagementEvents.layer),
    Layer.provideMerge(layerAccepting(settings))
  )

/** `cairn consumer` */
export const layerConsumers = (settings: Configuration) =>
  ConsumerManagement.layer.pipe(
    Layer.provide(ManagementEvents.layer),
    Layer.provideMerge(layerAccepting(settings))
  )

/** `cairn checkpoint-key` */
export const layerCheckpointKeys = (settings: Configuration, secretKeys: SecretKeys) =>
  layerSigning({ secretKeys }).pipe(Layer.provide(layerAccepting(settings)))

/** `cairn secret` */
export const layerSecretRotation = (settings: Configuration, secretKeys: SecretKeys) =>
  SecretRotation.layer.pipe(Layer.provide(layerSecrets(secretKeys)), Layer.provide(layerAccepting(settings)))

/** `cairn member` */
export const layerMembers = (settings: Configuration) =>
  Layer.merge(
    MemberManagement.layer({ retentionDelay: settings.retentionDelayDays * Micros.DAY }).pipe(
      Layer.provideMerge(ManagementEvents.layer)
    ),
    layerSignIn(settings)
  ).pipe(Layer.provideMerge(layerAccepting(settings)))

/** `cairn member add`, where the service sends mail; invitations lead to `baseUrl`. */
export const layerInvitations = (settings: Configuration, secretKeys: SecretKeys, baseUrl: string) =>
  MemberInvitations.layer({ mail: true, baseUrl }).pipe(
    Layer.provide([ManagementEvents.layer, layerSecrets(secretKeys)]),
    Layer.provideMerge(layerMembers(settings))
  )

/** `cairn viewer-key` */
export const layerViewerKeys = (settings: Configuration, secretKeys: SecretKeys) =>
  layerViewerTokens.pipe(
    Layer.provide(layerSecrets(secretKeys)),
    Layer.provideMerge(layerAccepting(settings))
  )

/** `cairn erase` */
export const layerErasure = (settings: Configuration) =>
  Erasure.layer.pipe(
    Layer.provide([EventCounts.layer, layerArchive(settings.archiveStore)]),
    Layer.provideMerge(layerLog({ ...settings, geoipFiles: [] }))
  )

/** `cairn evidence` */
export const layerEvidenceOfLog = (
  settings: Configuration,
  config: Pick<ThreadConfig, "secretKeys" | "chain">
) => layerEvidence(config).pipe(Layer.provideMerge(layerLog({ ...settings, geoipFiles: [] })))

/** `cairn workspace export-and-close`, which also writes the last event of a log that is closed. */
export const layerClosing = (settings: Configuration, config: Pick<ThreadConfig, "secretKeys" | "chain">) =>
  Layer.mergeAll(Acceptance.layer, layerEvidence(config), layerProofs(config), layerSigning(config)).pipe(
    Layer.provideMerge(layerLog({ ...settings, geoipFiles: [] }))
  )

/** `cairn import` */
export const layerImport = (settings: Configuration) =>
  Layer.merge(layerAccepting(settings), layerLog(settings))

/** `cairn recover` */
export const layerRecovery = (settings: Configuration) =>
  Layer.merge(
    ManagementEvents.layer.pipe(Layer.provideMerge(layerAccepting(settings))),
    layerLog({ ...settings, geoipFiles: [] })
  )

/** `cairn verify --against`, over the log. */
export const layerAgainst = (secretKeys: SecretKeys) =>
  Layer.merge(layerEvidence({ secretKeys, chain: null }), layerSigning({ secretKeys }))
