/** What the commands have in common. */

import { Micros } from "@cairn/core/encoding"
import { InvalidInput } from "@cairn/core/event"
import { printable, printableJson, printableLines } from "@cairn/core/verification"
import { type ManagedWorkspace, ManagedWorkspaces, withNewName } from "@cairn/core/workspace"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { type Configuration, readConfiguration } from "../settings/Configuration.ts"
import { type SecretFileUnusable, withSecretFiles } from "../settings/SecretFiles.ts"
import type { InvalidConfiguration } from "../settings/SettingDeclaration.ts"
import { CommandFailed } from "./Failure.ts"

/** The settings from the environment, and from the files that it names. */
export const configuration: Effect.Effect<Configuration, InvalidConfiguration | SecretFileUnusable> =
  Effect.suspend(() => Effect.flatMap(withSecretFiles(process.env), readConfiguration))

/** `--json` */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON value instead of text"),
  Flag.withDefault(false)
)

/** `--workspace` */
export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withAlias("w"),
  Flag.withDescription("Workspace id or name; optional when there is only one"),
  Flag.optional
)

/** A flag for a time. */
export const momentFlag = (name: string, help: string) =>
  Flag.String(name).pipe(Flag.withDescription(help), Flag.optional)

/** Reads the value of a {@link momentFlag}. */
export const readMoment = (name: string, text: Option.Option<string>) => {
  if (Option.isNone(text)) return Effect.undefined
  const micros = Micros.parse(text.value)
  return micros === undefined
    ? Effect.fail(new InvalidInput({ path: `--${name}`, reason: "must be an ISO 8601 date or date-time" }))
    : Effect.succeed(micros)
}

/**
 * Prints a result as JSON or as text, without what a terminal would obey: names and actions are others'
 * texts.
 */
export const print = (asJson: boolean, value: unknown, text: string) =>
  Console.log(asJson ? printableJson(value) : printableLines(text))

/** A line of a list: others' texts in it do not begin another one. */
export const row = (...cells: ReadonlyArray<string>): string =>
  cells.map((cell) => printable(cell, Number.POSITIVE_INFINITY)).join("  ")

/** The workspace that is meant: an id names one for good, and a name unless several have it. */
export const findWorkspace = Effect.fnUntraced(function* (wanted: string | undefined) {
  const all = yield* (yield* ManagedWorkspaces).list
  const hint =
    all.length === 0 ? "there is none yet: cairn workspace create NAME" : all.map(describe).join(", ")
  const [only] = all
  if (wanted === undefined) {
    if (only !== undefined && all.length === 1) return only
    return yield* new CommandFailed({ message: `Name a workspace with --workspace: ${hint}` })
  }
  const byId = all.find(({ id }) => id === wanted)
  if (byId !== undefined) return byId
  const found = all.filter(({ name }) => name === wanted)
  const [match] = found
  if (match !== undefined && found.length === 1) return match
  const quoted = JSON.stringify(wanted)
  return yield* new CommandFailed({
    message:
      match === undefined
        ? `No workspace is ${quoted}: ${hint}`
        : `More than one workspace is named ${quoted}; name it by its id: ${found.map(({ id }) => id).join(", ")}`
  })
})

/** Refuses a new name for a workspace that another one has. */
export const checkNewName = Effect.fnUntraced(function* (workspaceId: string, name: string) {
  const all = yield* (yield* ManagedWorkspaces).list
  const namesakes = all.filter((other) => other.name === name && other.id !== workspaceId)
  return yield* Effect.fromResult(withNewName(name)(namesakes.map(({ id }) => id)))
})

const describe = ({ id, name }: ManagedWorkspace): string => `${id} (${name})`
