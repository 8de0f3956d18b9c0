/**
 * Rejects members of a body that its schema does not have. Otherwise a misspelt restriction would restrict
 * nothing: a token for one tenant would be a token for all.
 */
import { Result, Schema, type SchemaAST } from "effect"
import { nearestName } from "../encoding/NearestName.ts"
import { describeIssue, InvalidInput, jsonPath } from "./EventInput.ts"

type Path = ReadonlyArray<string | number>

/** Most unknown members that an error lists. */
const MAX_LISTED = 20

/** Most characters of a name that an error repeats. */
const MAX_SHOWN = 100

interface Unknown {
  readonly path: string
  readonly nearest: string | undefined
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
  } else if (ast._tag === "Objects" && isRecord(value)) {
    const known = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]))
    for (const [name, member] of Object.entries(value)) {
      const type = known.get(name)
      if (type !== undefined) yield* unknownMembers(type, member, [...path, name])
      else if (ast.indexSignatures.length === 0) {
        yield {
          path: jsonPath([...path, name.slice(0, MAX_SHOWN)]),
          nearest: nearestName(name, known.keys())
        }
      }
    }
  }
}

/** The error text for an unknown name. */
export const unknownName = (nearest: string | undefined): string =>
  nearest === undefined ? "is not known; nothing is, here" : `is not known; the nearest is ${nearest}`

/**
 * Makes a check of bodies: it returns an error if the body has a member, at any depth, that the schema does
 * not have. `at` is the path of the value in the request. The error names the first such member with the
 * nearest known name, and lists up to twenty in `unknown`.
 */
export const knownMembers = (
  schema: Schema.Constraint
): ((value: unknown, at?: Path) => InvalidInput | undefined) => {
  const { ast } = Schema.toEncoded(schema)
  return (value, at = []) => {
    const found: Array<Unknown> = []
    for (const unknown of unknownMembers(ast, value, at)) {
      if (found.push(unknown) === MAX_LISTED) break
    }
    const [first] = found
    return first === undefined
      ? undefined
      : new InvalidInput({
          path: first.path,
          reason: unknownName(first.nearest),
          unknown: found.map(({ path }) => path)
        })
  }
}

/**
 * Makes a decoder of bodies that checks for unknown members first. An error names the path of the first thing
 * wrong.
 */
export const decodeStrictly = <S extends Schema.Decoder<unknown>>(
  schema: S
): ((value: unknown) => Result.Result<S["Type"], InvalidInput>) => {
  const refusal = knownMembers(schema)
  const decode = Schema.decodeUnknownResult(schema)
  return (value) => {
    const unknown = refusal(value)
    return unknown === undefined
      ? Result.mapError(decode(value), ({ issue }) => describeIssue(issue))
      : Result.fail(unknown)
  }
}
