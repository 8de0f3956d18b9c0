/**
 * Open Cybersecurity Schema Framework, version 1.5.0, class API Activity (6003) of the category Application
 * Activity: the form in which security lakes and SIEMs ingest audit trails.
 *
 * Required there: `activity_id`, `category_uid`, `class_uid`, `type_uid`, `severity_id`, `time`, `metadata`
 * (`product`, `version`), `actor`, `api` (`operation`) and `src_endpoint`. Cairn keeps no address of the
 * client, only its country and city, so the endpoint's name is `unknown`. Everything that has no attribute of
 * its own is under `unmapped`, including the hashes.
 */

import * as Micros from "../../encoding/Micros.ts"
import type { SignedCheckpointView } from "../../note/SignedCheckpointView.ts"
import type { Event } from "../Event.ts"
import type { EventFormat, EventOrigin, TestRecord } from "./EventFormat.ts"

const VERSION = "1.5.0"
const CLASS_UID = 6003
const CATEGORY_UID = 6

const ACTIVITIES = { 1: "Create", 2: "Read", 3: "Update", 4: "Delete", 99: "Other" } as const
type ActivityId = keyof typeof ACTIVITIES

/** Stems of the verbs of each activity. The first word of the action that begins with one of them decides. */
const VERBS: ReadonlyArray<readonly [activity: ActivityId, stems: RegExp]> = [
  [4, /^(delet|remov|destroy|purg|eras|drop|revok|terminat)/],
  [1, /^(creat|add|insert|invit|upload|regist|generat|import)/],
  [3, /^(updat|chang|edit|modif|set|put|patch|renam|mov|assign|enabl|disabl|rotat|restor|archiv)/],
  [2, /^(read|get|list|view|describ|download|export|search|open|access|fetch|query|lookup)/]
]

/** `document.deleted`, `s3.DeleteBucket` and `bulk_delete` are all a Delete. */
const activityOf = (action: string): ActivityId => {
  const words = action
    .slice(action.lastIndexOf(".") + 1)
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
  for (const word of words) {
    const found = VERBS.find(([, stems]) => stems.test(word))
    if (found !== undefined) return found[0]
  }
  return 99
}

const millis = (text: string): number => Math.floor((Micros.parse(text) ?? 0) / 1000)

/** Without members that have no value: OCSF leaves them out instead of setting them to null. */
const compact = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))

const actorOf = ({ actor, session_id }: Event) =>
  compact({
    user: compact({ uid: actor.id, name: actor.name, type: actor.type }),
    session: session_id === null ? null : { uid: session_id }
  })

const resourcesOf = ({ resource, targets }: Event): ReadonlyArray<Record<string, unknown>> => {
  const first = compact({ type: resource.type, uid: resource.id, name: resource.name })
  const others = targets.map(({ type, id, name, metadata }) =>
    compact({ type, uid: id, name, data: metadata })
  )
  return Object.keys(first).length === 0 ? others : [first, ...others]
}

const encode = (event: Event, { sequence }: EventOrigin): string => {
  const activity = activityOf(event.action)
  const resources = resourcesOf(event)
  const location = compact({ country: event.ip_country, city: event.ip_city })
  return JSON.stringify(
    compact({
      activity_id: activity,
      activity_name: ACTIVITIES[activity],
      category_uid: CATEGORY_UID,
      category_name: "Application Activity",
      class_uid: CLASS_UID,
      class_name: "API Activity",
      type_uid: CLASS_UID * 100 + activity,
      type_name: `API Activity: ${ACTIVITIES[activity]}`,
      severity_id: 1,
      severity: "Informational",
      time: millis(event.occurred_at),
      metadata: compact({
        version: VERSION,
        product: { name: "Cairn", vendor_name: "Cairn" },
        uid: event.id,
        event_code: event.action,
        sequence,
        tenant_uid: event.tenant_id,
        original_time: event.occurred_at,
        logged_time: millis(event.created_at),
        labels: event.action_category === null ? null : [event.action_category],
        log_version: event.version === null ? null : String(event.version)
      }),
      actor: actorOf(event),
      api: { operation: event.action },
      src_endpoint: compact({
        name: "unknown",
        location: Object.keys(location).length === 0 ? null : location
      }),
      resources: resources.length === 0 ? null : resources,
      unmapped: compact({
        metadata: event.metadata,
        idempotency_key: event.idempotency_key,
        created_at: event.created_at,
        event_hash: event.integrity.event_hash,
        previous_event_hash: event.integrity.previous_event_hash
      })
    })
  )
}

/** What is no API Activity: a Base Event, the one class of the schema for an event that nobody caused. */
interface BaseEvent {
  readonly name: string
  readonly time: string
  readonly message: string
  readonly uid: string
  readonly code: string
  readonly unmapped: object
}

const encodeBase = ({ name, time, message, uid, code, unmapped }: BaseEvent): string =>
  JSON.stringify({
    activity_id: 99,
    activity_name: name,
    category_uid: 0,
    category_name: "Uncategorized",
    class_uid: 0,
    class_name: "Base Event",
    type_uid: 99,
    type_name: "Base Event: Other",
    severity_id: 1,
    severity: "Informational",
    time: millis(time),
    message,
    metadata: {
      version: VERSION,
      product: { name: "Cairn", vendor_name: "Cairn" },
      uid,
      event_code: code
    },
    unmapped
  })

/** Its activity is Other, and the note is under `unmapped`. */
const encodeCheckpoint = (checkpoint: SignedCheckpointView): string =>
  encodeBase({
    name: "Checkpoint",
    time: checkpoint.signed_at,
    message: `Checkpoint of ${checkpoint.size} events`,
    uid: `${checkpoint.origin}/checkpoint/${checkpoint.size}`,
    code: "cairn.checkpoint",
    unmapped: checkpoint
  })

const encodeTest = (test: TestRecord): string =>
  encodeBase({
    name: "Test",
    time: test.sent_at,
    message: test.message,
    uid: test.id,
    code: "cairn.test",
    unmapped: test
  })

/** `ocsf`: one API Activity of OCSF 1.5.0 as JSON. */
export const ocsf: EventFormat = {
  json: true,
  mediaType: "application/json",
  encode,
  encodeCheckpoint,
  encodeTest
}
