/** What a language needs to say what happened. */
import type { Verb } from "./Verbs.ts"

/** Actors that are no people, as they are called where they have no name. */
export type Machine = "api_key" | "system" | "service"

/** What became of what was tried, where an event tells that it came to nothing. */
export type Outcome = "failed" | "denied"

/**
 * The texts of one language. Templates name what they are filled with in braces: `{actor}`, `{object}`,
 * `{target}`, `{verb}`, `{noun}`, `{action}`.
 */
export interface SentenceTexts {
  /** Names of the columns. */
  readonly event: string
  readonly category: string
  /** Somebody does something to something: `{verb}` is the verb's form. */
  readonly sentence: string
  /** Of an action with no verb that is known. */
  readonly neutral: string
  /** After the first of several. */
  readonly more: (count: string) => string
  readonly actors: Readonly<Record<Machine, string>>
  readonly outcomes: Readonly<Record<Outcome, string>>
  /** The form of each verb in {@link sentence}, or a sentence of its own, with braces. */
  readonly verbs: Readonly<Record<Verb, string>>
  /** Of verbs that need no object. */
  readonly alone: Readonly<Partial<Record<Verb, string>>>
  /** Of verbs that lead from the object to somebody else. */
  readonly withTarget: Readonly<Partial<Record<Verb, string>>>
}
