/** What is wrong with a value from outside, and how an error names its field. */
import { Result, Schema, type SchemaAST, SchemaIssue } from "effect"

/** Most faults of one kind that are named. */
export const MAX_FAULTS = 20

/** Characters of an error's line beyond which it names no further fault. */
const MAX_LINE = 1_500

/** One thing that is wrong. */
const Fault = Schema.Struct({
  /** JSON path of the offending field, such as `targets[0].type`; empty for the value itself. */
  path: Schema.String,
  /** What is wrong with it. */
  reason: Schema.String
})
/** One thing that is wrong with a value. */
export type Fault = typeof Fault.Type

/** A fault on one line. */
export const sayFault = ({ path, reason }: Fault): string => (path === "" ? reason : `${path}: ${reason}`)

/** The reason for a key that an object has twice, whether or not the key is known and its value right. */
export const REPEATED = "is given more than once"

/** A value that is JSON, but not what it must be. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  /** The first fault. */
  ...Fault.fields,
  /** The other faults, in order. */
  others: Schema.optionalKey(Schema.Array(Fault)),
  /** The paths of unknown members: faults of their own, which a client library may leave out. */
  unknown: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  /** All faults, on one line: the path and the reason of each; of a long line, how many are left out. */
  override get message(): string {
    const said: Array<string> = []
    let length = 0
    for (const fault of this.faults) {
      const text = sayFault(fault)
      length += text.length
      if (said.length > 0 && length > MAX_LINE) break
      said.push(text)
    }
    const others = this.faults.length - said.length
    return [...said, ...(others === 0 ? [] : [`and ${others} more`])].join("; ")
  }

  /** All faults that are named. */
  get faults(): ReadonlyArray<Fault> {
    return [{ path: this.path, reason: this.reason }, ...(this.others ?? [])]
  }

  /** The faults that are wrong values, and no unknown members. */
  get wrong(): ReadonlyArray<Fault> {
    const unknown = new Set(this.unknown)
    return this.faults.filter(({ path, reason }) => !unknown.has(path) || reason === REPEATED)
  }
}

/** The error for some faults, if there are any; `unknown` are the paths of unknown members among them. */
export const invalidInput = (
  faults: ReadonlyArray<Fault>,
  unknown: ReadonlyArray<string> = []
): InvalidInput | undefined => {
  const [first, ...others] = faults
  if (first === undefined) return undefined
  return new InvalidInput({
    ...first,
    ...(others.length === 0 ? {} : { others }),
    ...(unknown.length === 0 ? {} : { unknown })
  })
}

/**
 * The error for what two checks of one value have found: of each field, what the first has found, and whether
 * it is repeated.
 */
export const bothInvalid = (
  one: InvalidInput | undefined,
  other: InvalidInput | undefined
): InvalidInput | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  const known = new Set(one.faults.map(({ path }) => path))
  const others = other.faults.filter(({ path, reason }) => !known.has(path) || reason === REPEATED)
  return invalidInput([...one.faults, ...others], [...(one.unknown ?? []), ...(other.unknown ?? [])])
}

/** The value that was read, unless anything else is wrong with its body: then all that is wrong. */
export const unlessInvalid = <A>(
  read: Result.Result<A, InvalidInput>,
  ...others: ReadonlyArray<InvalidInput | undefined>
): Result.Result<A, InvalidInput> => {
  const wrong = others.reduce(bothInvalid, undefined)
  if (Result.isSuccess(read)) return wrong === undefined ? read : Result.fail(wrong)
  return Result.fail(bothInvalid(wrong, read.failure) ?? read.failure)
}

type Step = PropertyKey

/** `events[3].targets[0].type` */
export const jsonPath = (steps: ReadonlyArray<Step>): string => {
  let text = ""
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`
    else if (step === "") text += '[""]'
    else text += text === "" ? String(step) : `.${String(step)}`
  }
  return text
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

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

/** The range of a number as the last check that has words for it says it. */
const rangeOf = (ast: SchemaAST.AST): string | undefined => {
  const number = ast._tag === "Union" ? ast.types.find(({ _tag }) => _tag === "Number") : ast
  if (number?._tag !== "Number") return undefined
  return number.checks?.map(({ annotations }) => annotations?.expected).findLast(isText)
}

const isText = (value: unknown): value is string => typeof value === "string"

interface Leaf {
  readonly path: ReadonlyArray<Step>
  readonly reason: string
}

/** The leaves of an issue. Of a union's branches, the first has the most useful message. */
function* leaves(issue: SchemaIssue.Issue, path: ReadonlyArray<Step>): Generator<Leaf> {
  switch (issue._tag) {
    case "Pointer":
      return yield* leaves(issue.issue, [...path, ...issue.path])
    case "Composite":
      for (const one of issue.issues) yield* leaves(one, path)
      return
    case "Encoding":
      return yield* leaves(issue.issue, path)
    case "Filter": {
      const { expected: wanted } = issue.filter.annotations ?? {}
      const bare = issue.issue._tag === "InvalidValue" && issue.issue.annotations?.message === undefined
      if (bare && typeof wanted === "string") return yield { path, reason: `must be ${wanted}` }
      return yield* leaves(issue.issue, path)
    }
    case "AnyOf": {
      const [first] = issue.issues
      if (first !== undefined) return yield* leaves(first, path)
      return yield { path, reason: `must be ${expected(issue.ast)}` }
    }
    case "MissingKey":
      return yield { path, reason: "is required" }
    case "InvalidType":
      return yield { path, reason: `must be ${rangeOf(issue.ast) ?? expected(issue.ast)}` }
    default: {
      // Effect's own words for a value that nothing else is said about could stand for anything.
      if (issue._tag === "InvalidValue" && issue.annotations?.message === undefined)
        return yield { path, reason: "is not valid" }
      const [first] = formatIssue(issue).issues
      return yield { path, reason: first?.message ?? "is not valid" }
    }
  }
}

/**
 * The errors of a schema, the first of each field with a sentence. A schema reports all of them with `errors:
 * "all"`.
 */
export const describeIssue = (issue: SchemaIssue.Issue, base: ReadonlyArray<Step> = []): InvalidInput => {
  const reasons = new Map<string, string>()
  for (const { path, reason } of leaves(issue, [])) {
    const field = jsonPath([...base, ...path])
    if (!reasons.has(field)) reasons.set(field, reason)
    if (reasons.size === MAX_FAULTS) break
  }
  const faults = Array.from(reasons, ([path, reason]) => ({ path, reason }))
  return invalidInput(faults) ?? new InvalidInput({ path: jsonPath(base), reason: "is not valid" })
}
