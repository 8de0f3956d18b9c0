/** Viewer tokens, over the ports, what seals secrets, and the way to accept events. */
import { ViewerTokens } from "@cairn/core/workspace"
import { Layer } from "effect"
import { ManagementEvents } from "../management/ManagementEvent.ts"
import { ViewerKeyManagement } from "../management/ViewerKeyManagement.ts"

/** Viewer tokens and their keys. */
export const layerViewerTokens = ViewerKeyManagement.layer.pipe(
  Layer.provide(ManagementEvents.layer),
  Layer.provideMerge(ViewerTokens.layer)
)
