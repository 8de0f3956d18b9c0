/** What an outbox asks of its database. Each statement is a transaction by itself, except the first. */
import type { Take } from "../PendingEvents.ts"
import type { PreparedEvent } from "../Prepared.ts"
import type { Statement } from "./OutboxAdapter.ts"
import { type Dialect, type OutboxNames, quotedNames } from "./OutboxTable.ts"

/** A row of the outbox, by its id and its key. */
export interface RowName {
  /** The number of the row, as a text. */
  readonly id: string
  readonly key: string
}

/** A claim of a relay. */
export interface Claim {
  /** The relay. */
  readonly relay: string
  /** How long others leave its rows alone. */
  readonly leaseMillis: number
  /** Keys of events that it has already: rows with them wait. */
  readonly held: ReadonlyArray<string>
}

/** A lease cannot be longer: one that ends later was given before the clock stepped back. */
export const MAX_LEASE_MILLIS = 3_600_000

/** The statements over one pair of tables. */
export interface OutboxStatements {
  /** Puts an event into the outbox: it needs the right to INSERT there and no other. */
  readonly insert: (event: PreparedEvent) => Statement
  /**
   * Claims the oldest rows that nobody else has a claim on, and gives their `id`, `key` and `event`. It
   * passes over what other relays are claiming. It remembers no position: a transaction that was left open
   * commits rows whose ids are lower than those of rows which are gone already.
   */
  readonly claim: (claim: Claim, take: Take) => Statement
  /** Removes rows whose events the service has, whichever relay has claimed them by now. */
  readonly remove: (rows: ReadonlyArray<RowName>) => Statement
  /** Moves rows to the refused events, each once, with the reason as JSON. To be run in this order. */
  readonly refuse: (rows: ReadonlyArray<RowName & { readonly refusal: string }>) => ReadonlyArray<Statement>
  /** Prolongs the relay's claim on rows. */
  readonly renew: (claim: Omit<Claim, "held">, ids: ReadonlyArray<string>) => Statement
  /** Gives up the relay's claim on rows. */
  readonly release: (relay: string, ids: ReadonlyArray<string>) => Statement
}

/** A statement from a template; what is quoted already is a part of its text. */
class Quoted {
  readonly sql: string
  constructor(sql: string) {
    this.sql = sql
  }
}

const sql = (texts: TemplateStringsArray, ...holes: ReadonlyArray<string | Quoted>): Statement => {
  const parts = [texts[0] ?? ""]
  const values: Array<string> = []
  holes.forEach((hole, index) => {
    const text = texts[index + 1] ?? ""
    if (hole instanceof Quoted) {
      parts.push(`${parts.pop()}${hole.sql}${text}`)
    } else {
      values.push(hole)
      parts.push(text)
    }
  })
  return { parts, values, hasRows: (parts.at(-1) ?? "").includes("RETURNING") }
}

const pairs = (rows: ReadonlyArray<RowName>): string => JSON.stringify(rows.map(({ id, key }) => [id, key]))

const postgres = (outbox: Quoted, refused: Quoted): OutboxStatements => ({
  insert: ({ key, json }) =>
    sql`INSERT INTO ${outbox} (event_key, event) VALUES (${key}::text, ${json}::text)`,
  claim: ({ relay, leaseMillis, held }, { count, bytes }) => sql`WITH free AS (
  SELECT id, octet_length(event)::bigint AS size FROM ${outbox}
  WHERE (claimed_until IS NULL OR claimed_by = ${relay}::text OR claimed_until <= clock_timestamp()
    OR claimed_until > clock_timestamp() + interval '1 hour')
    AND event_key NOT IN (SELECT json_array_elements_text(${JSON.stringify(held)}::text::json))
  ORDER BY id LIMIT ${String(count)}::text::bigint FOR UPDATE SKIP LOCKED
), fit AS (
  SELECT id, size, sum(size) OVER (ORDER BY id) AS total FROM free
)
UPDATE ${outbox} AS o SET claimed_by = ${relay}::text,
  claimed_until = clock_timestamp() + ${String(leaseMillis)}::text::bigint * interval '1 millisecond'
FROM fit WHERE o.id = fit.id AND (total = size OR total <= ${String(bytes)}::text::bigint)
RETURNING o.id::text AS id, o.event_key AS key, o.event AS event`,
  remove: (
    rows
  ) => sql`DELETE FROM ${outbox} AS o USING json_array_elements(${pairs(rows)}::text::json) AS gone
WHERE o.id = (gone->>0)::bigint AND o.event_key = gone->>1`,
  refuse: (rows) => [
    sql`WITH gone AS (
  DELETE FROM ${outbox} AS o USING json_array_elements(${JSON.stringify(rows.map(({ id, key, refusal }) => [id, key, refusal]))}::text::json) AS row
  WHERE o.id = (row->>0)::bigint AND o.event_key = row->>1
  RETURNING o.event_key, o.event, o.created_at, row->>2 AS refusal
) INSERT INTO ${refused} (event_key, event, created_at, refusal) SELECT * FROM gone`
  ],
  renew: ({ relay, leaseMillis }, ids) => sql`UPDATE ${outbox}
SET claimed_until = clock_timestamp() + ${String(leaseMillis)}::text::bigint * interval '1 millisecond'
WHERE claimed_by = ${relay}::text AND id IN (SELECT value::bigint FROM json_array_elements_text(${JSON.stringify(ids)}::text::json))`,
  release: (relay, ids) => sql`UPDATE ${outbox} SET claimed_by = NULL, claimed_until = NULL
WHERE claimed_by = ${relay}::text AND id IN (SELECT value::bigint FROM json_array_elements_text(${JSON.stringify(ids)}::text::json))`
})

