/** `cairn workspace create|list|show|update|export-and-close` */
import { AnchorSchedule } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { InvalidInput } from "@cairn/core/event"
import { COMMAND_LINE, WorkspaceManagement, workspaceView } from "@cairn/core/management"
import {
  LIMIT_NAMES,
  type ManagedWorkspace,
  ManagedWorkspaces,
  type PlanOverrides,
  UnknownFields,
  ViewerSettings
} from "@cairn/core/workspace"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerAccepting } from "../layers/Accepting.ts"
import { CommandFailed } from "./Failure.ts"
import { checkNewName, configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"
import { exportAndClose } from "./WorkspaceClosing.ts"

const plan = Flag.Literals("plan", ["free", "starter", "pro", "enterprise"]).pipe(
  Flag.withDescription("Plan, which sets the limits"),
  Flag.optional
)

const line = ({ id, name, plan, created_at, closed_at }: ManagedWorkspace): string =>
  `${id}  ${Micros.format(created_at)}  ${plan.padEnd(10)}  ${name}${closed_at === null ? "" : `  closed ${Micros.formatSeconds(closed_at)}`}`

const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(configuration, (settings) => Effect.provide(effect, layerAccepting(settings)))

const create = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the workspace, which no other has")),
    plan,
    json
  },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const workspace = yield* (yield* WorkspaceManagement).create(COMMAND_LINE, {
        name: flags.name,
        ...(Option.isSome(flags.plan) ? { plan: flags.plan.value } : {})
      })
      yield* print(
        flags.json,
        yield* view(workspace),
        `${workspace.id}\n\nNext: cairn key create --workspace ${workspace.id}`
      )
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn workspace create Acme --plan pro" }]),
  Command.withDescription("Create a workspace with its own log")
)

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const all = yield* (yield* ManagedWorkspaces).list
      yield* print(
        flags.json,
        yield* Effect.forEach(all, view),
        all.length === 0 ? "No workspaces" : all.map(line).join("\n")
      )
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn workspace list" }]),
  Command.withDescription("List the workspaces")
)

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

const decodeSentences = Schema.decodeUnknownEffect(Schema.fromJsonString(ViewerSettings.fields.sentences))

const viewerSettings = (text: string): Effect.Effect<ViewerSettings | null, InvalidInput> =>
  text.trim() === "default"
    ? Effect.succeed(null)
    : Effect.mapBoth(decodeSentences(text), {
        onSuccess: (sentences) => ({ sentences }),
        onFailure: () =>
          new InvalidInput({
            path: "viewer-sentences",
            reason: 'must be default or JSON such as {"document.*": {"en": "{actor} changed {resource}"}}'
          })
      })

const figure = (path: string, text: string): Effect.Effect<number | null, InvalidInput> => {
  if (text === "unlimited") return Effect.succeed(null)
  return /^[1-9]\d{0,14}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(
        new InvalidInput({ path, reason: `must be a whole number from 1 on, unlimited or plan, not ${text}` })
      )
}

const isLimit = (name: string): name is (typeof LIMIT_NAMES)[number] =>
  LIMIT_NAMES.some((known) => known === name)

/** The overrides with those changed that a text names: `retention_days=90,alert_rules=plan`. */
const readLimits = Effect.fnUntraced(function* (before: PlanOverrides, text: string) {
  const overrides: Record<string, number | null> = { ...before }
  const named = new Set<string>()
  for (const item of items(text)) {
    const [name = "", value = "", ...more] = item.split("=").map((part) => part.trim())
    if (!isLimit(name) || more.length > 0) {
      return yield* new InvalidInput({
        path: "limits",
        reason: `must name one of ${LIMIT_NAMES.join(", ")}, as in ${LIMIT_NAMES[0]}=600, not ${item}`
      })
    }
    if (named.has(name)) return yield* new InvalidInput({ path: `limits.${name}`, reason: "is given twice" })
    named.add(name)
    if (value === "plan") delete overrides[name]
    else overrides[name] = yield* figure(`limits.${name}`, value)
  }
  if (named.size === 0) return yield* new InvalidInput({ path: "limits", reason: "names none" })
  return overrides
})

/** An allowlist; an empty list is rejected, since it would admit every address. */
const allowlist = (text: string): Effect.Effect<ReadonlyArray<string>, InvalidInput> => {
  if (text.trim() === "all") return Effect.succeed([])
  const list = items(text)
  return list.length === 0
    ? Effect.fail(new InvalidInput({ path: "allow", reason: "names no address; all allows every address" }))
    : Effect.succeed(list)
}

const retention = (text: string): Effect.Effect<number | null, InvalidInput> =>
  text === "plan"
    ? Effect.succeed(null)
    : Effect.flatMap(figure("retention-days", text), (days) =>
        days === null
          ? Effect.fail(
              new InvalidInput({
                path: "retention-days",
                reason: "must be a whole number from 1 on, or plan"
              })
            )
          : Effect.succeed(days)
      )

/** As it is now. */
const view = (workspace: ManagedWorkspace) => Effect.map(Micros.now, (now) => workspaceView(workspace, now))

const named = Argument.String("workspace").pipe(
  Argument.withDescription("Id or name, as -w takes it; optional when there is only one workspace"),
  Argument.optional
)

