/**
 * Checking an event body: from any JSON value to an event that can be written, or to the reason why it is
 * rejected.
 */
import { Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import { canonicalize, type NotCanonicalizable } from "../encoding/CanonicalJson.ts"
import { finished } from "../encoding/Pace.ts"
import * as StrictJson from "../encoding/StrictJson.ts"
import {
  EventInput,
  MAX_EVENT_BYTES,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_TARGETS,
  OwnEventInput,
  TargetInput
} from "./EventInput.ts"
import { isTooLarge } from "./EventSize.ts"
import {
  bothInvalid,
  describeIssue,
  type Fault,
  InvalidInput,
  invalidInput,
  jsonPath,
  MAX_FAULTS,
  REPEATED,
  sayFault
} from "./InvalidInput.ts"
import { knownMembers } from "./KnownMembers.ts"
import { isOrdinary } from "./OrdinaryEvent.ts"
import type { ValidEvent } from "./ValidEvent.ts"

const decode = Schema.decodeUnknownResult(EventInput, { errors: "all" })
const decodeOwn = Schema.decodeUnknownResult(OwnEventInput)
const unknownIn = knownMembers(EventInput)

type Path = ReadonlyArray<string | number>

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

/** A body with at most one target too many. */
const withFewTargets = (body: unknown): unknown =>
  isObject(body) && Array.isArray(body.targets)
    ? { ...body, targets: body.targets.slice(0, MAX_TARGETS + 1) }
    : body

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

/** A copy of an object without its members that are `undefined`. */
const definedMembers = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
    : value

/**
 * The value of an event, from code, without the fields that are `undefined`. A copy, except its metadata, so
 * that the event that was checked is the one written, even if the caller changes the value in between.
 */
export const copyOfEvent = (body: unknown): unknown => {
  const event = definedMembers(body)
  if (!isObject(event) || !Array.isArray(event.targets)) return event
  return { ...event, targets: event.targets.map(definedMembers) }
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
const canonicalMetadata = (metadata: object, path: Path): Result.Result<string, InvalidInput> => {
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

/** What to do about a member that the schema does not have: reject the event, or leave it out and say so. */
export type UnknownMembers = "reject" | "warn"

/** The texts of the metadata of an event and its targets, and what is wrong with them. */
interface MetadataTexts {
  readonly metadata: string
  readonly targetMetadata: ReadonlyArray<string | undefined>
  readonly invalid: InvalidInput | undefined
}

const NO_METADATA = Result.succeed("null")

/** Writes all metadata of a body. Pauses after each and yields how many characters it examined. */
function* writeMetadata(body: unknown, at: Path): Generator<number, MetadataTexts> {
  const { metadata: own, targets } = isObject(body) ? body : {}
  let metadata = "null"
  let invalid: InvalidInput | undefined
  if (isObject(own)) {
    const text = canonicalMetadata(own, [...at, "metadata"])
    if (Result.isSuccess(text)) metadata = text.success
    else invalid = text.failure
    yield metadata.length
  }
  const targetMetadata: Array<string | undefined> = []
  let size = metadata.length
  for (const [index, target] of (Array.isArray(targets) ? targets.slice(0, MAX_TARGETS) : []).entries()) {
    const given: unknown = isObject(target) ? target.metadata : undefined
    if (!isObject(given)) {
      targetMetadata.push(undefined)
      continue
    }
    const text = canonicalMetadata(given, [...at, "targets", index, "metadata"])
    if (Result.isSuccess(text)) targetMetadata.push(text.success)
    else invalid = bothInvalid(invalid, text.failure)
    const length = Result.isSuccess(text) ? text.success.length : MAX_METADATA_BYTES
    yield length
    size += length
    if (size > MAX_EVENT_BYTES)
      return { metadata, targetMetadata, invalid: bothInvalid(invalid, tooLarge(at)) }
  }
  return { metadata, targetMetadata, invalid }
}

const tooLarge = (at: Path): InvalidInput =>
  new InvalidInput({ path: jsonPath(at), reason: `must have at most ${MAX_EVENT_BYTES} bytes as JSON` })

/** What is wrong with the address, if it is a text: the schema checks the rest. */
const invalidAddress = (body: unknown, at: Path): InvalidInput | undefined => {
  const { ip_address: address } = isObject(body) ? body : {}
  return typeof address === "string" && Result.isFailure(NetAddress.ipFromString(address))
    ? new InvalidInput({ path: jsonPath([...at, "ip_address"]), reason: "must be an IPv4 or IPv6 address" })
    : undefined
}

/** The checked body, given what a schema says of it and how its metadata was written. */
const completed = (
  decoded: Result.Result<EventInput, InvalidInput>,
  body: unknown,
  at: Path,
  { metadata, targetMetadata, invalid }: MetadataTexts
): Result.Result<ValidEvent, InvalidInput> => {
  const wrong = bothInvalid(invalid, invalidAddress(body, at))
  if (Result.isFailure(decoded)) return Result.fail(bothInvalid(decoded.failure, wrong) ?? decoded.failure)
  if (wrong !== undefined) return Result.fail(wrong)
  const event = { input: decoded.success, metadata, targetMetadata }
  return isTooLarge(event) ? Result.fail(tooLarge(at)) : Result.succeed(event)
}

/** Checks what a schema cannot, of a body that it has decoded, or rejected. */
function* complete(
  decoded: Result.Result<EventInput, InvalidInput>,
  body: unknown,
  at: Path
): Generator<number, Result.Result<ValidEvent, InvalidInput>> {
  return completed(decoded, body, at, yield* writeMetadata(body, at))
}

const hasMetadata = ({ metadata }: typeof TargetInput.Type): boolean => isObject(metadata)

/**
 * Checks a body that needs no steps, as nearly every one: it passes the schema for certain, and none of its
 * targets has metadata. Undefined for any other.
 */
export const decodeInOne = (body: unknown, at: Path): Result.Result<ValidEvent, InvalidInput> | undefined => {
  if (!isOrdinary(body) || body.targets?.some(hasMetadata)) return undefined
  const text = isObject(body.metadata) ? canonicalMetadata(body.metadata, [...at, "metadata"]) : NO_METADATA
  return completed(Result.succeed(body), body, at, {
    metadata: Result.isSuccess(text) ? text.success : "null",
    targetMetadata: body.targets?.map(() => undefined) ?? [],
    invalid: Result.isFailure(text) ? text.failure : undefined
  })
}

/**
 * Checks one body, which is a parsed JSON value; `at` is its path in the request (`["events", 3]` in a
 * batch).
 *
 * All errors are reported, up to twenty of a kind. Costs a few microseconds for a typical event, and some
 * tens for one that the schema must check.
 */
export const decodeEvent = (
  body: unknown,
  at: Path = [],
  unknownMembers: UnknownMembers = "reject"
): Result.Result<ValidEvent, InvalidInput> =>
  decodeInOne(body, at) ?? finished(decodingEvent(body, at, unknownMembers))

/** A warning for each unknown member, up to twenty, and one that counts the others. */
const warningsOf = ({ faults, unknown = [] }: InvalidInput): ReadonlyArray<string> => {
  const others = unknown.length - faults.length
  return [...faults.map(sayFault), ...(others > 0 ? [`${others} or more other members are not known`] : [])]
}

/** The same in steps: pauses after each metadata and yields how many characters it examined. */
export function* decodingEvent(
  body: unknown,
  at: Path,
  unknownMembers: UnknownMembers
): Generator<number, Result.Result<ValidEvent, InvalidInput>> {
  if (isOrdinary(body)) return yield* complete(Result.succeed(body), body, at)
  const decoded = Result.mapBoth(decode(outlineOfEvent(body)), {
    onSuccess: (event) => filled(event, body),
    onFailure: ({ issue }) => describeIssue(issue, at)
  })
  const event = yield* complete(decoded, body, at)
  const unknown = unknownIn(withFewTargets(body), at)
  if (unknown === undefined) return event
  if (Result.isFailure(event)) return Result.fail(bothInvalid(unknown, event.failure) ?? event.failure)
  return unknownMembers === "warn"
    ? Result.succeed({ ...event.success, warnings: warningsOf(unknown) })
    : Result.fail(unknown)
}

/** Checks the body of an event that the service writes by itself, whose action begins with `cairn.`. */
export const decodeOwnEvent = (body: unknown): Result.Result<ValidEvent, InvalidInput> =>
  finished(
    complete(
      Result.mapError(decodeOwn(body), ({ issue }) => describeIssue(issue)),
      body,
      []
    )
  )

/**
 * Whether a number is allowed at this path, or below it. Everywhere else a number has the wrong type or is in
 * an unknown member.
 */
const isKept = ([field, index, member]: ReadonlyArray<string | number>): boolean =>
  field === "targets"
    ? index === undefined || member === "metadata"
    : field === "version" || field === "metadata"

/**
 * What is wrong with a body because a number in it would be stored as a different number, or because a key
 * is repeated in an object; `at` is the path of the body, and `within` that of the event in it.
 */
export const refuseAltered = (
  altered: StrictJson.Altered | undefined,
  at: Path = [],
  within: Path = []
): InvalidInput | undefined => {
  const faults: Array<Fault> = []
  for (const { path, literal } of StrictJson.alterationsWithin(altered)) {
    if (literal !== undefined && !isKept(path.slice(within.length))) continue
    faults.push({
      path: jsonPath([...at, ...path]),
      reason:
        literal === undefined
          ? REPEATED
          : `${literal.slice(0, 40)} cannot be held exactly as a number; send it as a string`
    })
    if (faults.length === MAX_FAULTS) break
  }
  return invalidInput(faults)
}
