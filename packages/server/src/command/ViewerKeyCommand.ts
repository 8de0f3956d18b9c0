/** `cairn viewer-key rotate` */

import { Micros } from "@cairn/core/encoding"
import { COMMAND_LINE, ViewerKeyManagement } from "@cairn/core/management"
import { isTrusted, type ManagedWorkspace, type ViewerKey, ViewerKeys } from "@cairn/core/workspace"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerAccepting } from "../layers/Accepting.ts"
import { layerViewerKeys } from "../layers/Commands.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { checkCanAsk, consent, consentFlags, type Plan } from "./Consent.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

/** The keys that stop to be trusted, or stop to sign, and what becomes of their tokens. */
const planOf = ({ id, name }: ManagedWorkspace, trusted: ReadonlyArray<ViewerKey>, revoke: boolean): Plan => {
  const keys = trusted.map((key) => key.id)
  const fate = revoke
    ? "rejected within seconds, and their users need new ones"
    : "valid until they expire, within a day"
  return {
    value: { action: "rotate_viewer_key", workspace: { id, name }, revoke, keys },
    text: [
      `Workspace ${name} (${id}): a new key will sign viewer tokens.`,
      keys.length === 0
        ? "There is none before it."
        : `Tokens of the keys before it (${keys.join(", ")}) are ${fate}.`
    ].join("\n")
  }
}

const rotate = Command.make(
  "rotate",
  {
    workspace: workspaceFlag,
    revoke: Flag.Boolean("revoke").pipe(
      Flag.withDescription("Reject tokens of older keys at once, as for a key that has leaked"),
      Flag.withDefault(false)
    ),
    ...consentFlags,
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    yield* checkCanAsk("cairn viewer-key rotate", flags)
    const agreed = Effect.gen(function* () {
      const workspace = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const now = yield* Micros.now
      const trusted = (yield* (yield* ViewerKeys).list(workspace.id)).filter((key) => isTrusted(key, now))
      return { workspace, goOn: yield* consent(flags, planOf(workspace, trusted, flags.revoke)) }
    })
    // Without the secret key, which would be made beside a new database.
    if (flags.dryRun) return yield* Effect.asVoid(agreed).pipe(Effect.provide(layerAccepting(settings)))
    const secretKeys = yield* secretKeysFor(settings)
    yield* Effect.gen(function* () {
      const { workspace, goOn } = yield* agreed
      if (!goOn) return
      const management = yield* ViewerKeyManagement
      const id = yield* management.rotate(COMMAND_LINE, workspace.id, { revoke: flags.revoke })
      yield* print(flags.json, { id, revoked: flags.revoke }, `${id} signs viewer tokens from now on`)
    }).pipe(Effect.provide(layerViewerKeys(settings, secretKeys)))
  })
).pipe(
  Command.withExamples([
    { command: "cairn viewer-key rotate -w Acme --revoke --dry-run" },
    { command: "cairn viewer-key rotate -w Acme --revoke" }
  ]),
  Command.withDescription("Replace the key that signs a workspace's viewer tokens")
)

/** `cairn viewer-key` */
export const viewerKeyCommand = Command.make("viewer-key").pipe(
  Command.withExamples([{ command: "cairn viewer-key rotate -w Acme" }]),
  Command.withDescription("The keys that sign viewer tokens"),
  Command.withSubcommands([rotate])
)
