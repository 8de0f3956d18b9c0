/**
 * Rejects members of a body that its schema does not have. Otherwise a misspelt restriction would restrict
 * nothing: a token for one tenant would be a token for all. In an event it would be a typo for ever.
 */
import { Result, Schema, type SchemaAST } from "effect"
import { nearestName } from "../encoding/NearestName.ts"
import {
  bothInvalid,
  describeIssue,
  type Fault,
  type InvalidInput,
  invalidInput,
  jsonPath,
  MAX_FAULTS
} from "./InvalidInput.ts"

type Path = ReadonlyArray<string | number>

/** Most unknown members that an error lists. */
const MAX_LISTED = 100

/** For how many of them, and how long ones, the nearest known name is looked up. */
const MAX_LOOKED_UP = 3
const LONGEST_LOOKED_UP = 64

/** Most characters of a name that an error repeats. */
const MAX_SHOWN = 100

interface Unknown {
  readonly path: Path
  readonly name: string
  /** The names that are known in its place. */
  readonly known: Iterable<string>
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The unknown members of a value, in the order of the value. Goes only as deep as the schema does. */
function* unknownMembers(ast: SchemaAST.AST, value: unknown, path: Path): Generator<Unknown> {
  if (ast._tag === "Union") {
    // At most one member of each union in these schemas is an object or an array: the others are null and
    // plain values.
    const inner = ast.types.find(({ _tag }) => _tag === (Array.isArray(value) ? "Arrays" : "Objects"))
    if (inner !== undefined) yield* unknownMembers(inner, value, path)
  } else if (ast._tag === "Arrays" && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const element = ast.elements[index] ?? ast.rest[0]
      if (element !== undefined) yield* unknownMembers(element, item, [...path, index])
    }
  } else if (ast._tag === "Objects" && isRecord(value) && ast.indexSignatures.length === 0) {
    const known = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]))
    for (const name of Object.keys(value)) {
      const type = known.get(name)
      if (type !== undefined) yield* unknownMembers(type, value[name], [...path, name])
      else yield { path, name, known: known.keys() }
    }
  }
}

/** The error text for an unknown name, with the known one that is nearest to it. */
export const unknownName = (nearest: string | undefined): string =>
  nearest === undefined ? "is not known" : `is not known; did you mean \`${nearest}\`?`

/**
 * Makes a check of bodies: it returns an error if the body has a member, at any depth, that the schema does
 * not have. `at` is the path of the value in the request. The error names the nearest known name of the first
 * three such members, and lists up to a hundred in `unknown`.
 */
export const knownMembers = (
  schema: Schema.Constraint
): ((value: unknown, at?: Path) => InvalidInput | undefined) => {
  const { ast } = Schema.toEncoded(schema)
  return (value, at = []) => {
    const faults: Array<Fault> = []
    for (const { path, name, known } of unknownMembers(ast, value, at)) {
      const isLookedUp = faults.length < MAX_LOOKED_UP && name.length <= LONGEST_LOOKED_UP
      const nearest = isLookedUp ? nearestName(name, known) : undefined
      const shown = jsonPath([...path, name.slice(0, MAX_SHOWN)])
      if (faults.push({ path: shown, reason: unknownName(nearest) }) === MAX_LISTED) break
    }
    const paths = faults.map(({ path }) => path)
    return invalidInput(faults.slice(0, MAX_FAULTS), paths)
  }
}

/** How a body is decoded, where it differs from the ordinary. */
interface StrictDecoding {
  /** The body as it was sent, when the value has more or fewer members: its names are checked. */
  readonly sent?: unknown
  /** The path of the value in the request. */
  readonly at?: Path
}

/** Makes a decoder of bodies. An error names all unknown members and wrong values. */
export const decodeStrictly = <S extends Schema.Decoder<unknown>>(
  schema: S
): ((value: unknown, options?: StrictDecoding) => Result.Result<S["Type"], InvalidInput>) => {
  const unknownIn = knownMembers(schema)
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (value, { sent = value, at = [] } = {}) => {
    const unknown = unknownIn(sent, at)
    const decoded = decode(value)
    if (Result.isSuccess(decoded)) {
      return unknown === undefined ? Result.succeed(decoded.success) : Result.fail(unknown)
    }
    const wrong = describeIssue(decoded.failure.issue, at)
    return Result.fail(bothInvalid(unknown, wrong) ?? wrong)
  }
}
