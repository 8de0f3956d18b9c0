/** `repeated_action`: the same actor repeats the same action rapidly. */
import { Effect, Schema } from "effect"
import { SECOND } from "../../encoding/Micros.ts"
import { type AlertStateRows, stateTable } from "../AlertState.ts"
import { integer } from "../ParameterSchemas.ts"
import { actorLabel, type RuleEvaluator, seconds } from "../RuleEvaluator.ts"
import { MAX_THRESHOLD, MAX_WINDOW_SECONDS, moments, slide } from "../SlidingWindow.ts"

/** The parameters, each with its default. */
export const RepeatedActionParameters = Schema.Struct({
  threshold: integer(2, MAX_THRESHOLD)
    .annotate({ description: "How many repetitions are needed for an alert; 20 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(20))),
  window_seconds: integer(1, MAX_WINDOW_SECONDS)
    .annotate({ description: "Within how many seconds; 60 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(60)))
}).annotate({ identifier: "RepeatedActionParameters", description: "What counts as repeated rapidly" })
export type RepeatedActionParameters = typeof RepeatedActionParameters.Type

/**
 * The event that is the threshold-th of its actor and action within the window fires, and so does each later
 * one while the condition holds.
 */
export const repeatedAction = (
  { threshold, window_seconds }: RepeatedActionParameters,
  ruleId: string,
  stored: AlertStateRows
): RuleEvaluator => {
  const table = stateTable(moments, ruleId, stored)
  return {
    // The length keeps an actor `a` with action `bc` apart from an actor `ab` with action `c`.
    concern: ({ content: { actor, action } }) => ({
      row: `action:${actor.id.length}:${actor.id}:${action}`,
      actor: actor.id
    }),
    step: ({ createdAt, content }, { row }) => {
      if (row === null) return undefined
      const within = slide(table.get(row, createdAt) ?? [], createdAt, window_seconds, threshold)
      table.set(row, within, createdAt + window_seconds * SECOND)
      return within.length < threshold
        ? undefined
        : `${actorLabel(content)} performed ${content.action} ${threshold} times within ${seconds(window_seconds)}`
    },
    changed: table.changed
  }
}
