/**
 * What a setting is: a variable of the environment, declared once. `--help` and `docs/Configuration.md`
 * derive from it.
 */
import { Data, Effect, Option, Schema } from "effect"

/** The variables that a process was started with. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Which values a variable may have. */
export interface Values<A> {
  /** Decodes the variable's text. */
  readonly schema: Schema.Codec<A, string>
  /** What the schema allows, in words that follow "must be". */
  readonly allowed: string
}

/** One setting. */
export interface Setting<A> extends Values<A> {
  readonly name: string
  /** The text that is decoded when the variable is not set; empty for a setting that has no value then. */
  readonly fallback: string
  /** What holds when the variable is not set and `fallback` is empty; nothing unless it is given. */
  readonly otherwise?: string
  /** What it means, in one line of Markdown. */
  readonly meaning: string
  /** What only the documentation adds, in Markdown. */
  readonly details?: string
  /** Whether an error hides the value. */
  readonly secret?: true
  /** Whether the value may be a URL with a secret in it, which is hidden. */
  readonly mayHoldSecret?: true
}

/** A variable has a value that is not allowed. */
export class InvalidConfiguration extends Data.TaggedError("InvalidConfiguration")<{
  readonly variable: string
  readonly value: string
  readonly allowed: string
}> {
  override get message(): string {
    return `${this.variable} is ${JSON.stringify(this.value)}, but must be ${this.allowed}`
  }
}

/** A URL without its password, which ends at the last `@`: it may hold one itself. */
const withoutPassword = (value: string): string => {
  const scheme = value.indexOf("://")
  const end = value.lastIndexOf("@")
  if (scheme === -1) return value
  const name = value.slice(scheme + 3, end === -1 ? 0 : end)
  const length = name.search(/[:@]/)
  return name[length] === ":" ? `${value.slice(0, scheme + 3 + length)}:***${value.slice(end)}` : value
}

/** What was meant as a URL and is none: nobody can tell where its password is. */
const isBrokenUrl = (value: string): boolean => /[@?]/.test(value) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(value)

/** The value of a setting as an error may show it: a URL without its password, and nothing of a secret. */
const shown = ({ secret, mayHoldSecret }: Setting<unknown>, value: string): string =>
  secret === true || (mayHoldSecret === true && isBrokenUrl(value)) ? "(hidden)" : withoutPassword(value)

/** The value of a setting as `cairn config` shows it: nothing of a secret, nor of the query of a URL. */
export const shownSetting = ({ secret, mayHoldSecret }: Setting<unknown>, value: string): string => {
  if (secret === true) return value === "" ? "" : "(hidden)"
  if (mayHoldSecret !== true) return value
  if (isBrokenUrl(value)) return "(hidden)"
  return withoutPassword(value).replace(/\?.*$/s, "?(hidden)")
}

/**
 * The error for a value that the setting does not take; `allowed` where the schema is not what rejects it.
 */
export const invalidSetting = (
  setting: Setting<unknown>,
  value: string,
  allowed: string = setting.allowed
): InvalidConfiguration =>
  new InvalidConfiguration({ variable: setting.name, value: shown(setting, value), allowed })

/** Reads one setting. */
export const readSetting = <A>(
  environment: Environment,
  setting: Setting<A>
): Effect.Effect<A, InvalidConfiguration> => {
  const text = environment[setting.name] ?? setting.fallback
  return Option.match(Schema.decodeOption(setting.schema)(text), {
    onNone: () => Effect.fail(invalidSetting(setting, text)),
    onSome: Effect.succeed
  })
}
