/**
 * The keys under which alert rules store state about an actor. Erasing a person's events removes the rows
 * with these keys, so a rule that used another key would keep data that must be erased.
 */
import type { Concern } from "./RuleEvaluator.ts"

/** The key of the row with the time when an actor, or the whole workspace, last raised an alert. */
export const cooldownKey = ({ actor }: Concern): string => (actor === null ? "raised" : `raised:${actor}`)

/**
 * The keys under which rules store state about an actor: complete keys, and prefixes. Countries belong to no
 * rule, see `countriesKeys`.
 */
export const actorKeys = (actorId: string) => ({
  whole: [cooldownKey({ row: null, actor: actorId }), `actor:${actorId}`],
  beginning: `action:${actorId.length}:${actorId}:`
})
