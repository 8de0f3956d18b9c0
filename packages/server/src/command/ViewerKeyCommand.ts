/** `cairn viewer-key rotate` */

import { COMMAND_LINE, ViewerKeyManagement } from "@cairn/core/management"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerViewerKeys } from "../layers/Commands.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

const rotate = Command.make(
  "rotate",
  {
    workspace: workspaceFlag,
    revoke: Flag.Boolean("revoke").pipe(
      Flag.withDescription("Reject tokens of older keys at once, as for a key that has leaked"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const secretKeys = yield* secretKeysFor(settings)
    yield* Effect.gen(function* () {
      const { id: workspaceId } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const management = yield* ViewerKeyManagement
      const id = yield* management.rotate(COMMAND_LINE, workspaceId, { revoke: flags.revoke })
      yield* print(flags.json, { id, revoked: flags.revoke }, `${id} signs viewer tokens from now on`)
    }).pipe(Effect.provide(layerViewerKeys(settings, secretKeys)))
  })
).pipe(
  Command.withExamples([{ command: "cairn viewer-key rotate -w Acme --revoke" }]),
  Command.withDescription("Replace the key that signs a workspace's viewer tokens")
)

/** `cairn viewer-key` */
export const viewerKeyCommand = Command.make("viewer-key").pipe(
  Command.withExamples([{ command: "cairn viewer-key rotate -w Acme" }]),
  Command.withDescription("The keys that sign viewer tokens"),
  Command.withSubcommands([rotate])
)
