/** Variables that look like settings and are none: a misspelt one would be ignored without a word. */
import { nearestName } from "@cairn/core/encoding"
import { unknownName } from "@cairn/core/event"
import { fileVariable, isFromFile } from "./SecretFiles.ts"
import type { Environment, Setting } from "./SettingDeclaration.ts"
import { SETTINGS } from "./Settings.ts"

const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)

const known: ReadonlyArray<string> = [
  ...settings.map(({ name }) => name),
  ...settings.filter(isFromFile).map(fileVariable)
]

/** Of clients, which may share the shell of an operator. */
const OF_CLIENTS = "CAIRN_API_KEY"

/** A line for each `CAIRN_*` variable that is no setting, with the nearest that is one; never its value. */
export const unknownVariables = (environment: Environment): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => name.startsWith("CAIRN_") && name !== OF_CLIENTS && !known.includes(name))
    .map((name) => `${name} ${unknownName(nearestName(name, known))}`)
