/** Hostile events: everything that can be wrong with a body, and everything that only looks wrong. */
import {
  type EventInput,
  MAX_IDENTIFIER,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_NAME,
  MAX_TARGETS
} from "@cairn/core/event"
import { escapedKeys, naughtyNames, naughtyStrings, oddKeys, oddNumbers } from "./NaughtyText.ts"
import { type SeededRandom, seededRandom } from "./SeededRandom.ts"

/** An event body as JSON text, because `JSON.stringify` could not write some of them. */
export interface HostileEvent {
  /** What is hostile about it. */
  readonly name: string
  readonly json: string
  /** JSON path of the field for which it must be rejected; undefined if it must be accepted. */
  readonly refusedAt: string | undefined
}

const body = (members: string): string =>
  `{"actor_id":"a","action":"b.c"${members === "" ? "" : `,${members}`}}`

const accepted = (name: string, members: string): HostileEvent => ({
  name,
  json: body(members),
  refusedAt: undefined
})
const refused = (name: string, refusedAt: string, members: string): HostileEvent => ({
  name,
  json: body(members),
  refusedAt
})

const text = (value: unknown): string => JSON.stringify(value)

/** Metadata of exactly `bytes` bytes as canonical JSON. */
const metadataOf = (bytes: number): string => `{"k":"${"x".repeat(bytes - 8)}"}`

