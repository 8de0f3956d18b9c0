import { anchorsContract, MemoryAnchors, MemoryStorage } from "@cairn/testing"
import { Layer } from "effect"

anchorsContract("memory", (options) =>
  MemoryAnchors.layer.pipe(Layer.provideMerge(MemoryStorage.layer(options)))
)
