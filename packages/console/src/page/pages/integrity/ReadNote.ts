/** A checkpoint, read from the text of its signed note. */
import { toHex } from "@cairn/core/hashing"
import { type Checkpoint, parseCheckpoint, parseNote } from "@cairn/core/note"
import { Result } from "effect"

/** A checkpoint as its note says it, and the keys that signed it by name and id. */
export interface ReadNote {
  readonly checkpoint: Checkpoint
  /** The root in hexadecimal. */
  readonly root: string
  readonly keys: ReadonlyArray<{ readonly name: string; readonly id: string }>
}

/** Reads a signed note; undefined for a text that is none. */
export const readNote = (text: string): ReadNote | undefined => {
  // A note that was copied out of a mail or a terminal may have other line ends, and lack the last one.
  const lines = `${text.replaceAll("\r\n", "\n").trim()}\n`
  const read = Result.flatMap(parseNote(lines), (note) =>
    Result.map(parseCheckpoint(note.text), (checkpoint) => ({
      checkpoint,
      root: toHex(checkpoint.root),
      keys: note.signatures.map(({ name, keyId }) => ({ name, id: keyId }))
    }))
  )
  return Result.getOrUndefined(read)
}
