/**
 * The event body as clients send it: its shape and limits, and how an error names the field.
 *
 * Unknown fields of an event are ignored, so that a newer client does not break. A known field of the wrong
 * type or beyond its limit is an error that names its JSON path. `null` counts as omitted.
 */
import { Schema, type SchemaAST, SchemaIssue } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { OWN_PREFIX, readsAsOwn } from "./OwnAction.ts"

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

/**
 * Whether `text` has at most `limit` code points. They are counted only if the UTF-16 length does not decide
 * that.
 */
const fits = (text: string, limit: number): boolean => {
  if (text.length <= limit) return true
  if (text.length > limit * 2) return false
  let points = 0
  for (const _ of text) points++
  return points <= limit
}

/** The check as JSON Schema, whose `maxLength` also counts code points. */
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
  // A larger number could be the result of rounding, and `Event` could not hold it.
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

/**
 * Actions that have a meaning for verification. Only the operation that such an action records writes it, in
 * the same transaction.
 */
export const RESERVED_ACTIONS: ReadonlySet<string> = new Set([
  "cairn.chain.started",
  "cairn.retention.applied",
  "cairn.event.erased"
])

const Action = RequiredIdentifier.check(
  Schema.makeFilter(
    (action: string) =>
      readsAsOwn(action) ? `must not begin with ${OWN_PREFIX}, which is the service's own` : undefined,
    inJsonSchema({ not: { pattern: "^cairn\\." } })
  )
)

const OwnAction = RequiredIdentifier.check(
  Schema.makeFilter((action: string) =>
    action.startsWith(OWN_PREFIX) && !RESERVED_ACTIONS.has(action)
      ? undefined
      : `must begin with ${OWN_PREFIX} and have no meaning to verification`
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

/**
 * The body of an event that the service writes by itself: the same, except that its action begins with
 * `cairn.`.
 */
export const OwnEventInput = Schema.Struct({ ...EventInput.fields, action: OwnAction })

/** The body of `POST /api/v1/events/batch`. */
export const BatchInput = Schema.Struct({ events: Schema.Array(EventInput) }).annotate({
  identifier: "BatchInput"
})

/** A body that is JSON but not an event. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  /** JSON path of the offending field, such as `targets[0].type`; empty for the body itself. */
  path: Schema.String,
  /** What is wrong with it. */
  reason: Schema.String,
  /** The paths of all unknown members, if that is the error. */
  unknown: Schema.optionalKey(Schema.Array(Schema.String))
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

/** The first error of a schema, as a field and a sentence. */
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

/** The values that a union of literals allows, however it is nested. */
const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return [String(ast.literal)]
  return ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []
}

const expected = (ast: SchemaAST.AST): string => {
  const literals = literalsOf(ast)
  if (literals.length > 0) return `${literals.length > 1 ? "one of " : ""}${literals.join(", ")}`
  if (ast._tag !== "Union") return EXPECTED[ast._tag] ?? "of another type"
  // Every other union of these schemas is "this or null". Null means omitted, so the message does not mention
  // it.
  const wanted = ast.types.find((type) => type._tag !== "Null" && type._tag !== "Undefined")
  return wanted === undefined ? "null" : expected(wanted)
}

/** Walks to the first leaf. Of a union's branches, the one that got furthest has the most useful message. */
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
    case "Filter": {
      const { expected: wanted } = issue.filter.annotations ?? {}
      const bare = issue.issue._tag === "InvalidValue" && issue.issue.annotations?.message === undefined
      return bare && typeof wanted === "string"
        ? { path, reason: `must be ${wanted}` }
        : firstLeaf(issue.issue, path)
    }
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
