/**
 * Checking an event body: from any JSON value to an event that can be written, or to the reason why it is
 * rejected.
 */
import { Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import { canonicalize, type NotCanonicalizable } from "../encoding/CanonicalJson.ts"
import { finished } from "../encoding/Pace.ts"
import { type Inexact, numbersWithin } from "../encoding/StrictJson.ts"
import {
  describeIssue,
  EventInput,
  InvalidInput,
  jsonPath,
  MAX_EVENT_BYTES,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_TARGETS,
  OwnEventInput,
  TargetInput
} from "./EventInput.ts"
import { isTooLarge } from "./EventSize.ts"
import { isOrdinary } from "./OrdinaryEvent.ts"
import type { ValidEvent } from "./ValidEvent.ts"

const decode = Schema.decodeUnknownResult(EventInput)
const decodeOwn = Schema.decodeUnknownResult(OwnEventInput)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields with these names, if present. */
const pick = (value: unknown, names: ReadonlyArray<string>): unknown => {
  if (!isObject(value)) return value
  const fields = names.filter((name) => Object.hasOwn(value, name) && value[name] !== undefined)
  return Object.fromEntries(fields.map((name) => [name, value[name]]))
}

/** The same, with an object without members for metadata. */
const outline = (value: unknown, names: ReadonlyArray<string>): unknown => {
  const fields = pick(value, names)
  return isObject(fields) && isObject(fields.metadata) ? { ...fields, metadata: {} } : fields
}

const EVENT_NAMES = Object.keys(EventInput.fields)
const TARGET_NAMES = Object.keys(TargetInput.fields)

/** Names of members that a batch, an event or a target may have. */
export const INPUT_NAMES: ReadonlySet<string> = new Set(["events", ...EVENT_NAMES, ...TARGET_NAMES])

/**
 * The part of a body that the schema checks: without unknown fields and the insides of metadata, and with at
 * most one target too many. The schema would go through all of them.
 */
const outlineOfEvent = (body: unknown): unknown => {
  const event = outline(body, EVENT_NAMES)
  if (!isObject(event) || !Array.isArray(event.targets)) return event
  const targets = event.targets.slice(0, MAX_TARGETS + 1)
  return { ...event, targets: targets.map((target) => outline(target, TARGET_NAMES)) }
}

/**
 * The value of an event, from code, without the fields that are `undefined`. A copy, except its metadata, so
 * that the event that was checked is the one written, even if the caller changes the value in between.
 */
export const copyOfEvent = (body: unknown): unknown => {
  const event = pick(body, EVENT_NAMES)
  if (!isObject(event) || !Array.isArray(event.targets)) return event
  return { ...event, targets: event.targets.map((target) => pick(target, TARGET_NAMES)) }
}

/** A checked outline, with its metadata. */
const filled = (event: EventInput, body: unknown): EventInput => {
  const { metadata, targets } = isObject(body) ? body : {}
  return {
    ...event,
    ...(isObject(metadata) ? { metadata } : {}),
    ...(Array.isArray(event.targets) && Array.isArray(targets)
      ? {
          targets: event.targets.map((target, index) => {
            const given: unknown = targets[index]
            return isObject(given) && isObject(given.metadata)
              ? { ...target, metadata: given.metadata }
              : target
          })
        }
      : {})
  }
}

const utf8 = new TextEncoder()

/**
 * Whether `text` takes at most `limit` bytes of UTF-8. It is encoded only if its length does not decide that.
 */
const fitsBytes = (text: string, limit: number): boolean =>
  text.length * 3 <= limit || (text.length <= limit && utf8.encode(text).length <= limit)

const OPEN_BRACE = 0x7b

const REFUSALS: Record<NotCanonicalizable["reason"], string> = {
  lone_surrogate: "must be well-formed Unicode, without lone surrogates",
  not_finite: "is a number too large for a double; send it as a string",
  not_json: "is not a JSON value",
  too_deep: `must have at most ${MAX_METADATA_DEPTH} levels`,
  too_long: `must have at most ${MAX_METADATA_BYTES} bytes as JSON`
}

/** The canonical text of one metadata object, or why it is rejected. */
const canonicalMetadata = (
  metadata: object,
  path: ReadonlyArray<string | number>
): Result.Result<string, InvalidInput> => {
  const text = canonicalize(metadata, MAX_METADATA_DEPTH, MAX_METADATA_BYTES)
  if (Result.isFailure(text)) {
    const { path: inner, reason } = text.failure
    const within = reason === "too_long" ? [] : inner
    return Result.fail(new InvalidInput({ path: jsonPath([...path, ...within]), reason: REFUSALS[reason] }))
  }
  // Parsed JSON always passes; a value from code may have a `toJSON`. Reading a character also makes V8 join
  // the many small strings of this text into one. In a batch that is better done here, for each metadata,
  // than for all of them together when they are stored.
  if (text.success.charCodeAt(0) !== OPEN_BRACE) {
    return Result.fail(new InvalidInput({ path: jsonPath(path), reason: "must be an object" }))
  }
  if (!fitsBytes(text.success, MAX_METADATA_BYTES)) {
    return Result.fail(new InvalidInput({ path: jsonPath(path), reason: REFUSALS.too_long }))
  }
  return Result.succeed(text.success)
}

/**
 * Checks one body, which is a parsed JSON value; `at` is its path in the request (`["events", 3]` in a
 * batch).
 *
 * The first error is reported. Costs a few microseconds for a typical event, and about twenty for one that
 * the schema must check.
 */
export const decodeEvent = (
  body: unknown,
  at: ReadonlyArray<string | number> = []
): Result.Result<ValidEvent, InvalidInput> => finished(decodingEvent(body, at))

/** The same in steps: pauses after each metadata and yields how many characters it examined. */
export function* decodingEvent(
  body: unknown,
  at: ReadonlyArray<string | number>
): Generator<number, Result.Result<ValidEvent, InvalidInput>> {
  const decoded = isOrdinary(body)
    ? Result.succeed(body)
    : Result.map(decode(outlineOfEvent(body)), (event) => filled(event, body))
  if (Result.isFailure(decoded)) return Result.fail(describeIssue(decoded.failure.issue, at))
  return yield* complete(decoded.success, at)
}

/** Checks the body of an event that the service writes by itself, whose action begins with `cairn.`. */
export const decodeOwnEvent = (body: unknown): Result.Result<ValidEvent, InvalidInput> => {
  const decoded = decodeOwn(body)
  return Result.isFailure(decoded)
    ? Result.fail(describeIssue(decoded.failure.issue))
    : finished(complete(decoded.success, []))
}

const tooLarge = (at: ReadonlyArray<string | number>): Result.Result<never, InvalidInput> =>
  Result.fail(
    new InvalidInput({ path: jsonPath(at), reason: `must have at most ${MAX_EVENT_BYTES} bytes as JSON` })
  )

/** Checks what the schema cannot. */
function* complete(
  input: EventInput,
  at: ReadonlyArray<string | number>
): Generator<number, Result.Result<ValidEvent, InvalidInput>> {
  let metadata = "null"
  if (input.metadata !== undefined && input.metadata !== null) {
    const text = canonicalMetadata(input.metadata, [...at, "metadata"])
    if (Result.isFailure(text)) return Result.fail(text.failure)
    metadata = text.success
    yield metadata.length
  }
  const targetMetadata: Array<string | undefined> = []
  let size = metadata.length
  for (const [index, target] of (input.targets ?? []).entries()) {
    if (target.metadata === undefined || target.metadata === null) {
      targetMetadata.push(undefined)
      continue
    }
    const text = canonicalMetadata(target.metadata, [...at, "targets", index, "metadata"])
    if (Result.isFailure(text)) return Result.fail(text.failure)
    targetMetadata.push(text.success)
    yield text.success.length
    size += text.success.length
    if (size > MAX_EVENT_BYTES) return tooLarge(at)
  }
  const address = input.ip_address
  if (address !== undefined && address !== null && Result.isFailure(NetAddress.ipFromString(address))) {
    return Result.fail(
      new InvalidInput({ path: jsonPath([...at, "ip_address"]), reason: "must be an IPv4 or IPv6 address" })
    )
  }
  const event = { input, metadata, targetMetadata }
  return isTooLarge(event) ? tooLarge(at) : Result.succeed(event)
}

/**
 * Members of a body whose numbers are stored, by their path or its beginning. Numbers in unknown fields are
 * not stored, so they do not matter.
 */
const isKept = (path: ReadonlyArray<string | number>): boolean => {
  const [field, , member] = path
  if (field === "targets") return path.length < 3 || member === "metadata"
  return field === "version" || field === "metadata"
}

/**
 * The error for the first stored field with a number that would be stored as a different number, if there is
 * one. `at` is the path of the event.
 */
export const refuseInexact = (
  inexact: Inexact | undefined,
  at: ReadonlyArray<string | number> = []
): InvalidInput | undefined => {
  for (const { path, literal } of numbersWithin(inexact, isKept)) {
    return new InvalidInput({
      path: jsonPath([...at, ...path]),
      reason: `${literal.slice(0, 40)} cannot be held exactly as a number; send it as a string`
    })
  }
  return undefined
}
