/** What a change changed, as metadata that the viewer shows as a table of fields before and after. */
import { isRecord } from "./Http.ts"

/** The fields that differ, as they were and as they are. One that is on one side only came or went. */
export type Changes =
  | { readonly before: Readonly<Record<string, unknown>>; readonly after: Readonly<Record<string, unknown>> }
  | Record<string, never>

/** As JSON has it: times are text, functions are gone; large integers are text, because JSON has none. */
const asJson = (value: unknown): unknown => {
  const text = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member))
  return text === undefined ? undefined : JSON.parse(text)
}

/** Sets a member, also one named `__proto__`. */
const put = (object: Record<string, unknown>, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })

const differing = (before: Record<string, unknown>, after: Record<string, unknown>): Changes => {
  const sides = { before: {}, after: {} }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [hadIt, hasIt] = [Object.hasOwn(before, name), Object.hasOwn(after, name)]
    const [was, is] = [before[name], after[name]]
    if (hadIt && hasIt && isRecord(was) && isRecord(is)) {
      const below = differing(was, is)
      if ("before" in below) {
        put(sides.before, name, below.before)
        put(sides.after, name, below.after)
      }
    } else if (hadIt !== hasIt || JSON.stringify(was) !== JSON.stringify(is)) {
      if (hadIt) put(sides.before, name, was)
      if (hasIt) put(sides.after, name, is)
    }
  }
  const isSame = Object.keys(sides.before).length + Object.keys(sides.after).length === 0
  return isSame ? {} : sides
}

/**
 * The fields in which two states of a thing differ, however deep, for an event's metadata: `metadata:
 * diff(before, after)`. Lists are compared whole. `null` or `undefined` is a thing that was not there: all of
 * the other is new, or gone. Nothing where nothing differs.
 *
 * @throws TypeError for what contains itself.
 */
export const diff = (before: object | null | undefined, after: object | null | undefined): Changes => {
  const [was, is] = [asJson(before ?? {}), asJson(after ?? {})]
  return isRecord(was) && isRecord(is) ? differing(was, is) : differing({ value: was }, { value: is })
}