/** The workspace that is named, by the argument or by `-w`. */
const findNamed = (flags: {
  readonly named: Option.Option<string>
  readonly workspace: Option.Option<string>
}) =>
  Option.isSome(flags.named) && Option.isSome(flags.workspace)
    ? Effect.fail(new CommandFailed({ message: "Name the workspace once, by the argument or by -w" }))
    : findWorkspace(Option.getOrUndefined(Option.orElse(flags.named, () => flags.workspace)))

const show = Command.make(
  "show",
  { named, workspace: workspaceFlag, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const workspace = yield* view(yield* findNamed(flags))
      yield* print(flags.json, workspace, JSON.stringify(workspace, null, 2))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn workspace show -w Acme" }]),
  Command.withDescription("Show a workspace's settings and limits")
)

const update = Command.make(
  "update",
  {
    named,
    workspace: workspaceFlag,
    name: Flag.String("name").pipe(Flag.withDescription("New name"), Flag.optional),
    plan,
    limits: Flag.String("limits").pipe(
      Flag.withDescription(
        `Limits that differ from the plan's, comma-separated, as in retention_days=90,alert_rules=unlimited; NAME=plan for the plan's own. Names: ${LIMIT_NAMES.join(", ")}`
      ),
      Flag.optional
    ),
    retentionDays: Flag.String("retention-days").pipe(
      Flag.withDescription(
        "Days to keep contents, at most the plan's; plan for the plan's own. Setting it back before it takes effect cancels a shorter retention"
      ),
      Flag.optional
    ),
    allow: Flag.String("allow").pipe(
      Flag.withDescription(
        "Addresses or CIDRs, comma-separated, that may use its API keys; all for every address"
      ),
      Flag.optional
    ),
    frameAncestors: Flag.String("frame-ancestors").pipe(
      Flag.withDescription(
        "Origins, comma-separated, whose pages may embed its viewer; none for no page, default for the service's own list"
      ),
      Flag.optional
    ),
    anchorEvery: Flag.String("anchor-every").pipe(
      Flag.withDescription("Seconds between the ends of two anchor periods; default for the service's own"),
      Flag.optional
    ),
    keyAccessEvents: Flag.Literals("key-access-events", ["on", "off"]).pipe(
      Flag.withDescription("Whether what API keys read is recorded in the log"),
      Flag.optional
    ),
    viewerSentences: Flag.String("viewer-sentences").pipe(
      Flag.withDescription(
        'The viewer\'s own sentences by action and language, as JSON such as {"document.*": {"en": "{actor} changed {resource}"}}; default for none'
      ),
      Flag.optional
    ),
    unknownFields: Flag.Literals("unknown-fields", UnknownFields.literals).pipe(
      Flag.withDescription("Whether an event with an unknown member is rejected, or accepted without it"),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* (flags) {
    const anchorSchedule = yield* Effect.transposeOption(Option.map(flags.anchorEvery, schedule))
    const retentionDays = yield* Effect.transposeOption(Option.map(flags.retentionDays, retention))
    const viewer = yield* Effect.transposeOption(Option.map(flags.viewerSentences, viewerSettings))
    yield* Effect.gen(function* () {
      const { id, name, overrides } = yield* findNamed(flags)
      if (Option.isSome(flags.name) && flags.name.value !== name) yield* checkNewName(id, flags.name.value)
      const limits = yield* Effect.transposeOption(
        Option.map(flags.limits, (text) => readLimits(overrides, text))
      )
      const updated = yield* (yield* WorkspaceManagement).update(COMMAND_LINE, id, {
        ...(Option.isSome(flags.name) ? { name: flags.name.value } : {}),
        ...(Option.isSome(flags.plan) ? { plan: flags.plan.value } : {}),
        ...(Option.isSome(limits) ? { overrides: limits.value } : {}),
        ...(Option.isSome(retentionDays) ? { retention_days: retentionDays.value } : {}),
        ...(Option.isSome(flags.allow) ? { ip_allowlist: yield* allowlist(flags.allow.value) } : {}),
        ...(Option.isSome(flags.frameAncestors)
          ? { viewer_frame_ancestors: frameAncestors(flags.frameAncestors.value) }
          : {}),
        ...(Option.isSome(anchorSchedule) ? { anchor_schedule: anchorSchedule.value } : {}),
        ...(Option.isSome(flags.keyAccessEvents)
          ? { key_access_events: flags.keyAccessEvents.value === "on" }
          : {}),
        ...(Option.isSome(viewer) ? { viewer: viewer.value } : {}),
        ...(Option.isSome(flags.unknownFields) ? { unknown_fields: flags.unknownFields.value } : {})
      })
      yield* print(flags.json, yield* view(updated), line(updated))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn workspace update -w Acme --retention-days 90" }]),
  Command.withDescription("Change a workspace's settings")
)

/** `cairn workspace` */
export const workspaceCommand = Command.make("workspace").pipe(
  Command.withExamples([{ command: "cairn workspace create Acme" }]),
  Command.withDescription("Workspaces, each with its own log"),
  Command.withSubcommands([create, list, show, update, exportAndClose])
)
