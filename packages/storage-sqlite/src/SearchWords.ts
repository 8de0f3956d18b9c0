/**
 * Whether the search index finds the events of a log by their own words. FTS5's own check only knows whether
 * the index fits together, because the index keeps no texts.
 */
import type { DatabaseSync } from "node:sqlite"
import { parseContent, searchTexts } from "@cairn/core/event"
import { FIRST_LEGACY_SEQUENCE } from "@cairn/core/log"
import type { StoreDamage } from "@cairn/core/verification"
import { indexable, rowidOf, trigramQuery } from "./SearchIndex.ts"

/** Events of all logs together whose words are looked up: all of a small log, others are picked evenly. */
export const WORDS_CHECKED = 1_000

/**
 * Characters of an event that are looked up, from a random place on. Where many events have the same words,
 * each trigram costs a tenth of a millisecond.
 */
const WINDOW = 24

const windowOf = (text: string): string => {
  const points = Array.from(text)
  const at = Math.floor(Math.random() * Math.max(1, points.length - WINDOW + 1))
  return points.slice(at, at + WINDOW).join("")
}

/** The events of a log that are looked up: in steps of the same length, at a random place of each. */
function* picked(first: number, last: number, wanted: number): Generator<number> {
  const count = last - first + 1
  const picks = Math.min(count, wanted)
  for (let at = 0; at < picks; at++) {
    const place = picks === count ? at : Math.floor(((at + Math.random()) * count) / picks)
    yield first + place
  }
}

const numberOf = (row: Record<string, unknown> | undefined, name: string): number =>
  typeof row?.[name] === "number" ? row[name] : Number.MIN_SAFE_INTEGER

/** Looks up events in the index. */
export const checkWords = (log: DatabaseSync, search: DatabaseSync): ReadonlyArray<StoreDamage> => {
  const position = search.prepare("SELECT sequence FROM position WHERE workspace = ?")
  const holds = search.prepare("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ?")
  const first = log.prepare(
    "SELECT sequence FROM event WHERE workspace = ? AND sequence >= ? ORDER BY sequence LIMIT 1"
  )
  const contents = log.prepare("SELECT content FROM event WHERE workspace = ? AND sequence = ?")
  const contentAt = (workspace: number, sequence: number) => contents.get(workspace, sequence)?.content
  const isHeld = (workspace: number, sequence: number): boolean => {
    const content = contentAt(workspace, sequence)
    const parsed = typeof content === "string" ? parseContent(content) : undefined
    const query = parsed && trigramQuery(windowOf(indexable(searchTexts(parsed).join("\n"))))
    if (query === undefined) return true
    const rowid = rowidOf(workspace, sequence)
    if (holds.get(query, rowid, rowid)?.rowid === rowid) return true
    // A content is removed from the log before the index, and an index that is built again has its positions
    // set back.
    return (
      contentAt(workspace, sequence) !== content || numberOf(position.get(workspace), "sequence") < sequence
    )
  }
  const indexed = search.prepare("SELECT workspace FROM position").all()
  const wanted = Math.max(1, Math.floor(WORDS_CHECKED / Math.max(1, indexed.length)))
  return indexed.flatMap((row) => {
    const workspace = Number(row.workspace)
    const begin = numberOf(first.get(workspace, FIRST_LEGACY_SEQUENCE), "sequence")
    const end = numberOf(position.get(workspace), "sequence")
    if (begin < FIRST_LEGACY_SEQUENCE) return []
    let lookedUp = 0
    let missing = 0
    for (const sequence of picked(begin, end, wanted)) {
      lookedUp++
      if (!isHeld(workspace, sequence)) missing++
    }
    const id = String(log.prepare("SELECT id FROM workspace WHERE number = ?").get(workspace)?.id)
    const what = `${missing} of ${lookedUp} events of ${id} are not found by their words`
    return missing === 0 ? [] : [{ where: "the search index", what }]
  })
}
