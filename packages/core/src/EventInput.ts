/**
 * The event body as clients send it, and the reasons to refuse one.
 *
 * Unknown fields are ignored, so that a newer client does not break; a known field of the wrong type or beyond its limit is
 * refused by its JSON path. `null` counts as omitted.
 */
import { Result, Schema, type SchemaAST, SchemaIssue } from "effect"
import { NetAddress } from "effect/net"
import { canonicalize, type NotCanonicalizable } from "./CanonicalJson.ts"
import * as Micros from "./Micros.ts"
import type * as StrictJson from "./StrictJson.ts"

/** Most characters (Unicode code points) of an identifier, a type, an action or a key. */
export const MAX_IDENTIFIER = 256
/** Most characters of a name. */
export const MAX_NAME = 1024
/** Most bytes of `metadata` as canonical JSON in UTF-8. */
export const MAX_METADATA_BYTES = 64 * 1024
/** Most nested objects and arrays in `metadata`, itself included. */
export const MAX_METADATA_DEPTH = 32
/** Most targets of one event. */
export const MAX_TARGETS = 100
/** Most bytes of one event body. */
export const MAX_EVENT_BYTES = 256 * 1024
/** Most events of one batch. */
export const MAX_BATCH = 100

/** Whether `text` has at most `limit` code points; counts them only when the UTF-16 length cannot tell. */
const fits = (text: string, limit: number): boolean => {
  if (text.length <= limit) return true
  if (text.length > limit * 2) return false
  let points = 0
  for (const _ of text) points++
  return points <= limit
}

/** What a check says of itself in a JSON Schema, whose `maxLength` counts code points too. */
const inJsonSchema = (fragment: object) => ({ toJsonSchema: () => ({ ...fragment }) })

const Identifier = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      if (!fits(text, MAX_IDENTIFIER)) return `must have at most ${MAX_IDENTIFIER} characters`
      if (!text.isWellFormed()) return "must be well-formed Unicode, without lone surrogates"
      return text.includes("\0") ? "must not contain U+0000" : undefined
    },
    inJsonSchema({ maxLength: MAX_IDENTIFIER })
  )
)

const RequiredIdentifier = Identifier.check(
  Schema.makeFilter(
    (text: string) => (text === "" ? "must not be empty" : undefined),
    inJsonSchema({ minLength: 1 })
  )
)

const Name = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      if (!fits(text, MAX_NAME)) return `must have at most ${MAX_NAME} characters`
      return text.isWellFormed() ? undefined : "must be well-formed Unicode, without lone surrogates"
    },
    inJsonSchema({ maxLength: MAX_NAME })
  )
)

const utf8 = new TextEncoder()

/** Whether `text` takes at most `limit` bytes of UTF-8; encodes it only when its length cannot tell. */
const fitsBytes = (text: string, limit: number): boolean =>
  text.length * 3 <= limit || (text.length <= limit && utf8.encode(text).length <= limit)

const Metadata = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: `Any JSON object of at most ${MAX_METADATA_BYTES / 1024} KiB and ${MAX_METADATA_DEPTH} levels`
})

const Timestamp = Schema.String.annotate({
  description: "ISO 8601 date or date-time; at most six fractional digits are kept"
}).check(
  Schema.makeFilter((text: string) =>
    Micros.parse(text) === undefined ? "must be an ISO 8601 date or date-time" : undefined
  )
)

const Integer = Schema.Number.check(
  // Beyond, it could be another number that was rounded, and `Event` would not hold it.
  Schema.makeFilter((value: number) =>
    Number.isSafeInteger(value) ? undefined : "must be an integer between -2^53 and 2^53, both excluded"
  )
).annotate({ description: "An integer between -2^53 and 2^53, both excluded" })

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A target as clients send it. */
export const TargetInput = Schema.Struct({
  type: RequiredIdentifier,
  id: optional(Identifier),
  name: optional(Name),
  metadata: optional(Metadata)
}).annotate({ identifier: "TargetInput" })

/** Actions that verification gives a meaning to: nobody but Cairn may write them. */
export const RESERVED_ACTIONS: ReadonlySet<string> = new Set([
  "cairn.chain.started",
  "cairn.retention.applied",
  "cairn.event.erased"
])

const Action = RequiredIdentifier.check(
  Schema.makeFilter((action: string) =>
    RESERVED_ACTIONS.has(action) ? "is reserved for Cairn itself" : undefined
  )
)

