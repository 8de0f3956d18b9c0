/**
 * Port: where archives are stored, separate from exports. They are kept for as long as their owner likes, and
 * Cairn never removes one.
 */
import { Context } from "effect"
import type { ExportStoreShape } from "../export/ExportStore.ts"

/** The store, under the contract of `ExportStore`. */
export class ArchiveStore extends Context.Service<ArchiveStore, ExportStoreShape>()(
  "@cairn/core/ArchiveStore"
) {}
