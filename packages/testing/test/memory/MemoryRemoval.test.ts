import { MemoryStorage, removalContract } from "@cairn/testing"

removalContract("memory", () => ({ layer: MemoryStorage.layer(), find: async () => [] }))
