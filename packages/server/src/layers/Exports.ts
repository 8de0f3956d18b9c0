/** Exports: requesting and fetching them, and making them. */

import { Exporting, ExportMaker } from "@cairn/core/export"
import { ExportManagement, ManagementEvents } from "@cairn/core/management"
import { Announcer } from "@cairn/core/outbound"
import { Layer } from "effect"
import { ExportLinks, type LinkConfig, linkKeysOf } from "../http/gate/ExportLinks.ts"
import type { ExportStoreSettings } from "../settings/ExportSettings.ts"
import { layerExportStore } from "./ExportStore.ts"

/** Where links lead, and where files lie. */
export interface ExportConfig extends LinkConfig {
  readonly store: ExportStoreSettings
}

const linksOf = ({ baseUrl, secretKeys }: LinkConfig) => {
  const [linkKey = ""] = linkKeysOf(secretKeys)
  return { baseUrl, linkKey }
}

/** Exporting and its links, over the ports. */
export const layerExports = (config: ExportConfig) =>
  Layer.merge(ExportManagement.layer, ExportLinks.layer(config)).pipe(
    Layer.provideMerge(Exporting.layer(linksOf(config))),
    Layer.provide(ManagementEvents.layer),
    Layer.provideMerge(layerExportStore(config.store))
  )

/** The making of exports, over the ports and what makes evidence. */
export const layerExportMaking = (config: ExportConfig) =>
  ExportMaker.layer(linksOf(config)).pipe(
    // No mail is sent for an export.
    Layer.provide([Announcer.layer({ mail: false }), layerExportStore(config.store)])
  )
