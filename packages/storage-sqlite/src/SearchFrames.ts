/** Whether the search index has the words of the events of each log, see `FrameCheck`. */
import type { DatabaseSync } from "node:sqlite"
import { FRAME_EVENTS, GROUP_FRAMES } from "@cairn/core/log"
import type { StoreDamage } from "@cairn/core/verification"
import { differingEntries, isSigned, pickedFrames, readFrame, WORDS_CHECKED } from "@cairn/storage-sql"

const bytesOf = (value: unknown): Uint8Array => (value instanceof Uint8Array ? value : new Uint8Array())

/** Compares frames of an index with the log. */
export const checkFrames = (log: DatabaseSync, search: DatabaseSync): ReadonlyArray<StoreDamage> => {
  const stored = search.prepare(
    "SELECT first, blob, signature FROM search_frame WHERE workspace = ? AND number = ?"
  )
  const following = search.prepare(
    "SELECT first FROM search_frame WHERE workspace = ? AND number > ? ORDER BY number LIMIT 1"
  )
  const parts = search.prepare("SELECT part, cells FROM search_part WHERE workspace = ? AND frame_group = ?")
  const contents = log.prepare(
    "SELECT sequence, content FROM event WHERE workspace = ? AND sequence BETWEEN ? AND ?"
  )
  const contentAt = log.prepare("SELECT content FROM event WHERE workspace = ? AND sequence = ?")

  /** Events of a frame, and how many of them a search does not find; undefined if it cannot be read. */
  const look = (workspace: number, position: number, number: number) => {
    const row = stored.get(workspace, number)
    if (row === undefined) return { events: 0, wrong: 0 }
    const first = Number(row.first)
    const entries = readFrame({ number, first, blob: bytesOf(row.blob) })
    if (entries === undefined) return undefined
    const next = following.get(workspace, number)
    // A frame is of few events: only where later frames are gone are there more.
    const last = Math.min(next === undefined ? position : Number(next.first) - 1, first + 4 * FRAME_EVENTS)
    const rows = contents.all(workspace, first, last).map(({ sequence, content }) => ({
      sequence: Number(sequence),
      content: typeof content === "string" ? content : null
    }))
    const read = new Map(rows.map(({ sequence, content }) => [sequence, content]))
    // A content is removed from the log before the index.
    const isStill = (sequence: number) =>
      (contentAt.get(workspace, sequence)?.content ?? null) === (read.get(sequence) ?? null)
    const wrong = differingEntries(entries, rows).filter(isStill).length
    const group = parts
      .all(workspace, Math.floor(number / GROUP_FRAMES))
      .map(({ part, cells }) => ({ index: Number(part), cells: bytesOf(cells) }))
    const signature = row.signature === null ? null : bytesOf(row.signature)
    const events = entries.length
    return { events, wrong: isSigned(number, entries, signature, group) ? wrong : events }
  }

  const positions = search.prepare("SELECT workspace, sequence, frames FROM search_position").all()
  const wanted = Math.max(1, Math.floor(WORDS_CHECKED / FRAME_EVENTS / Math.max(1, positions.length)))
  return positions.flatMap(({ workspace, sequence, frames }) => {
    const id = String(log.prepare("SELECT id FROM workspace WHERE number = ?").get(Number(workspace))?.id)
    const where = "the search index"
    let lookedAt = 0
    let missing = 0
    for (const number of pickedFrames(Number(frames), wanted)) {
      const found = look(Number(workspace), Number(sequence), number)
      if (found === undefined) return [{ where, what: `a frame of ${id} cannot be read` }]
      lookedAt += found.events
      missing += found.wrong
    }
    return missing === 0
      ? []
      : [{ where, what: `${missing} of ${lookedAt} events of ${id} are not found by their words` }]
  })
}
