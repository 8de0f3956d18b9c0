/** Values of JSON that can be changed in any place, and written correctly or deliberately wrong. */
/** A value of JSON, or what a tamperer puts in its place. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject | Twice | Spelled
/** An object of JSON. */
export interface JsonObject {
  readonly [name: string]: Json
}

/** A member that occurs twice in its object, with two values. */
export class Twice {
  readonly first: Json
  readonly second: Json
  constructor(first: Json, second: Json) {
    this.first = first
    this.second = second
  }
}

/** Text that is written to a line unchanged. */
export class Spelled {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Whether a value is an object with members. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Twice) &&
  !(value instanceof Spelled)

/** Whether a value is a list. */
export const isList = (value: unknown): value is ReadonlyArray<Json> => Array.isArray(value)

/** Writes a value as RFC 8785 requires, except what is deliberately wrong. */
export const writeJson = (value: Json): string => {
  if (value instanceof Spelled) return value.text
  if (value instanceof Twice) return writeJson(value.second)
  if (isList(value)) return `[${value.map(writeJson).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => {
      const member = value[name] ?? null
      const values = member instanceof Twice ? [member.first, member.second] : [member]
      return values.map((one) => `${JSON.stringify(name)}:${writeJson(one)}`)
    })
  return `{${members.join(",")}}`
}

/** A place in a line, with the indexes of lists. */
export type Place = ReadonlyArray<string | number>

/** The value at a place; `undefined` for none. */
export const valueAt = (value: Json | undefined, place: Place): Json | undefined => {
  const [first, ...rest] = place
  if (first === undefined) return value
  if (typeof first === "number") return isList(value) ? valueAt(value[first], rest) : undefined
  return isObject(value) && Object.hasOwn(value, first) ? valueAt(value[first], rest) : undefined
}

/**
 * The value with another one at an existing place, or at one whose parent exists; `undefined` removes the
 * member or item.
 */
export const withValueAt = (value: Json, place: Place, change: Json | undefined): Json => {
  const [first, ...rest] = place
  if (first === undefined) return change ?? null
  if (typeof first === "number") {
    if (!isList(value)) return value
    if (rest.length > 0) return value.with(first, withValueAt(value[first] ?? null, rest, change))
    return change === undefined ? value.toSpliced(first, 1) : value.with(first, change)
  }
  if (!isObject(value)) return value
  if (rest.length === 0 && change === undefined) {
    const { [first]: _, ...others } = value
    return others
  }
  return {
    ...value,
    [first]: rest.length === 0 ? (change ?? null) : withValueAt(value[first] ?? null, rest, change)
  }
}

/** The member of an object that is a text. */
export const textIn = (value: Json | undefined, name: string): string | undefined => {
  const member = isObject(value) ? value[name] : undefined
  return typeof member === "string" ? member : undefined
}

/** The member of an object that is a whole number. */
export const wholeIn = (value: Json | undefined, name: string): number | undefined => {
  const member = isObject(value) ? value[name] : undefined
  return typeof member === "number" && Number.isSafeInteger(member) ? member : undefined
}
