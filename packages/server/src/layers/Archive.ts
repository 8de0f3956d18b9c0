/** The archive: `CAIRN_ARCHIVE_STORE`, over the ports. */

import { ExportStore } from "@cairn/core/export"
import { Archive, ArchiveStore } from "@cairn/core/retention"
import { Effect, Layer } from "effect"
import type { ExportStoreSettings } from "../settings/ExportSettings.ts"
import { layerExportStore } from "./ExportStore.ts"

const over = (settings: ExportStoreSettings) =>
  Archive.layer.pipe(
    Layer.provide(
      Layer.effect(
        ArchiveStore,
        Effect.map(ExportStore, (store) => ArchiveStore.of(store))
      ).pipe(Layer.provide(layerExportStore(settings)))
    )
  )

/** The archive; null for none. */
export const layerArchive = (
  store: ExportStoreSettings | null
): Layer.Layer<Archive, never, Layer.Services<ReturnType<typeof over>>> =>
  store === null ? Archive.layerNone : over(store)
