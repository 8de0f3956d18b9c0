import { archiveContract, exportStoreContract, MemoryExportStore } from "@cairn/testing"

exportStoreContract("memory", () => MemoryExportStore.layer)
archiveContract("memory", () => MemoryExportStore.layer)
