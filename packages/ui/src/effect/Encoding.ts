/** Base64, as `effect/encoding` has it, by what every browser has. */
import { fail, succeed } from "./Result.ts"

export * from "effect/encoding"

const decode = (text: string) => {
  try {
    return succeed(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch (error) {
    return fail(error)
  }
}

const encode = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

export const Base64 = { decode, encode }