/** Milliseconds since 1970. */
const NOW = new Quoted("CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)")

const sqlite = (outbox: Quoted, refused: Quoted): OutboxStatements => {
  const remove = (rows: ReadonlyArray<RowName>) => sql`DELETE FROM ${outbox}
WHERE id IN (SELECT CAST(value ->> 0 AS INTEGER) FROM json_each(${pairs(rows)}))
  AND (id, event_key) IN (SELECT CAST(value ->> 0 AS INTEGER), value ->> 1 FROM json_each(${pairs(rows)}))`
  return {
    insert: ({ key, json }) => sql`INSERT INTO ${outbox} (event_key, event) VALUES (${key}, ${json})`,
    claim: ({ relay, leaseMillis, held }, { count, bytes }) => sql`UPDATE ${outbox} SET claimed_by = ${relay},
  claimed_until = ${NOW} + CAST(${String(leaseMillis)} AS INTEGER)
WHERE id IN (
  SELECT id FROM (
    SELECT id, size, sum(size) OVER (ORDER BY id) AS total FROM (
      SELECT id, length(CAST(event AS BLOB)) AS size FROM ${outbox}
      WHERE (claimed_until IS NULL OR claimed_by = ${relay} OR claimed_until <= ${NOW}
        OR claimed_until > ${NOW} + ${new Quoted(String(MAX_LEASE_MILLIS))})
        AND event_key NOT IN (SELECT value FROM json_each(${JSON.stringify(held)}))
      ORDER BY id LIMIT CAST(${String(count)} AS INTEGER)
    )
  ) WHERE total = size OR total <= CAST(${String(bytes)} AS INTEGER)
)
RETURNING CAST(id AS TEXT) AS id, event_key AS key, event AS event`,
    remove,
    // Between the two an end of the process leaves a row in both: it is sent once more, and not moved twice.
    refuse: (rows) => [
      sql`INSERT INTO ${refused} (event_key, event, created_at, refusal)
SELECT o.event_key, o.event, o.created_at, value ->> 2
FROM json_each(${JSON.stringify(rows.map(({ id, key, refusal }) => [id, key, refusal]))})
JOIN ${outbox} AS o ON o.id = CAST(value ->> 0 AS INTEGER) AND o.event_key = value ->> 1
WHERE NOT EXISTS (
  SELECT 1 FROM ${refused} AS r
  WHERE r.event_key = o.event_key AND r.created_at = o.created_at AND r.event = o.event
)`,
      remove(rows)
    ],
    renew: ({ relay, leaseMillis }, ids) => sql`UPDATE ${outbox}
SET claimed_until = ${NOW} + CAST(${String(leaseMillis)} AS INTEGER)
WHERE claimed_by = ${relay} AND id IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(ids)}))`,
    release: (relay, ids) => sql`UPDATE ${outbox} SET claimed_by = NULL, claimed_until = NULL
WHERE claimed_by = ${relay} AND id IN (SELECT CAST(value AS INTEGER) FROM json_each(${JSON.stringify(ids)}))`
  }
}

/** @throws TypeError for a name that the database cannot keep as it is. */
export const outboxStatements = (dialect: Dialect, names: OutboxNames): OutboxStatements => {
  const { outbox, refused } = quotedNames(dialect, names)
  return (dialect === "postgres" ? postgres : sqlite)(new Quoted(outbox), new Quoted(refused))
}
