/** Why a file could not be read to its end. */
import type { EvidenceCutOff, MalformedEvidence } from "@cairn/core/evidence"

/** Why a file could not be read to its end. */
export interface Unreadable {
  /** The line it stopped at, from 1; null where it was not the line. */
  readonly line: number | null
  readonly message: string
}

/** A line that a bundle cannot have there. */
export const malformed = ({ line, reason, detail }: MalformedEvidence): Unreadable => ({
  line,
  message: detail === "" ? reason : `${reason}: ${detail}`
})

/** The file ends before its first line, or within one. */
export const cutOff = ({ lines, reason }: EvidenceCutOff): Unreadable => ({
  line: lines + 1,
  message: reason === "within_line" ? "the file ends within a line" : "the file is empty"
})
