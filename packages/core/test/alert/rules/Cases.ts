/** Logs of a few events, and what a rule raises over them. */

import { Micros } from "@cairn/core/encoding"
import type { EventContent } from "@cairn/core/event"
import { nativeSha256, portableSha256 } from "@cairn/core/hashing"
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { evaluate, stateKeys } from "../../../src/alert/AlertEvaluation.ts"
import { type AlertRule, decodeAlertRule } from "../../../src/alert/AlertRuleDefinition.ts"
import { type AlertStateRows, mergeState, stateId } from "../../../src/alert/AlertState.ts"
import type { AlertEvent } from "../../../src/alert/RuleEvaluator.ts"

export const sha256 = nativeSha256 ?? portableSha256

/** 2024-05-01, a Wednesday, at noon UTC. */
export const NOON = Micros.parse("2024-05-01T12:00:00Z") ?? 0

/** One event, said by what matters. */
export interface Said {
  /** Seconds after noon at which it was recorded. */
  readonly at?: number
  readonly actor?: string
  readonly action?: string
  readonly country?: string | null
  readonly tenant?: string | null
  /** When it occurred, ISO 8601; when it was recorded unless said. */
  readonly occurred?: string
}

const content = (said: Said, createdAt: Micros.Micros): EventContent => ({
  action: said.action ?? "document.viewed",
  action_category: null,
  actor: { id: said.actor ?? "ada", name: null, type: null },
  idempotency_key: null,
  ip_city: null,
  ip_country: said.country ?? null,
  metadata: null,
  occurred_at: said.occurred ?? Micros.format(createdAt),
  resource: { type: null, id: null, name: null },
  session_id: null,
  targets: [],
  tenant_id: said.tenant ?? null,
  version: null
})

/** Events in the order said, a second apart unless it is said when. */
export const log = (said: ReadonlyArray<Said>): ReadonlyArray<AlertEvent> => {
  let last = NOON - Micros.SECOND
  return said.map((one, index) => {
    const createdAt = one.at === undefined ? last + Micros.SECOND : NOON + Math.round(one.at * Micros.SECOND)
    assert.isAbove(createdAt, last, "a log's times increase")
    last = createdAt
    return { id: `event-${index}`, createdAt, content: content(one, createdAt) }
  })
}

/** A rule from the body that would make it. */
export const rule = (body: Record<string, unknown>, id = "rul_1"): AlertRule => ({
  id,
  ...Result.getOrThrow(decodeAlertRule({ name: "A rule", ...body }))
})

/** What is raised over the batches, each given only the rows that it asked for, as a store would. */
export const raise = (
  rules: ReadonlyArray<AlertRule>,
  batches: ReadonlyArray<ReadonlyArray<AlertEvent>>,
  now?: Micros.Micros,
  before: AlertStateRows = new Map()
) => {
  let rows = before
  const alerts = batches.flatMap((events) => {
    const asked = new Set(stateKeys(rules, events).map(stateId))
    const given = new Map([...rows].filter(([id]) => asked.has(id)))
    const triggeredAt = ({ createdAt }: AlertEvent) => now ?? createdAt
    const { alerts, changed } = evaluate({ rules, events, rows: given, triggeredAt, sha256 })
    rows = mergeState(rows, changed, events.at(-1)?.createdAt ?? 0)
    return alerts
  })
  return { alerts, rows }
}

/** A line of a rule's table: what happens, and which events alert. */
export type Case = readonly [says: string, events: ReadonlyArray<Said>, alerts: ReadonlyArray<number>]

/** Holds a rule against its table, evaluating all at once and one event at a time. */
export const holds = (body: Record<string, unknown>, cases: ReadonlyArray<Case>): void => {
  it.each(cases)("%s", (_, said, expected) => {
    const events = log(said)
    const indexes = (batches: ReadonlyArray<ReadonlyArray<AlertEvent>>) =>
      raise([rule(body)], batches).alerts.map(({ event_id }) => events.findIndex(({ id }) => id === event_id))
    assert.deepStrictEqual(indexes([events]), expected)
    assert.deepStrictEqual(indexes(events.map((event) => [event])), expected, "one event at a time")
  })
}

/** The same event `count` times, `apart` seconds apart, the first at `from`. */
export const times = (count: number, from: number, apart: number, said: Said = {}): ReadonlyArray<Said> =>
  Array.from({ length: count }, (_, index) => ({ ...said, at: from + index * apart }))
