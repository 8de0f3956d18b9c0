/**
 * The settings of anchoring: `CAIRN_ANCHOR_*`, read together, since neither makes sense without the other.
 */
import { readFileSync } from "node:fs"
import { Effect, Schema } from "effect"
import type { Configuration } from "./Configuration.ts"
import { invalidSetting } from "./SettingDeclaration.ts"
import { SETTINGS } from "./Settings.ts"

/** What the chain is reached with; crosses to the log thread. */
export const ChainSettings = Schema.Struct({
  /** Nodes, the preferred first. */
  urls: Schema.Array(Schema.String),
  /** `0x` and 64 hexadecimal characters: never to be shown. */
  privateKey: Schema.String,
  /** Addresses whose transactions are this service's too. */
  formerAccounts: Schema.Array(Schema.String),
  chainId: Schema.Number,
  /** `finalized`, `safe` or a number. */
  confirmations: Schema.String,
  maxFeeGwei: Schema.Number
})
export type ChainSettings = typeof ChainSettings.Type

const KEY = /^(?:0x)?[0-9a-fA-F]{64}$/

/** A key as it stands in the variable, or in the file that it names. */
const readKey = (value: string) =>
  Effect.suspend(() => {
    if (KEY.test(value)) return Effect.succeed(value)
    try {
      const text = readFileSync(value, "utf8").trim()
      if (KEY.test(text)) return Effect.succeed(text)
    } catch {
      // A value that is no path must not be shown: it may be most of a key.
    }
    return Effect.fail(invalidSetting(SETTINGS.anchorPrivateKey, value))
  })

/** The chain that is configured; null when none is, and anchors stay pending. */
export const chainSettingsFor = Effect.fnUntraced(function* ({ anchor }: Configuration) {
  const { urls, privateKey, formerAccounts, chainId, confirmations, maxFeeGwei } = anchor
  if (urls.length === 0 && privateKey === "") return null
  const { anchorUrls, anchorPrivateKey } = SETTINGS
  if (urls.length === 0) return yield* invalidSetting(anchorUrls, "", `set when ${anchorPrivateKey.name} is`)
  if (privateKey === "") return yield* invalidSetting(anchorPrivateKey, "", `set when ${anchorUrls.name} is`)
  const settings: ChainSettings = {
    urls,
    privateKey: yield* readKey(privateKey),
    formerAccounts,
    chainId,
    confirmations,
    maxFeeGwei
  }
  return settings
})
