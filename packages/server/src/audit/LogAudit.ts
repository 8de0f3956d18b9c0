/**
 * What `cairn verify --audit` lists: what earlier versions, by mistakes that are mended since, may have left
 * in a workspace. It changes nothing.
 */

import { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import {
  ENOUGH_TO_LIST,
  EventLog,
  type LogEntry,
  mayGoOn,
  type PageRequest,
  type StrayKeyPage,
  StrayKeys
} from "@cairn/core/log"
import { ApiKeys } from "@cairn/core/workspace"
import { Effect } from "effect"
import { retentionByKey, whyForeign } from "./OwnRecord.ts"

/** Events read at a time. */
const CHUNK = 500

/** An idempotency key whose event is nowhere. */
export interface StrayKeyFinding {
  /** The first 32 hexadecimal digits of the key's SHA-256. */
  readonly key_hash: string
  readonly event_id: string
  readonly accepted_at: string
}

/** An event that the operator should look at. */
export interface EventFinding {
  readonly event_id: string
  readonly sequence: number
  readonly created_at: string
  readonly action: string
  readonly actor_id: string
  readonly reason: string
}

/** Everything that was found. */
export interface Audit {
  readonly stray_keys: ReadonlyArray<StrayKeyFinding>
  readonly foreign_records: ReadonlyArray<EventFinding>
  readonly retention_by_keys: ReadonlyArray<EventFinding>
}

const strayKeys = Effect.fnUntraced(function* (workspaceId: string) {
  const { find } = yield* StrayKeys
  const found: Array<StrayKeyFinding> = []
  for (let after: string | null = null; ; ) {
    const { stray, next }: StrayKeyPage = yield* find(workspaceId, after)
    for (const { keyHash, eventId, acceptedAt } of stray)
      found.push({ key_hash: keyHash, event_id: eventId, accepted_at: Micros.format(acceptedAt) })
    if (next === null) return found
    after = next
  }
})

/**
 * Looks at a workspace. Costs a look into the log for each idempotency key, and the reading of every event of
 * the service's own.
 */
export const auditLog = Effect.fn("auditLog")(function* (workspaceId: string) {
  const log = yield* EventLog
  const keys = new Set((yield* (yield* ApiKeys).list(workspaceId)).map(({ id }) => id))
  const foreign: Array<EventFinding> = []
  const byKeys: Array<EventFinding> = []
  for (let before: number | null = null; ; ) {
    const request: PageRequest = { filter: { action: "cairn.*" }, before, limit: CHUNK }
    const page: ReadonlyArray<LogEntry> = yield* log.page(workspaceId, request)
    for (const { id, sequence, createdAt, content } of page) {
      const parsed = content === null ? undefined : parseContent(content)
      if (parsed === undefined) continue
      const found = (reason: string): EventFinding => ({
        event_id: id,
        sequence,
        created_at: Micros.format(createdAt),
        action: parsed.action,
        actor_id: parsed.actor.id,
        reason
      })
      const why = whyForeign(parsed, keys)
      const what = retentionByKey(parsed)
      if (why !== undefined) foreign.push(found(why))
      if (what !== undefined) byKeys.push(found(what))
    }
    const last = page.at(-1)
    if (last === undefined || !mayGoOn(page, CHUNK, ENOUGH_TO_LIST)) break
    before = last.createdAt
  }
  return {
    stray_keys: yield* strayKeys(workspaceId),
    foreign_records: foreign.reverse(),
    retention_by_keys: byKeys.reverse()
  } satisfies Audit
})

/** Whether there is anything to look at. */
export const hasFindings = ({ stray_keys, foreign_records, retention_by_keys }: Audit): boolean =>
  stray_keys.length + foreign_records.length + retention_by_keys.length > 0

const listOf = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`${title}: ${lines.length}`, ...lines.map((line) => `  ${line}`)]

/** Text from a client is shown as JSON: a terminal would obey control characters in it. */
const shown = (text: string): string => JSON.stringify(text)

const describe = ({ created_at, event_id, action, actor_id, reason }: EventFinding): string =>
  `${created_at} ${event_id} ${shown(action)} by ${shown(actor_id)}: ${reason}`

/** The findings for a person. */
export const auditText = (audit: Audit): string => {
  if (!hasFindings(audit)) return "audit: nothing found"
  return [
    ...listOf(
      "idempotency keys whose events are nowhere",
      audit.stray_keys.map(
        ({ key_hash, event_id, accepted_at }) =>
          `${accepted_at} ${event_id} behind a key with the hash ${key_hash}`
      )
    ),
    ...listOf("cairn.* events that are not the service's own", audit.foreign_records.map(describe)),
    ...listOf("retention and limits changed by API keys", audit.retention_by_keys.map(describe))
  ].join("\n")
}
