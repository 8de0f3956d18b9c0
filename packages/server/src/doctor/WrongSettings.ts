/**
 * The settings as far as they are right: everything that is wrong with them is reported, not only the first.
 */
import { Effect, Result } from "effect"
import { type ChainSettings, chainSettingsFor } from "../settings/AnchorSettings.ts"
import { type Configuration, readConfiguration } from "../settings/Configuration.ts"
import { fileVariable, type SecretFileUnusable, secretInFile } from "../settings/SecretFiles.ts"
import {
  type Environment,
  type InvalidConfiguration,
  readSetting,
  type Setting
} from "../settings/SettingDeclaration.ts"
import { SETTINGS } from "../settings/Settings.ts"

/** Something that is wrong with the settings. */
export interface WrongSetting {
  readonly cause: string
  readonly mend: string
}

/** The settings, with the defaults of those that are wrong. */
export interface ReadSettings {
  /** With what secret files hold, and without the variables that are wrong. */
  readonly environment: Environment
  readonly configuration: Configuration
  readonly chain: ChainSettings | null
  readonly wrong: ReadonlyArray<WrongSetting>
  /** The variables that are wrong, or useless because another is. */
  readonly leftOut: ReadonlySet<string>
}

const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)

/** What makes no sense without a variable that is missing: its error means these. */
const NEEDED_BY: Readonly<Record<string, ReadonlyArray<Setting<unknown>>>> = {
  [SETTINGS.mailFrom.name]: [SETTINGS.smtpUrl],
  [SETTINGS.oidcIssuer.name]: [SETTINGS.oidcClientId, SETTINGS.oidcRoles],
  [SETTINGS.oidcClientId.name]: [SETTINGS.oidcIssuer],
  [SETTINGS.anchorUrls.name]: [SETTINGS.anchorPrivateKey],
  [SETTINGS.anchorPrivateKey.name]: [SETTINGS.anchorUrls]
}

const invalid = ({ variable, allowed, message }: InvalidConfiguration): WrongSetting => ({
  cause: message,
  mend: `set ${variable} to ${allowed.replace(/^set /, "a value ")}`
})

const unreadable = ({ variable, message }: SecretFileUnusable): WrongSetting => ({
  cause: message,
  mend: `let ${variable} name a file that the user of the server can read, and unset ${variable.replace(/_FILE$/, "")}`
})

const without = (environment: Environment, names: ReadonlyArray<string>): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)))

/** Each setting by itself. */
const readEach = Effect.fnUntraced(function* (given: Environment) {
  let environment = given
  const wrong: Array<WrongSetting> = []
  const leftOut: Array<string> = []
  for (const setting of settings) {
    const inFile = yield* Effect.result(secretInFile(given, setting))
    if (Result.isFailure(inFile)) wrong.push(unreadable(inFile.failure))
    else if (inFile.success !== undefined) environment = { ...environment, [setting.name]: inFile.success }
    const value = yield* Effect.result(readSetting(environment, setting))
    if (Result.isFailure(value)) wrong.push(invalid(value.failure))
    if (Result.isFailure(inFile) || Result.isFailure(value)) {
      environment = without(environment, [setting.name, fileVariable(setting)])
      leftOut.push(setting.name)
    }
  }
  return { environment, wrong, leftOut }
})

/** All of them, and what belongs together. */
const readTogether = Effect.fnUntraced(function* (environment: Environment) {
  const configuration = yield* readConfiguration(environment)
  return { configuration, chain: yield* chainSettingsFor(configuration) }
})

/** Reads every setting, and leaves out what is wrong. */
export const readSettings = Effect.fnUntraced(function* (given: Environment) {
  const each = yield* readEach(given)
  let { environment } = each
  const wrong = [...each.wrong]
  const leftOut = new Set(each.leftOut)
  for (;;) {
    const all = yield* Effect.result(readTogether(environment))
    if (Result.isSuccess(all)) {
      const read: ReadSettings = { environment, ...all.success, wrong, leftOut }
      return read
    }
    const { failure } = all
    const useless = (NEEDED_BY[failure.variable] ?? []).map(({ name }) => name)
    const names = [failure.variable, ...useless].filter((name) => environment[name] !== undefined)
    // Nothing to leave out: a default would be wrong.
    if (names.length === 0) return yield* Effect.die(failure)
    // A variable that is wrong itself has been reported already, so what needs it is not.
    if (!leftOut.has(failure.variable)) wrong.push(invalid(failure))
    for (const name of [failure.variable, ...names]) leftOut.add(name)
    environment = without(environment, names)
  }
})
