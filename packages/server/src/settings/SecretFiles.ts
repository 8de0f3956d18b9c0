/** Secrets from files: `CAIRN_…_FILE` names the file that holds what `CAIRN_…` would. */
import { readFileSync } from "node:fs"
import { Data, Effect } from "effect"
import type { Environment, Setting } from "./SettingDeclaration.ts"
import { SETTINGS } from "./Settings.ts"

/**
 * A secret is not read from its file. What the variable or the file holds is not shown: it may be the secret.
 */
export class SecretFileUnusable extends Data.TaggedError("SecretFileUnusable")<{
  readonly variable: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.variable}: ${this.reason}`
  }
}

const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)

/** The variable that names a setting's file. */
export const fileVariable = ({ name }: Setting<unknown>): string => `${name}_FILE`

/** Whether a setting may be read from a file: it is a secret, or may hold one. */
export const isFromFile = ({ secret, mayHoldSecret }: Setting<unknown>): boolean =>
  secret === true || mayHoldSecret === true

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason"

const readSecret = (variable: string, file: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8").replace(/\r?\n$/, ""),
    catch: (cause) =>
      new SecretFileUnusable({ variable, reason: `the file cannot be read (${codeOf(cause)})` })
  })

/** What the file of a setting holds, without one newline at its end; undefined if no variable names one. */
export const secretInFile = Effect.fnUntraced(function* (
  environment: Environment,
  setting: Setting<unknown>
) {
  const variable = fileVariable(setting)
  const file = isFromFile(setting) ? environment[variable] : undefined
  if (file === undefined) return undefined
  if (environment[setting.name] !== undefined) {
    return yield* new SecretFileUnusable({
      variable,
      reason: `${setting.name} is set too; set one of them`
    })
  }
  return yield* readSecret(variable, file)
})

/** The environment, with each secret that is in a file; one newline at the file's end is left out. */
export const withSecretFiles = Effect.fnUntraced(function* (environment: Environment) {
  const read: Record<string, string> = {}
  for (const setting of settings) {
    const secret = yield* secretInFile(environment, setting)
    if (secret !== undefined) read[setting.name] = secret
  }
  const all: Environment = { ...environment, ...read }
  return all
})
