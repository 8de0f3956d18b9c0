/**
 * The place in a list after which the next page begins: URL-safe base64 (RFC 4648 section 5, no padding) of
 * the decimal microseconds of the last item. `created_at` is strictly increasing within a workspace, so it
 * identifies exactly one place.
 */
import { Result } from "effect"
import { Base64Url } from "effect/encoding"
import type { Micros } from "../encoding/Micros.ts"

/** The cursor that continues after the item recorded at `micros`. */
export const encode = (micros: Micros): string => Base64Url.encode(String(micros))

/** The microseconds in a cursor; `undefined` for any text that is not a cursor in its only spelling. */
export const decode = (cursor: string): Micros | undefined => {
  const text = Result.getOrUndefined(Base64Url.decodeString(cursor))
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text)) return undefined
  const micros = Number(text)
  return Number.isSafeInteger(micros) && encode(micros) === cursor ? micros : undefined
}
