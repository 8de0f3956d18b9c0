import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, testServer } from "./TestServer.ts"

type Json = Readonly<Record<string, unknown>>

/** A body with one value at a place. */
type Body = (value: unknown) => Json

const rule =
  (rule_type: string, name: string): Body =>
  (value) => ({ name: "n", rule_type, parameters: { [name]: value } })

const stream = (settings: Json): Json => ({
  name: "n",
  destination: { type: "https", url: "https://example.com/" },
  ...settings
})

const syslog =
  (name: string): Body =>
  (value) =>
    stream({ destination: { type: "syslog", host: "syslog.example.com", [name]: value } })

/** Every number of a body that has a range: where it is sent, its path, and both ends. */
const NUMBERS: ReadonlyArray<readonly [string, Body, string, number, number]> = [
  ["POST viewer-token", (ttl) => ({ ttl }), "ttl", 60, 86_400],
  ["POST viewer-tokens", (ttl) => ({ ttl }), "ttl", 60, 86_400],
  ["PATCH workspace", (retention_days) => ({ retention_days }), "retention_days", 1, 36_500],
  [
    "PATCH workspace",
    (every_seconds) => ({ anchor_schedule: { every_seconds, offset_seconds: 0 } }),
    "anchor_schedule.every_seconds",
    60,
    31_622_400
  ],
  [
    "PATCH workspace",
    (offset_seconds) => ({ anchor_schedule: { every_seconds: 31_622_400, offset_seconds } }),
    "anchor_schedule.offset_seconds",
    0,
    31_622_399
  ],
  [
    "POST alert-rules",
    (cooldown_seconds) => ({ name: "n", rule_type: "new_country", cooldown_seconds }),
    "cooldown_seconds",
    0,
    604_800
  ],
  ["POST alert-rules", rule("repeated_action", "threshold"), "parameters.threshold", 2, 1_000],
  ["POST alert-rules", rule("repeated_action", "window_seconds"), "parameters.window_seconds", 1, 86_400],
  ["POST alert-rules", rule("high_volume_destructive", "threshold"), "parameters.threshold", 1, 1_000],
  ["POST alert-rules", rule("ingestion_spike", "window_seconds"), "parameters.window_seconds", 10, 3_600],
  ["POST alert-rules", rule("ingestion_spike", "factor"), "parameters.factor", 1, 1_000],
  ["POST alert-rules", rule("ingestion_spike", "minimum_events"), "parameters.minimum_events", 1, 10_000_000],
  ["POST log-streams", (batch_events) => stream({ batch_events }), "batch_events", 1, 10_000],
  ["POST log-streams", (batch_seconds) => stream({ batch_seconds }), "batch_seconds", 0, 900],
  ["POST log-streams", syslog("port"), "destination.port", 1, 65_535],
  ["POST log-streams", syslog("facility"), "destination.facility", 0, 23]
]

/** Every query parameter that is a number with a range. */
const PARAMETERS: ReadonlyArray<readonly [string, string, number, number]> = [
  ...[
    "events",
    "alerts",
    "exports",
    "alert-rules",
    "log-streams",
    "webhooks",
    "deliveries",
    "members",
    "api-keys"
  ].map((path) => [path, "limit", 1, 100] as const)
]

/** Words of the schema library that say nothing. */
const EMPTY_WORDS = /Expected a valid value|Invalid data/

describe("a number out of its range", () => {
  it.live("is refused with both ends of the range, in bodies and queries", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const [place, body, at, least, most] of NUMBERS) {
        const [method, path] = place.split(" ")
        for (const value of [least - 1, most + 1, -1e15, "x", {}, [], true]) {
          const sent = { ...(method === undefined ? {} : { method }), path: `/api/v1/${path}`, key }
          const { status, text } = yield* send({ ...sent, body: body(value) })
          const shown = `${place} ${at} ${JSON.stringify(value)}: ${text}`
          assert.strictEqual(status, 422, shown)
          assert.notMatch(text, EMPTY_WORDS, shown)
          const { message } = JSON.parse(text) as { readonly message: string }
          assert.isTrue(message.startsWith(`${at}: must `), shown)
          if (typeof value !== "number") continue
          for (const end of [least, most]) {
            assert.match(message, new RegExp(`(?<!\\d)${end}(?!\\d)`), shown)
          }
        }
      }
      for (const [path, name, least, most] of PARAMETERS) {
        for (const value of [least - 1, most + 1, "x"]) {
          const { status, text } = yield* send({ path: `/api/v1/${path}?${name}=${value}`, key })
          const shown = `${path} ${name}=${value}: ${text}`
          assert.strictEqual(status, 400, shown)
          assert.include(text, `${name}: must be an integer from ${least} to ${most}`, shown)
        }
      }
    }).pipe(Effect.provide(testServer()))
  )
})
