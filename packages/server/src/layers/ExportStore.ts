/** The store of files for exports and archives. */
import { layerDiskExportStore, layerS3ExportStore } from "@cairn/delivery"
import { Redacted } from "effect"
import type { ExportStoreSettings } from "../settings/ExportSettings.ts"

/** The store. */
export const layerExportStore = (settings: ExportStoreSettings) =>
  settings.kind === "folder"
    ? layerDiskExportStore(settings.path)
    : layerS3ExportStore({ ...settings, secretAccessKey: Redacted.make(settings.secretAccessKey) })
