/** `cairn erase` */

import { Erasure } from "@cairn/core/retention"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerErasure } from "../layers/Commands.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

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
    return yield* Effect.gen(function* () {
      const { id: workspaceId } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const target = actorId === undefined ? { eventIds } : { actorId }
      const sequences = yield* (yield* Erasure).erase(workspaceId, target, flags.reason).pipe(
        Effect.catchTag("NothingToErase", () =>
          Effect.fail(new CommandFailed({ message: "No such event has any content left to erase" }))
        ),
        Effect.catchTag("ArchiveUnavailable", ({ operation, cause }) =>
          Effect.fail(
            new CommandFailed({
              message: `The archive is not available (${operation}: ${String(cause)}); run the command again once it is`,
              kind: "failed"
            })
          )
        )
      )
      yield* print(
        flags.json,
        { sequences },
        `${sequences.length} ${sequences.length === 1 ? "event is" : "events are"} erased: sequence ${sequences.join(", ")}`
      )
    }).pipe(Effect.provide(layerErasure(settings)))
  })
).pipe(
  Command.withExamples([{ command: 'cairn erase -w Acme --actor usr_42 --reason "request 2026-117"' }]),
  Command.withDescription(
    "Remove the content of events for good, as privacy law may require; their headers and the chain stay. The server may be running"
  )
)