/** The body of `POST /api/v1/events`. */
export const EventInput = Schema.Struct({
  actor_id: RequiredIdentifier,
  actor_name: optional(Name),
  actor_type: optional(Identifier),
  action: Action,
  action_category: optional(Identifier),
  resource_id: optional(Identifier),
  resource_name: optional(Name),
  resource: optional(Identifier),
  metadata: optional(Metadata),
  targets: optional(
    Schema.Array(TargetInput).check(
      Schema.makeFilter(
        (targets: ReadonlyArray<unknown>) =>
          targets.length > MAX_TARGETS ? `must have at most ${MAX_TARGETS} items` : undefined,
        inJsonSchema({ maxItems: MAX_TARGETS })
      )
    )
  ),
  occurred_at: optional(Timestamp),
  session_id: optional(Identifier),
  tenant_id: optional(Identifier),
  idempotency_key: optional(Identifier),
  version: optional(Integer),
  ip_address: optional(Schema.String).annotate({
    description:
      "IPv4 or IPv6 address of the end user, for callers that act on their behalf; used for `ip_country` and `ip_city`, then dropped"
  })
}).annotate({ identifier: "EventInput" })
/** A body that passed every check. */
export type EventInput = typeof EventInput.Type

/** The body of `POST /api/v1/events/batch`. */
export const BatchInput = Schema.Struct({ events: Schema.Array(EventInput) }).annotate({
  identifier: "BatchInput"
})

/** A body that is JSON but not an event. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  /** JSON path of the offending field, such as `targets[0].type`; empty for the body itself. */
  path: Schema.String,
  /** What is wrong with it. */
  reason: Schema.String
}) {
  /** The path and the reason on one line. */
  override get message(): string {
    return this.path === "" ? this.reason : `${this.path}: ${this.reason}`
  }
}

type Step = PropertyKey

/** `events[3].targets[0].type` */
export const jsonPath = (steps: ReadonlyArray<Step>): string => {
  let text = ""
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`
    else text += text === "" ? String(step) : `.${String(step)}`
  }
  return text
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first reason of a schema's refusal, as a field and a sentence. */
export const describeIssue = (issue: SchemaIssue.Issue, base: ReadonlyArray<Step> = []): InvalidInput => {
  const located = firstLeaf(issue, [])
  return new InvalidInput({ path: jsonPath([...base, ...located.path]), reason: located.reason })
}

const EXPECTED: Record<string, string> = {
  String: "a string",
  Number: "a number",
  Boolean: "a boolean",
  Arrays: "an array",
  Objects: "an object"
}

/** The values that a choice leaves, however it is nested. */
const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return [String(ast.literal)]
  return ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []
}

const expected = (ast: SchemaAST.AST): string => {
  const literals = literalsOf(ast)
  if (literals.length > 0) return `${literals.length > 1 ? "one of " : ""}${literals.join(", ")}`
  if (ast._tag !== "Union") return EXPECTED[ast._tag] ?? "of another type"
  // Every other union of these schemas is "this or null"; null is the spelling of "omitted" and not worth a word.
  const wanted = ast.types.find((type) => type._tag !== "Null" && type._tag !== "Undefined")
  return wanted === undefined ? "null" : expected(wanted)
}

/** Walks to the first leaf; of a union's branches the one that got furthest says most. */
const firstLeaf = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<Step>
): { readonly path: ReadonlyArray<Step>; readonly reason: string } => {
  switch (issue._tag) {
    case "Pointer":
      return firstLeaf(issue.issue, [...path, ...issue.path])
    case "Composite":
      return firstLeaf(issue.issues[0], path)
    case "Encoding":
      return firstLeaf(issue.issue, path)
    case "Filter":
      return firstLeaf(issue.issue, path)
    case "AnyOf": {
      const [first] = issue.issues
      if (first !== undefined) return firstLeaf(first, path)
      return { path, reason: `must be ${expected(issue.ast)}` }
    }
    case "MissingKey":
      return { path, reason: "is required" }
    case "InvalidType":
      return { path, reason: `must be ${expected(issue.ast)}` }
    default: {
      const [first] = formatIssue(issue).issues
      return { path, reason: first?.message ?? "is not valid" }
    }
  }
}

const decode = Schema.decodeUnknownResult(EventInput)

const REFUSALS: Record<NotCanonicalizable["reason"], string> = {
  lone_surrogate: "must be well-formed Unicode, without lone surrogates",
  not_finite: "is a number too large for a double; send it as a string",
  not_json: "is not a JSON value",
  too_deep: `must have at most ${MAX_METADATA_DEPTH} levels`
}

/** The canonical text of one metadata object, or why it is refused. */
const canonicalMetadata = (
  metadata: object,
  path: ReadonlyArray<Step>
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
 * The first thing wrong is reported. Costs about ten microseconds for a typical event.
 */
export const decodeEvent = (
  body: unknown,
  at: ReadonlyArray<Step> = []
): Result.Result<ValidEvent, InvalidInput> => {
  const decoded = decode(body)
  if (Result.isFailure(decoded)) return Result.fail(describeIssue(decoded.failure.issue, at))
  const input = decoded.success
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
