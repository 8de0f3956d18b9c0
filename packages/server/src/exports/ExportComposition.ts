/** Which layers make up exports: asking for them and fetching them, and the work of making them. */
import { Announcer, Exporting } from "@cairn/core"
import { Layer } from "effect"
import { ExportLinks, type LinkConfig, linkKeysOf } from "./ExportLinks.ts"
import { type ExportStoreSettings, layerExportStore } from "./ExportSettings.ts"

/** Where links lead, and where files lie. */
export interface ExportConfig extends LinkConfig {
  readonly store: ExportStoreSettings
}

/** Exporting and its links, over the ports. */
export const exportSide = ({ store, ...links }: ExportConfig) => {
  const [linkKey = ""] = linkKeysOf(links.secretKeys)
  return Layer.merge(Exporting.layer({ baseUrl: links.baseUrl, linkKey }), ExportLinks.layer(links)).pipe(
    // No mail is sent of an export.
    Layer.provide(Announcer.layer({ mail: false })),
    Layer.provideMerge(layerExportStore(store))
  )
}
