/**
 * The interface between an alert rule and the evaluation: a step over the events of a log, in chain order.
 */

import type { Micros } from "../encoding/Micros.ts"
import type { ContentHead } from "../event/ContentFields.ts"
import type { AlertStateRow } from "./AlertState.ts"

/** An event of the log, as rules get it. */
export interface AlertEvent {
  readonly id: string
  readonly createdAt: Micros
  readonly content: ContentHead
}

/** What a rule needs to evaluate an event. */
export interface Concern {
  /** The row that the rule reads and writes; null if it keeps no state. */
  readonly row: string | null
  /** The actor whose incident it would be, for the cooldown; null if it would be the workspace's. */
  readonly actor: string | null
}

/** What is known in addition to the event. */
interface Circumstances {
  /**
   * The countries in which the event's actor was seen in earlier events, for an access event in earlier ones
   * of these; `undefined` if there were none.
   */
  readonly countries: ReadonlyArray<string> | undefined
}

/**
 * One rule over one batch.
 *
 * A rule measures time by `createdAt`, the order of the chain, which no client can set. Only `off_hours` uses
 * `occurred_at`.
 */
export interface RuleEvaluator {
  /** Whether the rule evaluates the event at all, and what it needs for that. */
  readonly concern: (event: AlertEvent) => Concern | undefined
  /** Adds the event to the state; returns the reason for an alert if the event completes an incident. */
  readonly step: (event: AlertEvent, concern: Concern, circumstances: Circumstances) => string | undefined
  /** The rows to store after the batch. */
  readonly changed: () => ReadonlyArray<AlertStateRow>
}

const MAX_LABEL = 120

/**
 * How a reason names the actor: by name, or else by id, at most 120 characters. A name may contain U+0000,
 * which no database accepts in text.
 */
export const actorLabel = ({ actor }: ContentHead): string =>
  shorten((actor.name || actor.id).replaceAll("\0", "\uFFFD"))

/** At most 120 characters of `text`, without cutting one in half. */
export const shorten = (text: string): string => {
  if (text.length <= MAX_LABEL) return text
  return `${[...text.slice(0, MAX_LABEL * 2)].slice(0, MAX_LABEL - 1).join("")}…`
}

/** `1 second`, `2 seconds`. */
export const seconds = (count: number): string => (count === 1 ? "1 second" : `${count} seconds`)
