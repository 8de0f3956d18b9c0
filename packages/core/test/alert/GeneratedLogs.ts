/** Generated logs, and rules that they set off. */
import { Micros } from "@cairn/core/encoding"
import * as FastCheck from "fast-check"
import type { AlertRule } from "../../src/alert/AlertRuleDefinition.ts"
import type { AlertEvent } from "../../src/alert/RuleEvaluator.ts"
import { log, rule, type Said } from "./rules/Cases.ts"

/** Sensitive enough that a log of a hundred events sets each of them off. */
export const sensitiveRules = (cooldown: number): ReadonlyArray<AlertRule> => [
  rule({ rule_type: "new_country", cooldown_seconds: cooldown }, "rul_a"),
  rule(
    {
      rule_type: "high_volume_destructive",
      cooldown_seconds: cooldown,
      parameters: { threshold: 3, window_seconds: 60 }
    },
    "rul_b"
  ),
  rule(
    {
      rule_type: "high_volume_destructive",
      cooldown_seconds: cooldown,
      tenant_id: "acme",
      parameters: { threshold: 2, window_seconds: 600, scope: "workspace" }
    },
    "rul_c"
  ),
  rule(
    {
      rule_type: "ingestion_spike",
      cooldown_seconds: cooldown,
      parameters: { minimum_events: 5, factor: 2, window_seconds: 10 }
    },
    "rul_d"
  ),
  rule(
    {
      rule_type: "repeated_action",
      cooldown_seconds: cooldown,
      action: "user.*",
      parameters: { threshold: 2, window_seconds: 30 }
    },
    "rul_e"
  ),
  rule(
    {
      rule_type: "off_hours",
      cooldown_seconds: cooldown,
      parameters: { timezone: "America/New_York", start: "08:05", end: "08:20" }
    },
    "rul_f"
  )
]

/** What some people do. */
export const ACTIONS = ["user.deleted", "user.viewed", "api_key.revoked"]

/** Up to 120 events with these actions, for {@link logOf}. */
export const someEvents = (actions: ReadonlyArray<string> = ACTIONS) =>
  FastCheck.array(
    FastCheck.record({
      /** Microseconds since the event before; a batch's items are one apart. */
      gap: FastCheck.oneof(
        FastCheck.constant(1),
        FastCheck.integer({ min: 1, max: 20 * Micros.SECOND }),
        FastCheck.integer({ min: 1, max: 7200 * Micros.SECOND })
      ),
      actor: FastCheck.constantFrom("ada", "bob", "çelik"),
      action: FastCheck.constantFrom(...actions),
      country: FastCheck.constantFrom(null, "FR", "DE", "US"),
      tenant: FastCheck.constantFrom(null, "acme")
    }),
    { maxLength: 120 }
  )

type SomeEvents = ReturnType<typeof someEvents> extends FastCheck.Arbitrary<infer Events> ? Events : never

/** The log of these events. */
export const logOf = (events: SomeEvents): ReadonlyArray<AlertEvent> => {
  let at = 0
  return log(
    events.map(({ gap, ...said }): Said => {
      at += gap
      return { ...said, at: at / Micros.SECOND }
    })
  )
}

/** Logs of such events. */
export const aLog = someEvents().map(logOf)

/** Cuts a list at the given places. */
export const split = <A>(
  list: ReadonlyArray<A>,
  places: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<A>> => {
  const cuts = [...places.map((place) => place % (list.length + 1)), list.length].sort((a, b) => a - b)
  return cuts.map((cut, index) => list.slice(cuts[index - 1] ?? 0, cut))
}
