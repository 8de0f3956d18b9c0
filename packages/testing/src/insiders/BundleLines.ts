/** A bundle as lines whose values can be changed and written as text again. */
import type { LineType } from "./EvidenceMembers.ts"
import { isObject, type Json, type JsonObject, writeJson } from "./JsonValues.ts"
import { noteParts, noteText } from "./NoteParts.ts"

/** A line: its value, and the type that the honest line had. */
export interface BundleLine {
  readonly type: LineType
  readonly value: Json
}

/** The lines of a bundle. */
export type BundleLines = ReadonlyArray<BundleLine>

/** Reads an honest bundle's lines. */
export const readLines = (lines: ReadonlyArray<string>): BundleLines =>
  lines.map((line) => {
    const value = JSON.parse(line) as JsonObject
    const type = value.type as LineType
    if (type !== "checkpoint" || typeof value.note !== "string") return { type, value }
    return { type, value: { ...value, note: noteParts(value.note) } }
  })

/** The line as it is in the file, with its newline. */
const writeLine = ({ type, value }: BundleLine): string => {
  if (type !== "checkpoint" || !isObject(value) || !isObject(value.note)) return `${writeJson(value)}\n`
  return `${writeJson({ ...value, note: noteText(value.note) })}\n`
}

/** The text of a bundle. */
export const writeLines = (lines: BundleLines): string => lines.map(writeLine).join("")
