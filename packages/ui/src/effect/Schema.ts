/**
 * Schemas of JSON, as Effect's `Schema`: what a value must be, and the value that it stands for. They say
 * whether a value is right, not what is wrong with it.
 */

import { fail, succeed } from "./Result.ts"

export * from "effect/Schema"

/** In place of a value: what was given is none. */
const NONE = Symbol()

type Filter = (value: never) => unknown

/** Whether a filter lets a value through: it may also answer with what is wrong. */
const passes = (filter: Filter, value: unknown): boolean => {
  const answer = filter(value as never)
  return answer === undefined || answer === true
}

/**
 * The value that another one stands for, or {@link NONE}; with `isRead`, the other one must already be what
 * such a value is once it is read.
 */
type Read = (value: unknown, isRead: boolean) => unknown

class Schema {
  readonly read: Read
  readonly isOptional: boolean

  constructor(read: Read, isOptional = false) {
    this.read = read
    this.isOptional = isOptional
  }

  check(...filters: ReadonlyArray<Filter>): Schema {
    return new Schema((given, isRead) => {
      const value = this.read(given, isRead)
      return value !== NONE && filters.every((filter) => passes(filter, value)) ? value : NONE
    })
  }

  pipe<A>(change: (schema: Schema) => A): A {
    return change(this)
  }
}

const where = (holds: (value: unknown) => boolean): Schema =>
  new Schema((value) => (holds(value) ? value : NONE))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object with these members, each of which is read; {@link NONE} if one is none, or has no schema. */
const readMembers = (
  value: Readonly<Record<string, unknown>>,
  members: Iterable<readonly [name: string, schema: Schema]>,
  isRead: boolean
): unknown => {
  const entries: Array<readonly [string, unknown]> = []
  for (const [name, schema] of members) {
    if (!(name in value)) {
      if (schema.isOptional) continue
      return NONE
    }
    const member = schema.read(value[name], isRead)
    if (member === NONE) return NONE
    entries.push([name, member])
  }
  return Object.fromEntries(entries)
}

const Text = where((value) => typeof value === "string")

const Num = where((value) => typeof value === "number")

const Bool = where((value) => typeof value === "boolean")

const Bytes = where((value) => value instanceof Uint8Array)

const List = (item: Schema): Schema =>
  new Schema((value, isRead) => {
    if (!Array.isArray(value)) return NONE
    const items = value.map((one) => item.read(one, isRead))
    return items.includes(NONE) ? NONE : items
  })

export { Bool as Boolean, Bytes as Uint8Array, List as Array, Num as Number, Text as String }

export const Int = where(Number.isSafeInteger)

export const Unknown = where(() => true)

const isLeaf = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

/** Of any depth: nothing is called within itself. What `JSON.parse` returns holds nothing of itself. */
const Json = where((value) => {
  const values = [value]
  for (const one of values) {
    if (typeof one === "object" && one !== null) for (const inner of Object.values(one)) values.push(inner)
    else if (!isLeaf(one)) return false
  }
  return true
})

export const Literals = (values: ReadonlyArray<unknown>): Schema => where((value) => values.includes(value))

export const Literal = (wanted: unknown): Schema => Literals([wanted])

export const Union = (schemas: ReadonlyArray<Schema>): Schema =>
  new Schema((given, isRead) => {
    for (const schema of schemas) {
      const value = schema.read(given, isRead)
      if (value !== NONE) return value
    }
    return NONE
  })

export const NullOr = (schema: Schema): Schema => Union([schema, Literal(null)])

export const optionalKey = (schema: Schema): Schema => new Schema(schema.read, true)

export const Record = (_key: Schema, member: Schema): Schema =>
  new Schema((value, isRead) =>
    isObject(value)
      ? readMembers(
          value,
          Object.keys(value).map((name) => [name, member]),
          isRead
        )
      : NONE
  )

export const JsonObject = Record(Text, Json)

export const Struct = (fields: Readonly<Record<string, Schema>>) =>
  Object.assign(
    new Schema((value, isRead) =>
      isObject(value) ? readMembers(value, Object.entries(fields), isRead) : NONE
    ),
    { fields }
  )

export const isPattern =
  (pattern: RegExp): Filter =>
  (text: string) =>
    pattern.test(text)

export const makeFilter = (filter: Filter): Filter => filter

/** What a text or number in JSON stands for; `decode` gets it from what `from` has read. */
export const decodeTo =
  (to: Schema, { decode }: { readonly decode: (value: never) => unknown }) =>
  (from: Schema): Schema =>
    new Schema((given, isRead) => {
      if (isRead) return to.read(given, true)
      const value = from.read(given, false)
      return value === NONE ? NONE : to.read(decode(value as never), true)
    })

export const is =
  (schema: Schema) =>
  (value: unknown): boolean =>
    schema.read(value, true) !== NONE

/** Fails without a reason. */
export const decodeUnknownResult = (schema: Schema) => (given: unknown) => {
  const value = schema.read(given, false)
  return value === NONE ? fail(undefined) : succeed(value)
}

/** An error of this kind; what it is made of is not checked. */
export const TaggedError = () => (tag: string) =>
  class extends Error {
    readonly _tag = tag
    override readonly name = tag

    constructor(members: Readonly<Record<string, unknown>>) {
      super()
      Object.assign(this, members)
    }
  }
