import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import type { EventContent } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { AlertEvent } from "../../../src/alert/RuleEvaluator.ts"
import { raise, rule } from "./Cases.ts"

const foreign = process.env.CAIRN_FOREIGN

const decodeLine = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      client_ip: Schema.NullOr(Schema.String),
      body: Schema.Struct({
        actor_id: Schema.String,
        actor_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
        action: Schema.String,
        occurred_at: Schema.String,
        tenant_id: Schema.optionalKey(Schema.NullOr(Schema.String))
      })
    })
  )
)

/** Where the test says that the laboratory's networks are; its addresses are private ones. */
const COUNTRIES: ReadonlyArray<readonly [prefix: string, country: string]> = [
  ["192.168.", "NL"],
  ["10.248.", "NL"],
  ["10.8.", "DE"],
  ["10.107.", "FR"],
  ["3.", "US"],
  ["52.", "US"]
]

const countryOf = (address: string | null): string | null =>
  COUNTRIES.find(([prefix]) => address?.startsWith(prefix))?.[1] ?? null

/** The trail as a log that was written while it happened: each event recorded when it occurred, in order. */
const trail = (): ReadonlyArray<AlertEvent> => {
  const text = readFileSync(join(foreign ?? "", "data/cloudtrail-invictus.jsonl"), "utf8")
  let last = 0
  return text
    .trim()
    .split("\n")
    .map((line) => decodeLine(line))
    .map(({ client_ip, body }, index) => {
      const occurred = Micros.parse(body.occurred_at) ?? 0
      last = Math.max(last + 1, occurred)
      const content: EventContent = {
        action: body.action,
        action_category: null,
        actor: { id: body.actor_id, name: body.actor_name ?? null, type: null },
        idempotency_key: null,
        ip_city: null,
        ip_country: countryOf(client_ip),
        metadata: null,
        occurred_at: Micros.format(occurred),
        resource: { type: null, id: null, name: null },
        session_id: null,
        targets: [],
        tenant_id: body.tenant_id ?? null,
        version: null
      }
      return { id: String(index), createdAt: last, content }
    })
}

const SECOND = 1_000_000

/**
 * The events that fire, and then those that the hour's cooldown lets through. Nothing here comes from the
 * rules: each definition is said once more, as a question asked of the whole log for every event.
 */
const scan = (
  events: ReadonlyArray<AlertEvent>,
  who: (event: AlertEvent) => string,
  fires: (event: AlertEvent, before: ReadonlyArray<AlertEvent>) => boolean
): ReadonlyArray<string> => {
  const raised: Array<AlertEvent> = []
  events.forEach((event, index) => {
    if (!fires(event, events.slice(0, index))) return
    const quiet = raised.some(
      (other) => who(other) === who(event) && event.createdAt - other.createdAt < 3600 * SECOND
    )
    if (!quiet) raised.push(event)
  })
  return raised.map(({ id }) => id)
}

const actor = ({ content }: AlertEvent) => content.actor.id
const nobody = () => ""
const within = (event: AlertEvent, window: number) => (other: AlertEvent) =>
  event.createdAt - other.createdAt < window * SECOND

describe.skipIf(foreign === undefined)("2,900 events of AWS CloudTrail (needs CAIRN_FOREIGN)", () => {
  const events = foreign === undefined ? [] : trail()
  const found = (body: Record<string, unknown>) => {
    const batches = Array.from({ length: 29 }, (_, index) => events.slice(index * 100, index * 100 + 100))
    return raise([rule(body)], batches).alerts.map(({ event_id }) => event_id)
  }

  it("new_country finds each actor that moved", () => {
    const expected = scan(events, actor, (event, before) => {
      const countries = before
        .filter((other) => actor(other) === actor(event) && other.content.ip_country !== null)
        .map(({ content }) => content.ip_country)
      return (
        event.content.ip_country !== null &&
        countries.length > 0 &&
        !countries.includes(event.content.ip_country)
      )
    })
    assert.isAbove(expected.length, 0)
    assert.deepStrictEqual(found({ rule_type: "new_country" }), expected)
  })

  it("high_volume_destructive finds each actor that destroyed ten things in five minutes", () => {
    const destructive = ({ content }: AlertEvent) =>
      /delete|remove|destroy|purge|revoke|erase|(^|[._])drop/i.test(content.action)
    const expected = scan(events, actor, (event, before) => {
      if (!destructive(event)) return false
      const others = before.filter((other) => destructive(other) && actor(other) === actor(event))
      return others.filter(within(event, 300)).length + 1 >= 10
    })
    assert.isAbove(expected.length, 0)
    assert.deepStrictEqual(found({ rule_type: "high_volume_destructive" }), expected)
  })

  it("repeated_action finds each actor that did one thing twenty times in a minute", () => {
    const expected = scan(events, actor, (event, before) => {
      const others = before.filter(
        (other) => actor(other) === actor(event) && other.content.action === event.content.action
      )
      return others.filter(within(event, 60)).length + 1 >= 20
    })
    assert.isAbove(expected.length, 0)
    assert.deepStrictEqual(found({ rule_type: "repeated_action" }), expected)
  })

  it.each([5, 2])("ingestion_spike finds the minutes that hold %i times the hour's mean", (factor) => {
    const expected = scan(events, nobody, (event, before) => {
      const tenSeconds = 10 * SECOND
      const begin = (Math.floor(event.createdAt / tenSeconds) - 5) * tenSeconds
      const window = before.filter(({ createdAt }) => createdAt >= begin).length + 1
      const hour = before.filter(
        ({ createdAt }) => createdAt < begin && createdAt >= begin - 3600 * SECOND
      ).length
      return window >= 100 && window > (factor * hour) / 60
    })
    assert.isAbove(expected.length, 0)
    assert.deepStrictEqual(found({ rule_type: "ingestion_spike", parameters: { factor } }), expected)
  })

  it("off_hours finds nobody, for it was a Monday between eleven and one", () => {
    assert.deepStrictEqual(found({ rule_type: "off_hours" }), [])
  })

  it("off_hours in California, where it was before six, finds everybody", () => {
    // Seven hours behind UTC on 10 July 2023.
    const expected = scan(events, actor, ({ content }) => {
      const local = new Date(Date.parse(content.occurred_at) - 7 * 3_600_000)
      return local.getUTCHours() < 9 || local.getUTCHours() >= 18 || local.getUTCDay() % 6 === 0
    })
    assert.lengthOf(expected, new Set(events.map(actor)).size)
    assert.deepStrictEqual(
      found({ rule_type: "off_hours", parameters: { timezone: "America/Los_Angeles" } }),
      expected
    )
  })
})
