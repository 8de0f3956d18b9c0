/**
 * A fast check that an event body satisfies the schema of `EventInput`. Nearly all bodies pass it.
 *
 * It is written out because it runs for every accepted event and the schema takes several times as long. A
 * body that does not pass is left to the schema, which alone rejects and gives the reason. A test checks that
 * both agree.
 */

import {
  type EventInput,
  isOccurrence,
  MAX_IDENTIFIER,
  MAX_NAME,
  MAX_TARGETS,
  type TargetInput
} from "./EventInput.ts"
import { OWN_PREFIX, readsAsOwn } from "./OwnAction.ts"

type Check = (value: unknown) => boolean

/** Keyed by field, so that a field that is added to the schema cannot be forgotten here. */
type Checks<Shape> = { readonly [Field in keyof Required<Shape>]: Check }

const optional =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// A text has at least as many UTF-16 units as characters.
const isName: Check = (value) => typeof value === "string" && value.length <= MAX_NAME && value.isWellFormed()

const isIdentifier: Check = (value) =>
  typeof value === "string" && value.length <= MAX_IDENTIFIER && value.isWellFormed() && !value.includes("\0")

const isRequired: Check = (value) => value !== "" && isIdentifier(value)

/** Whether all fields that are present are known and pass. */
const passes = (
  object: Readonly<Record<string, unknown>>,
  checks: ReadonlyArray<readonly [string, Check]>
): boolean => {
  let known = 0
  for (const [field, check] of checks) {
    if (!(field in object)) continue
    if (!check(object[field])) return false
    known++
  }
  return Object.keys(object).length === known
}

const TARGET_CHECKS: Checks<typeof TargetInput.Type> = {
  type: isRequired,
  id: optional(isIdentifier),
  name: optional(isName),
  metadata: optional(isObject)
}

const targetChecks = Object.entries<Check>(TARGET_CHECKS)

const isTarget: Check = (value) => isObject(value) && value.type !== undefined && passes(value, targetChecks)

const EVENT_CHECKS: Checks<EventInput> = {
  actor_id: isRequired,
  actor_name: optional(isName),
  actor_type: optional(isIdentifier),
  action: (value) => isRequired(value) && !readsAsOwn(String(value)),
  action_category: optional(isIdentifier),
  resource_id: optional(isIdentifier),
  resource_name: optional(isName),
  resource: optional(isIdentifier),
  metadata: optional(isObject),
  targets: optional((value) => Array.isArray(value) && value.length <= MAX_TARGETS && value.every(isTarget)),
  occurred_at: optional((value) => typeof value === "string" && isOccurrence(value)),
  session_id: optional(isIdentifier),
  tenant_id: optional(isIdentifier),
  idempotency_key: optional((value) => isIdentifier(value) && !String(value).startsWith(OWN_PREFIX)),
  version: optional(Number.isSafeInteger),
  ip_address: optional((value) => typeof value === "string")
}

const eventChecks = Object.entries<Check>(EVENT_CHECKS)

/** Whether a value, parsed from JSON, is certainly the body of an event. Costs about a microsecond. */
export const isOrdinary = (value: unknown): value is EventInput =>
  isObject(value) && value.actor_id !== undefined && value.action !== undefined && passes(value, eventChecks)
