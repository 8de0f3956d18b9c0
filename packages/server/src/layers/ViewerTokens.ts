/** Viewer tokens, over the ports, what seals secrets, and the way to accept events. */
import { ManagementEvents, ViewerKeyManagement } from "@cairn/core/management"
import { ViewerTokens } from "@cairn/core/workspace"
import { Layer } from "effect"
import { layerTokenSigner } from "../secret/JoseTokens.ts"

/** Viewer tokens and their keys. */
export const layerViewerTokens = ViewerKeyManagement.layer.pipe(
  Layer.provide(ManagementEvents.layer),
  Layer.provideMerge(ViewerTokens.layer.pipe(Layer.provide(layerTokenSigner)))
)
