/**
 * The place in a list after which the next page begins: URL-safe base64 (RFC 4648 section 5, no padding) of
 * the decimal microseconds of the last item. `created_at` is strictly increasing within a workspace, so it
 * identifies exactly one place. In the order of occurrence, in which many may share a moment, it is of the
 * microseconds and, after a dot, of the sequence.
 */
import { Result } from "effect"
import { Base64Url } from "effect/encoding"
import type { Micros } from "../encoding/Micros.ts"
import type { Occurrence } from "./Occurrence.ts"

/** The cursor that continues after the item recorded at `micros`. */
export const encode = (micros: Micros): string => Base64Url.encode(String(micros))

/** The microseconds in a cursor; `undefined` for any text that is not a cursor in its only spelling. */
export const decode = (cursor: string): Micros | undefined => {
  const text = Result.getOrUndefined(Base64Url.decodeString(cursor))
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text)) return undefined
  const micros = Number(text)
  return Number.isSafeInteger(micros) && encode(micros) === cursor ? micros : undefined
}

/** The cursor that continues after an item in the order of occurrence. */
export const encodeOccurrence = ({ occurredAt, sequence }: Occurrence): string =>
  Base64Url.encode(`${occurredAt}.${sequence}`)

/** The place in such a cursor; `undefined` for any text that is not one in its only spelling. */
export const decodeOccurrence = (cursor: string): Occurrence | undefined => {
  const text = Result.getOrUndefined(Base64Url.decodeString(cursor))
  const [, moment, at] = /^(-?\d{1,18})\.(-?\d{1,16})$/.exec(text ?? "") ?? []
  if (moment === undefined || at === undefined) return undefined
  const place = { occurredAt: Number(moment), sequence: Number(at) }
  return Number.isSafeInteger(place.sequence) && encodeOccurrence(place) === cursor ? place : undefined
}
