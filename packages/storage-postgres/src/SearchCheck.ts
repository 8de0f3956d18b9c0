/** Whether the search index has the words of the events of each log, see `FrameCheck`. */
import { FRAME_EVENTS, GROUP_FRAMES, GROUP_PARTS } from "@cairn/core/log"
import {
  differingEntries,
  frameRows,
  isSigned,
  pickedFrames,
  readFrame,
  WORDS_CHECKED
} from "@cairn/storage-sql"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

interface PositionRow {
  readonly id: string
  readonly workspace: number
  readonly sequence: number
  readonly frames: number
}

interface ContentRow {
  readonly sequence: number
  readonly content: string | null
}

const INDEXES = Array.from({ length: GROUP_PARTS }, (_, index) => index)

/** Checks the index in one snapshot. */
export const checkSearch = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const where = "the search index"
  const store = frameRows(sql)

  const look = Effect.fnUntraced(function* ({ workspace, sequence }: PositionRow, number: number) {
    const [frame] = yield* store.frames(workspace, [number])
    if (frame === undefined) return { events: 0, wrong: 0 }
    const entries = readFrame(frame)
    if (entries === undefined) return undefined
    const [next] = yield* sql<{ readonly first: number }>`
      SELECT first FROM search_frame WHERE workspace = ${workspace} AND number > ${number} ORDER BY number LIMIT 1`
    // A frame is of few events: only where later frames are gone are there more.
    const last = Math.min(next === undefined ? sequence : next.first - 1, frame.first + 4 * FRAME_EVENTS)
    const rows = yield* sql<ContentRow>`
      SELECT sequence, content FROM event
      WHERE workspace = ${workspace} AND sequence BETWEEN ${frame.first} AND ${last}`
    const [own] = yield* store.signatures(workspace, { low: number, high: number })
    const parts = yield* store.parts(workspace, Math.floor(number / GROUP_FRAMES), INDEXES)
    const events = entries.length
    const wrong = differingEntries(entries, rows).length
    return { events, wrong: isSigned(number, entries, own?.signature ?? null, parts) ? wrong : events }
  })

  const positions = yield* sql<PositionRow>`
    SELECT w.id, p.workspace, p.sequence, p.frames
    FROM search_position p JOIN workspace w ON w.number = p.workspace ORDER BY w.id`
  const wanted = Math.max(1, Math.floor(WORDS_CHECKED / FRAME_EVENTS / Math.max(1, positions.length)))
  const damages: Array<{ readonly where: string; readonly what: string }> = []
  let all = 0
  for (const position of positions) {
    let lookedAt = 0
    let missing = 0
    for (const number of pickedFrames(position.frames, wanted)) {
      const found = yield* look(position, number)
      if (found === undefined) damages.push({ where, what: `a frame of ${position.id} cannot be read` })
      lookedAt += found?.events ?? 0
      missing += found?.wrong ?? 0
    }
    all += lookedAt
    if (missing > 0) {
      const what = `${missing} of ${lookedAt} events of ${position.id} are not found by their words`
      damages.push({ where, what })
    }
  }
  return { damages, checked: [`the words of ${all} events in the search index`], not_checked: [] }
})
