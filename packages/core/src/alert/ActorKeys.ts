/**
 * The keys under which alert rules remember an actor. Erasure of a person's events removes the rows of these
 * keys, so a rule that remembers an actor under another key would keep what was to be erased.
 */
import type { Concern } from "./RuleEvaluator.ts"

/** The row that holds when an actor, or the whole workspace, last raised an alert. */
export const cooldownKey = ({ actor }: Concern): string => (actor === null ? "raised" : `raised:${actor}`)

/**
 * The keys under which the rules remember an actor: whole ones, and what others begin with. Countries are not
 * a rule's, see `countriesKey`.
 */
export const actorKeys = (actorId: string) => ({
  whole: [cooldownKey({ row: null, actor: actorId }), `actor:${actorId}`],
  beginning: `action:${actorId.length}:${actorId}:`
})
