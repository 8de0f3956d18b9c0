/** `cairn workspace create|list|show|update` */
import { AnchorSchedule, InvalidInput, limitsOf, Micros, type Workspace, Workspaces } from "@cairn/core"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Composition from "../Composition.ts"
import { COMMAND_LINE } from "../management/ManagementEvent.ts"
import { WorkspaceManagement } from "../management/WorkspaceManagement.ts"
import { configuration, findWorkspace, json, print } from "./Shared.ts"

const plan = Flag.Literals("plan", ["free", "starter", "pro", "enterprise"]).pipe(
  Flag.withDescription("Plan, which sets the limits"),
  Flag.optional
)

const view = (workspace: Workspace) => ({
  ...workspace,
  created_at: Micros.format(workspace.created_at),
  limits: limitsOf(workspace.plan, workspace.overrides)
})

const line = ({ id, name, plan, created_at }: Workspace): string =>
  `${id}  ${Micros.format(created_at)}  ${plan.padEnd(10)}  ${name}`

const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(configuration, (settings) => Effect.provide(effect, Composition.acceptSide(settings)))

const create = Command.make(
  "create",
  { name: Argument.String("name").pipe(Argument.withDescription("What it is called")), plan, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const workspace = yield* (yield* WorkspaceManagement).create(COMMAND_LINE, {
        name: flags.name,
        ...(Option.isSome(flags.plan) ? { plan: flags.plan.value } : {})
      })
      yield* print(
        flags.json,
        view(workspace),
        `${workspace.id}\n\nNext: cairn key create --workspace ${workspace.id}`
      )
    }).pipe(withDatabase)
  })
).pipe(Command.withDescription("Make a workspace, which has a log of its own"))

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const all = yield* (yield* Workspaces).list
      yield* print(flags.json, all.map(view), all.length === 0 ? "No workspaces" : all.map(line).join("\n"))
    }).pipe(withDatabase)
  })
).pipe(Command.withDescription("List the workspaces"))

/** The items of a list, separated by commas. */
const items = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const frameAncestors = (text: string): ReadonlyArray<string> | null => {
  const given = text.trim()
  if (given === "default") return null
  return given === "none" ? [] : items(given)
}

const decodeSchedule = Schema.decodeUnknownEffect(AnchorSchedule)

const schedule = (text: string): Effect.Effect<AnchorSchedule | null, InvalidInput> =>
  text.trim() === "default"
    ? Effect.succeed(null)
    : Effect.mapError(
        decodeSchedule({ every_seconds: Number(text), offset_seconds: 0 }),
        () =>
          new InvalidInput({
            path: "anchor-every",
            reason: `must be default or a whole number of seconds up to a year, not ${text}`
          })
      )

const named = Argument.String("workspace").pipe(Argument.withDescription("Id or name"))

const show = Command.make(
  "show",
  { workspace: named, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const workspace = view(yield* findWorkspace(flags.workspace))
      yield* print(flags.json, workspace, JSON.stringify(workspace, null, 2))
    }).pipe(withDatabase)
  })
).pipe(Command.withDescription("Show a workspace's settings and limits"))

const update = Command.make(
  "update",
  {
    workspace: named,
    name: Flag.String("name").pipe(Flag.withDescription("New name"), Flag.optional),
    plan,
    allow: Flag.String("allow").pipe(
      Flag.withDescription("Addresses or CIDRs, comma-separated, that may use its API keys; empty for all"),
      Flag.optional
    ),
    frameAncestors: Flag.String("frame-ancestors").pipe(
      Flag.withDescription(
        "Origins, comma-separated, whose pages may embed its viewer; none for nobody's, default for those of the service"
      ),
      Flag.optional
    ),
    anchorEvery: Flag.String("anchor-every").pipe(
      Flag.withDescription("Seconds from one anchor's period to the next; default for those of the service"),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* (flags) {
    const anchorSchedule = yield* Effect.transposeOption(Option.map(flags.anchorEvery, schedule))
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(flags.workspace)
      const updated = yield* (yield* WorkspaceManagement).update(COMMAND_LINE, id, {
        ...(Option.isSome(flags.name) ? { name: flags.name.value } : {}),
        ...(Option.isSome(flags.plan) ? { plan: flags.plan.value } : {}),
        ...(Option.isSome(flags.allow) ? { ip_allowlist: items(flags.allow.value) } : {}),
        ...(Option.isSome(flags.frameAncestors)
          ? { viewer_frame_ancestors: frameAncestors(flags.frameAncestors.value) }
          : {}),
        ...(Option.isSome(anchorSchedule) ? { anchor_schedule: anchorSchedule.value } : {})
      })
      yield* print(flags.json, view(updated), line(updated))
    }).pipe(withDatabase)
  })
).pipe(Command.withDescription("Change a workspace's settings"))

/** `cairn workspace` */
export const workspaceCommand = Command.make("workspace").pipe(
  Command.withDescription("Workspaces, each with a log of its own"),
  Command.withSubcommands([create, list, show, update])
)
