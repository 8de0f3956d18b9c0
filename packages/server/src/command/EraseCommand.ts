/** `cairn erase` */

import { Erasure } from "@cairn/core/retention"
import type { ManagedWorkspace } from "@cairn/core/workspace"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerErasure } from "../layers/Commands.ts"
import { checkCanAsk, consent, consentFlags, type Plan } from "./Consent.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

/** How many sequences a line shows. */
const SHOWN = 20

const counted = (count: number): string => `${count} ${count === 1 ? "event" : "events"}`

const sequencesText = (sequences: ReadonlyArray<number>): string => {
  const more = sequences.length - SHOWN
  return `sequence ${sequences.slice(0, SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const planOf = (
  { id, name }: ManagedWorkspace,
  reason: string,
  found: Effect.Success<ReturnType<Erasure["Service"]["preview"]>>
): Plan => {
  const { sequences, archived, waiting } = found
  const lines = [
    `Workspace ${name} (${id}): the contents of ${counted(sequences.length)} will be erased for good${
      sequences.length === 0 ? "" : `: ${sequencesText(sequences)}`
    }.`,
    ...(archived === 0 ? [] : [`${counted(archived)} of these are in the archive.`]),
    ...(waiting === 0 ? [] : [`${counted(waiting)} of the service still wait, and may be among them then.`]),
    "The search index, alerts, messages and exports lose them too. What was delivered, and backups, keep them.",
    `The log records the sequences and the reason: ${reason}`
  ]
  return {
    value: { action: "erase", workspace: { id, name }, reason, ...found },
    text: lines.join("\n")
  }
}

const archiveFailed = ({ operation, cause }: { readonly operation: string; readonly cause: unknown }) =>
  Effect.fail(
    new CommandFailed({
      message: `The archive is not available (${operation}: ${String(cause)}); run the command again once it is`,
      kind: "failed"
    })
  )

/** `cairn erase` */
export const eraseCommand = Command.make(
  "erase",
  {
    workspace: workspaceFlag,
    event: Flag.String("event").pipe(Flag.withDescription("Ids of events, comma-separated"), Flag.optional),
    actor: Flag.String("actor").pipe(
      Flag.withDescription("Id of an actor, all of whose events are erased"),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(
      Flag.withDescription("Why; the log records it, so it must not name a person")
    ),
    ...consentFlags,
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const actorId = Option.getOrUndefined(flags.actor)
    const eventIds = Option.getOrElse(flags.event, () => "")
      .split(",")
      .map((id) => id.trim().toLowerCase())
      .filter((id) => id !== "")
    if ((actorId === undefined) === (eventIds.length === 0)) {
      return yield* new CommandFailed({ message: "Give either --event or --actor" })
    }
    yield* checkCanAsk("cairn erase", flags)
    return yield* Effect.gen(function* () {
      const workspace = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const target = actorId === undefined ? { eventIds } : { actorId }
      const erasure = yield* Erasure
      const found = yield* erasure.preview(workspace.id, target)
      if (!(yield* consent(flags, planOf(workspace, flags.reason, found)))) return
      const sequences = yield* erasure
        .erase(workspace.id, target, flags.reason)
        .pipe(
          Effect.catchTag("NothingToErase", () =>
            Effect.fail(new CommandFailed({ message: "No such event has any content left to erase" }))
          )
        )
      yield* print(
        flags.json,
        { sequences },
        `${sequences.length} ${sequences.length === 1 ? "event is" : "events are"} erased: sequence ${sequences.join(", ")}`
      )
    }).pipe(Effect.catchTag("ArchiveUnavailable", archiveFailed), Effect.provide(layerErasure(settings)))
  })
).pipe(
  Command.withExamples([
    { command: 'cairn erase -w Acme --actor usr_42 --reason "request 2026-117" --dry-run' },
    { command: 'cairn erase -w Acme --actor usr_42 --reason "request 2026-117"' }
  ]),
  Command.withDescription(
    "Remove the content of events for good, as privacy law may require; their headers and the chain stay. The server may be running"
  )
)
