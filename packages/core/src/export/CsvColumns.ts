/** What a CSV export contains: its columns, their order, and where each value comes from. */
import { csvRecord } from "../encoding/Csv.ts"
import * as Micros from "../encoding/Micros.ts"
import { type ContentFields, contentFields } from "../event/ContentFields.ts"
import type { EventFrame } from "../event/EventContent.ts"
import type { LineFormat } from "./LineFormat.ts"

/**
 * The columns of the CSV in order, with the source of each value. Readers also find columns by number, so a
 * column never moves and a new one comes last. `docs/Exports.md` lists them.
 */
const COLUMNS = {
  id: (_, { id }) => id,
  actor_id: ({ actorId }) => actorId,
  actor_name: ({ actorName }) => actorName,
  actor_type: ({ actorType }) => actorType,
  action: ({ action }) => action,
  action_category: ({ actionCategory }) => actionCategory,
  resource_type: ({ resourceType }) => resourceType,
  resource_id: ({ resourceId }) => resourceId,
  resource_name: ({ resourceName }) => resourceName,
  targets: ({ targets }) => targets,
  metadata: ({ metadata }) => metadata,
  tenant_id: ({ tenantId }) => tenantId,
  session_id: ({ sessionId }) => sessionId,
  ip_country: ({ ipCountry }) => ipCountry,
  ip_city: ({ ipCity }) => ipCity,
  idempotency_key: ({ idempotencyKey }) => idempotencyKey,
  version: ({ version }) => version,
  event_hash: (_, { eventHash }) => eventHash,
  previous_event_hash: (_, { previousEventHash }) => previousEventHash,
  occurred_at: ({ occurredAt }) => occurredAt,
  created_at: (_, { createdAt }) => Micros.format(createdAt)
} satisfies Record<string, (content: ContentFields, frame: EventFrame) => string | null>

/** The names of the columns, as in the CSV's first record. `targets` and `metadata` are JSON. */
export const CSV_COLUMNS: ReadonlyArray<string> = Object.keys(COLUMNS)

const cells = Object.values(COLUMNS)

/** RFC 4180, UTF-8, CRLF. See `Csv` for cells that begin like formulas. */
export const csvLines: LineFormat = {
  contentType: "text/csv; charset=utf-8; header=present",
  header: csvRecord(CSV_COLUMNS),
  line: (content, frame) => {
    const fields = contentFields(content)
    return fields === undefined ? undefined : csvRecord(cells.map((cell) => cell(fields, frame)))
  }
}
