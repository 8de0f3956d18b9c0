/** `high_volume_destructive`: many destructive actions within a short window, by one actor or by all. */
import { Effect, Schema } from "effect"
import { SECOND } from "../../encoding/Micros.ts"
import { actionGlob } from "../../event/ActionGlob.ts"
import { type AlertStateRows, stateTable } from "../AlertState.ts"
import { globs, integer } from "../ParameterSchemas.ts"
import { actorLabel, type RuleEvaluator, seconds } from "../RuleEvaluator.ts"
import { MAX_THRESHOLD, MAX_WINDOW_SECONDS, moments, slide } from "../SlidingWindow.ts"

/**
 * Destructive actions, by default. `drop` occurs more often within other words than alone, so it must begin a
 * word.
 */
export const DESTRUCTIVE_ACTIONS: ReadonlyArray<string> = [
  "*delete*",
  "*remove*",
  "*destroy*",
  "*purge*",
  "*revoke*",
  "*erase*",
  "drop*",
  "*.drop*",
  "*_drop*"
]

/** The parameters, each with its default. */
export const HighVolumeDestructiveParameters = Schema.Struct({
  actions: globs
    .annotate({
      description: "Patterns of the actions that count; those that delete, remove or revoke unless given"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(DESTRUCTIVE_ACTIONS))),
  threshold: integer(1, MAX_THRESHOLD)
    .annotate({ description: "How many are needed for an alert; 10 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(10))),
  window_seconds: integer(1, MAX_WINDOW_SECONDS)
    .annotate({ description: "Within how many seconds; 300 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(300))),
  scope: Schema.Literals(["actor", "workspace"])
    .annotate({
      description: "Whether to count each actor's actions, as unless given, or the whole workspace's"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("actor")))
}).annotate({
  identifier: "HighVolumeDestructiveParameters",
  description: "What counts as many destructive actions"
})
export type HighVolumeDestructiveParameters = typeof HighVolumeDestructiveParameters.Type

/**
 * The event that is the threshold-th destructive one within the window fires, and so does each later one
 * while the condition holds.
 */
export const highVolumeDestructive = (
  { actions, threshold, window_seconds, scope }: HighVolumeDestructiveParameters,
  ruleId: string,
  stored: AlertStateRows
): RuleEvaluator => {
  const table = stateTable(moments, ruleId, stored)
  const patterns = actions.map(actionGlob)
  return {
    concern: ({ content }) => {
      if (!patterns.some((matches) => matches(content.action))) return undefined
      const actor = scope === "actor" ? content.actor.id : null
      return { row: actor === null ? "all" : `actor:${actor}`, actor }
    },
    step: ({ createdAt, content }, { row }) => {
      if (row === null) return undefined
      const within = slide(table.get(row, createdAt) ?? [], createdAt, window_seconds, threshold)
      table.set(row, within, createdAt + window_seconds * SECOND)
      if (within.length < threshold) return undefined
      const who = scope === "actor" ? actorLabel(content) : "The workspace's actors"
      return `${who} performed ${threshold} destructive actions within ${seconds(window_seconds)}, the last one ${content.action}`
    },
    changed: table.changed
  }
}
