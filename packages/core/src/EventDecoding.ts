/**
 * Checking an event body: from any JSON value to an event that can be written, or to the reason why not.
 */
import { Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import { canonicalize, type NotCanonicalizable } from "./CanonicalJson.ts"
import {
  describeIssue,
  EventInput,
  InvalidInput,
  jsonPath,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  OwnEventInput
} from "./EventInput.ts"
import { isOrdinary } from "./OrdinaryEvent.ts"
import type * as StrictJson from "./StrictJson.ts"

const decode = Schema.decodeUnknownResult(EventInput)
const decodeOwn = Schema.decodeUnknownResult(OwnEventInput)

const utf8 = new TextEncoder()

/** Whether `text` takes at most `limit` bytes of UTF-8; encodes it only when its length cannot tell. */
const fitsBytes = (text: string, limit: number): boolean =>
  text.length * 3 <= limit || (text.length <= limit && utf8.encode(text).length <= limit)

const REFUSALS: Record<NotCanonicalizable["reason"], string> = {
  lone_surrogate: "must be well-formed Unicode, without lone surrogates",
  not_finite: "is a number too large for a double; send it as a string",
  not_json: "is not a JSON value",
  too_deep: `must have at most ${MAX_METADATA_DEPTH} levels`
}

/** The canonical text of one metadata object, or why it is refused. */
const canonicalMetadata = (
  metadata: object,
  path: ReadonlyArray<string | number>
): Result.Result<string, InvalidInput> => {
  const text = canonicalize(metadata, MAX_METADATA_DEPTH)
  if (Result.isFailure(text)) {
    const { path: inner, reason } = text.failure
    return Result.fail(new InvalidInput({ path: jsonPath([...path, ...inner]), reason: REFUSALS[reason] }))
  }
  if (!fitsBytes(text.success, MAX_METADATA_BYTES)) {
    return Result.fail(
      new InvalidInput({
        path: jsonPath(path),
        reason: `must have at most ${MAX_METADATA_BYTES} bytes as JSON`
      })
    )
  }
  return Result.succeed(text.success)
}

/** An event body that passed every check, with its metadata already in canonical form. */
export interface ValidEvent {
  readonly input: EventInput
  /** Canonical JSON of `metadata`, or `null`. */
  readonly metadata: string
  /** Canonical JSON of each target's `metadata`, where it has one. */
  readonly targetMetadata: ReadonlyArray<string | undefined>
}

/**
 * Checks one body, which is a parsed JSON value; `at` is where it stands in the request (`["events", 3]` in a batch).
 *
 * The first thing wrong is reported. Costs a few microseconds for a typical event, and some twenty for one that the schema has to look at.
 */
export const decodeEvent = (
  body: unknown,
  at: ReadonlyArray<string | number> = []
): Result.Result<ValidEvent, InvalidInput> => {
  const decoded = isOrdinary(body) ? Result.succeed(body) : decode(body)
  if (Result.isFailure(decoded)) return Result.fail(describeIssue(decoded.failure.issue, at))
  return complete(decoded.success, at)
}

/** Checks the body of an event that the service writes of itself, whose action begins with `cairn.`. */
export const decodeOwnEvent = (body: unknown): Result.Result<ValidEvent, InvalidInput> => {
  const decoded = decodeOwn(body)
  return Result.isFailure(decoded)
    ? Result.fail(describeIssue(decoded.failure.issue))
    : complete(decoded.success, [])
}

/** Checks what the schema cannot. */
const complete = (
  input: EventInput,
  at: ReadonlyArray<string | number>
): Result.Result<ValidEvent, InvalidInput> => {
  let metadata = "null"
  if (input.metadata !== undefined && input.metadata !== null) {
    const text = canonicalMetadata(input.metadata, [...at, "metadata"])
    if (Result.isFailure(text)) return Result.fail(text.failure)
    metadata = text.success
  }
  const targetMetadata: Array<string | undefined> = []
  for (const [index, target] of (input.targets ?? []).entries()) {
    if (target.metadata === undefined || target.metadata === null) {
      targetMetadata.push(undefined)
      continue
    }
    const text = canonicalMetadata(target.metadata, [...at, "targets", index, "metadata"])
    if (Result.isFailure(text)) return Result.fail(text.failure)
    targetMetadata.push(text.success)
  }
  const address = input.ip_address
  if (address !== undefined && address !== null && Result.isFailure(NetAddress.ipFromString(address))) {
    return Result.fail(
      new InvalidInput({ path: jsonPath([...at, "ip_address"]), reason: "must be an IPv4 or IPv6 address" })
    )
  }
  return Result.succeed({ input, metadata, targetMetadata })
}

/** The refusal of a number that would be stored as another one, if any field that is kept holds such. */
export const refuseInexact = (numbers: ReadonlyArray<StrictJson.InexactNumber>): InvalidInput | undefined => {
  const [first] = numbers
  return first === undefined
    ? undefined
    : new InvalidInput({
        path: jsonPath(first.path),
        reason: `${first.literal.slice(0, 40)} cannot be held exactly as a number; send it as a string`
      })
}
