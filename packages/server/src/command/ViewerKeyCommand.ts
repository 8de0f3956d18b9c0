/** `cairn viewer-key rotate` */
import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerAccepting } from "../layers/Accepting.ts"
import { layerViewerTokens } from "../layers/ViewerTokens.ts"
import { COMMAND_LINE } from "../management/ManagementEvent.ts"
import { ViewerKeyManagement } from "../management/ViewerKeyManagement.ts"
import { layerSecrets } from "../secret/SecretKeys.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

const rotate = Command.make(
  "rotate",
  {
    workspace: workspaceFlag,
    revoke: Flag.Boolean("revoke").pipe(
      Flag.withDescription("End the tokens of older keys at once, as for a key that has leaked"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const secrets = layerSecrets(yield* secretKeysFor(settings))
    yield* Effect.gen(function* () {
      const { id: workspaceId } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const management = yield* ViewerKeyManagement
      const id = yield* management.rotate(COMMAND_LINE, workspaceId, { revoke: flags.revoke })
      yield* print(flags.json, { id, revoked: flags.revoke }, `${id} signs viewer tokens from now on`)
    }).pipe(
      Effect.provide(
        layerViewerTokens.pipe(Layer.provide(secrets), Layer.provideMerge(layerAccepting(settings)))
      )
    )
  })
).pipe(Command.withDescription("Replace the key that signs a workspace's viewer tokens"))

/** `cairn viewer-key` */
export const viewerKeyCommand = Command.make("viewer-key").pipe(
  Command.withDescription("The keys that sign viewer tokens"),
  Command.withSubcommands([rotate])
)
