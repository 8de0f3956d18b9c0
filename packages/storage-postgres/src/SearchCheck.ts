/** Whether the search index finds the events of a log by their own words. */
import { parseContent, searchTexts } from "@cairn/core/event"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { searchSupport } from "./SearchExtensions.ts"
import { hasTrigram, indexable, likePattern } from "./SearchIndex.ts"

/** Rows of the index that are looked up: all of a small one, otherwise about so many at random. */
const LOOKED_UP = 1_000
/** Characters of a row's text that it is looked up by. */
const LOOKED_UP_BY = 60

interface SampleRow {
  readonly workspace: number
  readonly sequence: number
  readonly place: number
  readonly text: string
  readonly content: string | null
}

/** Events before the index's position that are not in it. */
const MISSING = `
  SELECT w.id, count(*)::int AS missing FROM search_position p JOIN workspace w ON w.number = p.workspace
  JOIN event e ON e.workspace = p.workspace AND e.sequence <= p.sequence
  WHERE e.content IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM search s WHERE s.workspace = e.workspace AND s.sequence = e.sequence)
  GROUP BY w.id ORDER BY w.id`

/** By the index over the text alone: the place and the text do not tell which row it must be. */
const LOOK_UP = `
  SELECT EXISTS (SELECT 1 FROM (
    SELECT workspace, sequence FROM search WHERE place = $1 AND text LIKE $2 OFFSET 0) found
    WHERE workspace = $3 AND sequence = $4) AS found`

const sample = (sql: PgClient.PgClient) =>
  sql<SampleRow>`
    SELECT s.workspace, s.sequence, s.place, s.text, e.content
    FROM (SELECT * FROM search ORDER BY random() LIMIT ${LOOKED_UP}) s
      LEFT JOIN event e ON e.workspace = s.workspace AND e.sequence = s.sequence`

const isFaithful = ({ text, content }: SampleRow): boolean => {
  const parsed = content === null ? undefined : parseContent(content)
  return parsed !== undefined && indexable(searchTexts(parsed).join("\n")) === text
}

/** Checks the index in one snapshot. */
export const checkSearch = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const where = "the search index"
  const lacking = yield* sql.unsafe<{ readonly id: string; readonly missing: number }>(MISSING)
  const rows = yield* sample(sql)
  const other = rows.filter((row) => !isFaithful(row)).length
  const support = yield* searchSupport.pipe(Effect.provideService(PgClient.PgClient, sql))
  yield* sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`
  let lost = 0
  let lookedUp = 0
  for (const { workspace, sequence, place, text } of rows) {
    const part = text.slice(0, LOOKED_UP_BY)
    if (!hasTrigram(support, part)) continue
    lookedUp++
    const [row] = yield* sql.unsafe<{ readonly found: boolean }>(LOOK_UP, [
      place,
      likePattern(part),
      workspace,
      sequence
    ])
    if (row?.found !== true) lost++
  }
  return {
    damages: [
      ...lacking.map(({ id, missing }) => ({ where, what: `${missing} events of ${id} are not in it` })),
      ...(other === 0
        ? []
        : [{ where, what: `${other} of ${rows.length} rows have other words than their events` }]),
      ...(lost === 0 ? [] : [{ where, what: `${lost} of ${lookedUp} rows are not found by their words` }])
    ],
    checked: [`the words of ${rows.length} events in the search index`],
    not_checked: support === "none" ? ["search_text: there is no such index"] : []
  }
})
