import { Api } from "@cairn/api"
import { hostileEvents, hostileJson, type SeededRandom } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, testServer } from "../TestServer.ts"

const generated = generatedTests(import.meta.url)

/** Every endpoint that may be sent a body. */
const ENDPOINTS = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints)
    .filter(({ method }) => method !== "GET" && method !== "DELETE")
    .map(({ method, path }) => ({
      method,
      path: path.replace(":id", "whk_0b54c2a1-6f0e-4f5a-9c3f-0a1b2c3d4e5f")
    }))
)

/** Names that one endpoint or another knows. */
const NAMES = [
  "actor_id",
  "action",
  "metadata",
  "targets",
  "version",
  "occurred_at",
  "ip_address",
  "events",
  "ids",
  "name",
  "scopes",
  "expires_at",
  "rule_type",
  "parameters",
  "url",
  "types",
  "destination",
  "format",
  "email",
  "role",
  "tenant_id",
  "ttl",
  "from",
  "to",
  "filters",
  "ip_allowlist",
  "viewer_frame_ancestors",
  "viewer",
  "sentences",
  "retention_days",
  "plan",
  "overrides",
  "enabled",
  "start",
  "revoke",
  "__proto__"
]

const LENGTH = 4_000

const DEEP = `${"[".repeat(20_000)}9007199254740993${"]".repeat(20_000)}`

const VALUES = [
  ...Object.values(hostileJson()).map((make) => make(LENGTH)),
  ...[
    "null",
    "true",
    "0",
    "-0",
    "1e400",
    '""',
    '"\\u0000"',
    '"\\ud800"',
    "[]",
    "{}",
    "[[]]",
    '[{"type":1}]',
    '{"type":"https","url":"x"}'
  ],
  DEEP,
  `{"a":9007199254740993,"b":${DEEP}}`
]

/**
 * Bodies of every form: what is no JSON, no object, and objects whose members are hostile, alone and beside
 * others.
 */
const bodies = (random: SeededRandom, count: number): ReadonlyArray<string> => {
  const member = () => `${JSON.stringify(random.pick(NAMES))}:${random.pick(VALUES)}`
  return [
    ...["", " ", "{", "nul", "\u0000", '{"a":1}x', "[1,", '"', '{"a"', "'a'"],
    ...hostileEvents.map(({ json }) => json),
    ...VALUES,
    ...NAMES.map((name) => `{${JSON.stringify(name)}:${random.pick(VALUES)}}`),
    ...Array.from(
      { length: count },
      () => `{${Array.from({ length: 1 + random.below(6) }, member).join(",")}}`
    )
  ]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Most characters of a name that a refusal repeats. */
const LONGEST_NAMED = 100

/**
 * Whether a refusal of a body that is an object begins with the path of a field: one of the body's own, or
 * one that it may have to have.
 */
const namesField = (body: string, message: string): boolean => {
  const sent: unknown = JSON.parse(body)
  if (!isObject(sent)) return true
  return [...Object.keys(sent), ...NAMES].some((name) =>
    [".", "[", ":"].some((behind) => name !== "" && message.startsWith(name.slice(0, LONGEST_NAMED) + behind))
  )
}

describe("a hostile body", () => {
  it.live(
    "is taken or refused with its reason, and never a failure of the server, at every endpoint",
    () =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        yield* generated.effects({ count: 6 }, (random) =>
          Effect.gen(function* () {
            for (const { method, path } of ENDPOINTS) {
              const all = bodies(random, 40)
              const some = Array.from({ length: 10 }, () => random.pick(all))
              for (const body of [
                ...VALUES.slice(-2),
                `{"actor_id":"a","action":"b","version":9007199254740993,"x":${DEEP}}`,
                ...some
              ]) {
                const { status, text } = yield* send({ method, path, key, body })
                const shown = `${method} ${path} ${body.slice(0, 200)}: ${status} ${text.slice(0, 300)}`
                assert.isBelow(status, 500, shown)
                assert.notInclude(text, "requests a minute", shown)
                if (status < 400) continue
                const error = JSON.parse(text) as { readonly error: string; readonly message: string }
                assert.isNotEmpty(error.error, shown)
                assert.isNotEmpty(error.message, shown)
                // A refusal says what is wrong and does not give the body back.
                assert.isBelow(error.message.length, 2_000, shown)
                if (error.error === "validation_failed") assert.isTrue(namesField(body, error.message), shown)
              }
            }
          })
        )
      }).pipe(Effect.provide(testServer())),
    600_000
  )
})
