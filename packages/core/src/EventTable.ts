/** Events as the lines of a file: a CSV record each under a header, or a JSON text each. */
import { csvRecord } from "./Csv.ts"
import type { Event } from "./Event.ts"

/** The columns of the CSV, in their order, and where each comes from. */
const COLUMNS = {
  id: ({ id }) => id,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  actor_type: ({ actor }) => actor.type,
  action: ({ action }) => action,
  action_category: ({ action_category }) => action_category,
  resource_type: ({ resource }) => resource.type,
  resource_id: ({ resource }) => resource.id,
  resource_name: ({ resource }) => resource.name,
  targets: ({ targets }) => JSON.stringify(targets),
  metadata: ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata)),
  tenant_id: ({ tenant_id }) => tenant_id,
  session_id: ({ session_id }) => session_id,
  ip_country: ({ ip_country }) => ip_country,
  ip_city: ({ ip_city }) => ip_city,
  idempotency_key: ({ idempotency_key }) => idempotency_key,
  version: ({ version }) => (version === null ? null : String(version)),
  event_hash: ({ integrity }) => integrity.event_hash,
  previous_event_hash: ({ integrity }) => integrity.previous_event_hash,
  occurred_at: ({ occurred_at }) => occurred_at,
  created_at: ({ created_at }) => created_at
} satisfies Record<string, (event: Event) => string | null>

/** The names of the columns, as they stand in the CSV's first record. `targets` and `metadata` are JSON. */
export const EVENT_COLUMNS: ReadonlyArray<string> = Object.keys(COLUMNS)

const cells = Object.values(COLUMNS)

/** How events are written to a file. */
export interface EventTable {
  readonly contentType: string
  /** Without a dot. */
  readonly extension: string
  /** What stands before the first event; empty for nothing. */
  readonly header: string
  /** The line of one event, with its end. */
  readonly line: (event: Event) => string
}

/** RFC 4180, UTF-8, CRLF; see `Csv` for what becomes of formulas. */
export const csvTable: EventTable = {
  contentType: "text/csv; charset=utf-8; header=present",
  extension: "csv",
  header: csvRecord(EVENT_COLUMNS),
  line: (event) => csvRecord(cells.map((cell) => cell(event)))
}

/** One event a line, as `GET /events/{id}` returns it. */
export const ndjsonTable: EventTable = {
  contentType: "application/x-ndjson",
  extension: "ndjson",
  header: "",
  line: (event) => `${JSON.stringify(event)}\n`
}