/** Nested objects, `levels` of them. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`

const acceptedBodies: ReadonlyArray<HostileEvent> = [
  accepted("nothing but what is required", ""),
  accepted(
    "null for everything optional",
    '"actor_name":null,"metadata":null,"targets":null,"version":null,"occurred_at":null'
  ),
  accepted(
    "empty identifiers where none is required",
    '"tenant_id":"","session_id":"","resource":"","resource_id":"","idempotency_key":""'
  ),
  accepted("odd numbers", `"metadata":{"numbers":[${oddNumbers.join(",")}]}`),
  accepted(
    "odd keys",
    `"metadata":{${[...oddKeys, ...escapedKeys].map((key) => `${text(key)}:1`).join(",")}}`
  ),
  accepted(
    "odd keys of a target's metadata",
    `"targets":[{"type":"t","metadata":{"__proto__":{"type":"evil"},"constructor":null}}]`
  ),
  accepted("U+0000 in metadata", '"metadata":{"a\\u0000b":"c\\u0000d"}'),
  accepted("naughty values", `"metadata":{"all":${text(naughtyStrings)}}`),
  accepted(
    "escapes that need none",
    '"resource_name":"\\u0041\\/\\u00e9","metadata":{"\\u0061":"\\ud83d\\ude00"}'
  ),
  accepted(
    "the longest identifier, in astral characters",
    `"tenant_id":${text("\u{1F600}".repeat(MAX_IDENTIFIER))}`
  ),
  accepted("the longest name, in astral characters", `"actor_name":${text("\u{1F600}".repeat(MAX_NAME))}`),
  accepted("the deepest metadata", `"metadata":${nested(MAX_METADATA_DEPTH)}`),
  accepted("the biggest metadata", `"metadata":${metadataOf(MAX_METADATA_BYTES)}`),
  accepted("metadata that is big only as it was sent", `"metadata":{"k":${" ".repeat(MAX_METADATA_BYTES)}1}`),
  accepted("the most targets", `"targets":[${Array(MAX_TARGETS).fill('{"type":"t"}').join(",")}]`),
  accepted(
    "targets that repeat",
    '"targets":[{"type":"t","id":"1"},{"type":"t","id":"1"},{"type":"t","id":null},{"type":"t"}]'
  ),
  accepted("a leap day with an offset", '"occurred_at":"2024-02-29T23:59:59.9999999-12:30"'),
  accepted("a date alone", '"occurred_at":"0001-01-01"'),
  accepted("an IPv4-mapped address", '"ip_address":"::ffff:192.0.2.1"')
]

const SURROGATE = '"\\ud83d"'

const refusedBodies: ReadonlyArray<HostileEvent> = [
  { name: "an array", json: "[]", refusedAt: "" },
  { name: "null", json: "null", refusedAt: "" },
  { name: "no actor", json: '{"action":"b"}', refusedAt: "actor_id" },
  { name: "an empty actor", json: '{"actor_id":"","action":"b"}', refusedAt: "actor_id" },
  { name: "no action", json: '{"actor_id":"a"}', refusedAt: "action" },
  { name: "a number for an action", json: '{"actor_id":"a","action":1}', refusedAt: "action" },
  {
    name: "an action that only Cairn writes",
    json: '{"actor_id":"a","action":"cairn.chain.started"}',
    refusedAt: "action"
  },
  {
    name: "an action of the service's own that means nothing to verification",
    json: '{"actor_id":"a","action":"cairn.workspace.updated"}',
    refusedAt: "action"
  },
  {
    name: "an action that reads as the service's own",
    json: '{"actor_id":"a","action":"\\u200bCairn.event.erased"}',
    refusedAt: "action"
  },
  refused(
    "an idempotency key of the service's own",
    "idempotency_key",
    '"idempotency_key":"cairn.webhook.deleted whk_1"'
  ),
  {
    name: "an actor only on the prototype",
    json: '{"__proto__":{"actor_id":"a"},"action":"b"}',
    refusedAt: "__proto__"
  },
  {
    name: "a lone surrogate in an actor",
    json: `{"actor_id":${SURROGATE},"action":"b"}`,
    refusedAt: "actor_id"
  },
  { name: "U+0000 in an action", json: '{"actor_id":"a","action":"b\\u0000"}', refusedAt: "action" },
  refused("an unknown field", "later", '"later":{"x":[1e400,12345678901234567890]}'),
  refused("an unknown field of a target", "targets[0].later", '"targets":[{"type":"t","later":1}]'),
  refused("a field in capitals", "ACTION", '"ACTION":"d"'),
  refused("the prototype", "__proto__", '"__proto__":{"action":"evil"}'),
  refused("a repeated field", "tenant_id", '"tenant_id":"first","tenant_id":"last"'),
  refused("a repeated field with an escape", "tenant_id", '"tenant_id":"t","\\u0074enant_id":"t"'),
  refused("a repeated key in metadata", "metadata.a", '"metadata":{"a":1,"b":{},"a":1}'),
  refused("a repeated key within metadata", 'metadata.l[1][""]', '"metadata":{"l":[{"":1},{"":1,"":2}]}'),
  refused(
    "a repeated key in a target",
    "targets[0].metadata.__proto__",
    '"targets":[{"type":"t","metadata":{"__proto__":1,"__proto__":1}}]'
  ),
  refused("a lone surrogate in a name", "actor_name", `"actor_name":${SURROGATE}`),
  refused("a lone surrogate in a tenant", "tenant_id", `"tenant_id":"x\\udc00"`),
  refused(
    "a lone surrogate in a target's id",
    "targets[1].id",
    `"targets":[{"type":"t"},{"type":"t","id":${SURROGATE}}]`
  ),
  refused(
    "a lone surrogate in a metadata value",
    "metadata.a[1].b",
    `"metadata":{"a":[0,{"b":${SURROGATE}}]}`
  ),
  refused("a lone surrogate in a metadata key", "metadata.a.\ud83d", `"metadata":{"a":{${SURROGATE}:1}}`),
  refused(
    "a lone surrogate in a target's metadata",
    "targets[0].metadata.m",
    `"targets":[{"type":"t","metadata":{"m":${SURROGATE}}}]`
  ),
  refused("surrogates the wrong way round", "session_id", '"session_id":"\\ude00\\ud83d"'),
  refused("U+0000 in an idempotency key", "idempotency_key", '"idempotency_key":"\\u0000"'),
  refused("U+0000 in a target's type", "targets[0].type", '"targets":[{"type":"\\u0000"}]'),
  refused("an identifier too long", "resource_id", `"resource_id":"${"x".repeat(MAX_IDENTIFIER + 1)}"`),
  refused(
    "an identifier too long in astral characters",
    "session_id",
    `"session_id":${text("\u{1F600}".repeat(MAX_IDENTIFIER + 1))}`
  ),
  refused("a name too long", "resource_name", `"resource_name":"${"x".repeat(MAX_NAME + 1)}"`),
  refused("metadata that is an array", "metadata", '"metadata":[]'),
  refused("metadata that is text", "metadata", '"metadata":"{}"'),
  refused(
    "metadata too deep",
    `metadata${".a".repeat(MAX_METADATA_DEPTH)}`,
    `"metadata":${nested(MAX_METADATA_DEPTH + 1)}`
  ),
  refused("metadata too big", "metadata", `"metadata":${metadataOf(MAX_METADATA_BYTES + 1)}`),
  refused(
    "metadata too big in bytes, not in characters",
    "metadata",
    `"metadata":{"k":"${"\u20AC".repeat(MAX_METADATA_BYTES / 3)}"}`
  ),
  refused(
    "a target's metadata too big",
    "targets[0].metadata",
    `"targets":[{"type":"t","metadata":${metadataOf(MAX_METADATA_BYTES + 1)}}]`
  ),
  refused("an integer that would be rounded", "metadata.n[1]", '"metadata":{"n":[1,9007199254740993]}'),
  refused(
    "an integer that would be rounded in a target",
    "targets[0].metadata.n",
    '"targets":[{"type":"t","metadata":{"n":-12345678901234567891}}]'
  ),
  refused(
    "an integer that would be rounded under a hostile key",
    "metadata.__proto__.n",
    '"metadata":{"__proto__":{"n":9007199254740993}}'
  ),
  refused("a number too large for a double", "metadata.n", '"metadata":{"n":1e400}'),
  refused("a version that would be rounded", "version", '"version":9007199254740993'),
  refused("a version with a fraction", "version", '"version":1.5'),
  refused("a version as text", "version", '"version":"1"'),
  refused("targets that are no array", "targets", '"targets":{"0":{"type":"t"}}'),
  refused("a target that is null", "targets[0]", '"targets":[null]'),
  refused("a target without a type", "targets[1].type", '"targets":[{"type":"t"},{"id":"x"}]'),
  refused("an empty target type", "targets[0].type", '"targets":[{"type":""}]'),
  refused(
    "too many targets",
    "targets",
    `"targets":[${Array(MAX_TARGETS + 1)
      .fill('{"type":"t"}')
      .join(",")}]`
  ),
  refused("a day that is not", "occurred_at", '"occurred_at":"2023-02-29"'),
  refused("a time before the year 1", "occurred_at", '"occurred_at":"0000-12-31"'),
  refused("a time before the year 1 in UTC", "occurred_at", '"occurred_at":"0001-01-01T00:30:00+01:00"'),
  refused("a time that is a number", "occurred_at", '"occurred_at":1714564800'),
  refused("an address that is none", "ip_address", '"ip_address":"999.1.1.1"'),
  refused("an empty address", "ip_address", '"ip_address":""')
]

/** One body for each thing that can be wrong with an event, or that looks wrong and is not. */
export const hostileEvents: ReadonlyArray<HostileEvent> = [...acceptedBodies, ...refusedBodies]

