/**
 * The signed note of a checkpoint as an object, so that each of its lines and signatures is a member like any
 * other.
 */
import { isObject, type Json, type JsonObject } from "./JsonValues.ts"

/** The parts of a note. */
export const NOTE_MEMBERS: ReadonlyArray<ReadonlyArray<string>> = [
  ["origin"],
  ["size"],
  ["root"],
  ["extensions"],
  ["signatures"],
  ["signatures", "[]"],
  ["signatures", "[]", "name"],
  ["signatures", "[]", "key_id"],
  ["signatures", "[]", "signature"]
]

const KEY_ID_BYTES = 4

/** Splits a note into its parts; its size is a number and a key's id is hexadecimal. */
export const noteParts = (note: string): JsonObject => {
  const [text = "", signatures = ""] = note.split("\n\n")
  const [origin = "", size = "", root = "", ...extensions] = text.split("\n")
  return {
    origin,
    size: Number(size),
    root,
    extensions,
    signatures: signatures
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [, name = "", base64 = ""] = line.split(" ")
        const bytes = Buffer.from(base64, "base64")
        return {
          name,
          key_id: bytes.subarray(0, KEY_ID_BYTES).toString("hex"),
          signature: bytes.subarray(KEY_ID_BYTES).toString("base64")
        }
      })
  }
}

const textOf = (value: Json | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value)

const signatureLine = (value: Json): string => {
  if (!isObject(value)) return textOf(value)
  const { name, key_id, signature } = value
  const bytes = [
    Buffer.from(key_id === undefined ? "" : textOf(key_id), "hex"),
    Buffer.from(signature === undefined ? "" : textOf(signature), "base64")
  ]
  const words = ["\u2014", ...(name === undefined ? [] : [textOf(name)])]
  return [...words, Buffer.concat(bytes).toString("base64")].join(" ")
}

/** Joins the parts of a note; a missing part leaves no line. */
export const noteText = (parts: JsonObject): string => {
  const { origin, size, root, extensions = [], signatures = [] } = parts
  const lines = [origin, size, root].filter((part) => part !== undefined).map(textOf)
  const more = Array.isArray(extensions) ? extensions.map(textOf) : [textOf(extensions)]
  const signed = Array.isArray(signatures) ? signatures.map(signatureLine) : [textOf(signatures)]
  return `${[...lines, ...more].map((line) => `${line}\n`).join("")}\n${signed.map((line) => `${line}\n`).join("")}`
}
