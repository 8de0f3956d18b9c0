/** `cairn config` */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { fileVariable, isFromFile } from "../settings/SecretFiles.ts"
import { type Environment, type Setting, shownSetting } from "../settings/SettingDeclaration.ts"
import { SETTINGS } from "../settings/Settings.ts"
import { unknownVariables } from "../settings/UnknownVariables.ts"
import { configuration, json, print } from "./Shared.ts"

const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)

/** Where a setting's value comes from. */
const sourceOf = (environment: Environment, setting: Setting<unknown>) => {
  if (environment[setting.name] !== undefined) return "environment"
  return isFromFile(setting) && environment[fileVariable(setting)] !== undefined ? "file" : "default"
}

const standing = (environment: Environment) => (setting: Setting<unknown>) => {
  const source = sourceOf(environment, setting)
  const value =
    source === "file" ? "(hidden)" : shownSetting(setting, environment[setting.name] ?? setting.fallback)
  return { name: setting.name, value, source }
}

/** `cairn config` */
export const configCommand = Command.make(
  "config",
  { json },
  Effect.fn(function* (flags) {
    // A wrong setting fails this as it fails the server.
    yield* configuration
    const shown = settings.map(standing(process.env))
    const unknown = unknownVariables(process.env)
    const width = Math.max(...shown.map(({ name }) => name.length))
    const lines = shown.map(({ name, value, source }) =>
      `${name.padEnd(width)}  ${source.padEnd(11)}  ${value}`.trimEnd()
    )
    yield* print(flags.json, { settings: shown, unknown }, [...lines, ...unknown].join("\n"))
  })
).pipe(
  Command.withExamples([{ command: "cairn config" }, { command: "cairn config --json" }]),
  Command.withDescription(
    "Show each setting's value and where it comes from (environment, file or default), with secrets hidden"
  )
)