const naughtyMetadata = (random: SeededRandom, depth: number): Record<string, unknown> => {
  const leaf = (): unknown =>
    random.pick([
      () => random.pick(naughtyNames),
      () => Number(random.pick(oddNumbers)),
      () => random.chance(0.5),
      () => null,
      () => [random.pick(naughtyNames), []],
      () => (depth === 0 ? {} : naughtyMetadata(random, depth - 1))
    ])()
  // As entries, because an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(Array.from({ length: 1 + random.below(4) }, () => [random.pick(oddKeys), leaf()]))
}

const naughtyTargets = (random: SeededRandom) =>
  Array.from({ length: random.below(4) }, () => ({
    type: random.pick(naughtyStrings) || "t",
    ...(random.chance(0.7) ? { id: random.pick(naughtyStrings) } : {}),
    ...(random.chance(0.3) ? { name: random.pick(naughtyNames) } : {}),
    ...(random.chance(0.2) ? { metadata: naughtyMetadata(random, 1) } : {})
  }))

/**
 * A function that returns the next hostile body each time, all valid: naughty text in every field, odd
 * numbers and keys in the metadata. The same seed gives the same bodies. Idempotency keys are left out.
 */
export const hostileGenerator = (seed: number): (() => EventInput) => {
  const random = seededRandom(seed)
  const identifier = () => (random.chance(0.8) ? random.pick(naughtyStrings) : null)
  const name = () => (random.chance(0.8) ? random.pick(naughtyNames) : null)
  return () => ({
    actor_id: random.pick(naughtyStrings) || "a",
    actor_name: name(),
    actor_type: identifier(),
    action: random.pick(naughtyStrings) || "b",
    action_category: identifier(),
    resource: identifier(),
    resource_id: identifier(),
    resource_name: name(),
    tenant_id: identifier(),
    session_id: identifier(),
    metadata: random.chance(0.7) ? naughtyMetadata(random, 2) : null,
    targets: naughtyTargets(random),
    version: random.pick([null, 0, -1, Number.MAX_SAFE_INTEGER])
  })
}
