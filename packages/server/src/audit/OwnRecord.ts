/**
 * Whether an event whose action begins with `cairn.` is the service's own. Before such actions were rejected
 * (`422`) a client could send one.
 *
 * What the service writes of itself has one of three forms, and nothing else in it:
 *
 * - of a change in the settings: the category `cairn`, the type and id of what was changed, metadata, and as
 *   actor the command, the identity provider, a set-up link or the sign-in (`system`, `cairn-cli`,
 *   `cairn-oidc`, `cairn-setup` or `cairn-sign-in`), an API key of the workspace, or a member: members act
 *   since after such actions were rejected from clients;
 * - of reading: the same, with a viewer token or the link of an export as a further actor;
 * - of the chain: the actor `cairn` of type `system`, and no resource. These actions were rejected from
 *   clients from the beginning.
 *
 * A client that wrote exactly the first form, with the id of a key of its workspace, cannot be distinguished
 * from the service: it had such a key, and could have made the change. Names that only resemble the service's
 * (`Cairn.`, other alphabets) are not searched for.
 */

import { type EventContent, isAccessAction } from "@cairn/core/event"
import { EVENT_ERASED, RETENTION_APPLIED } from "@cairn/core/log"
import { COMMAND_LINE, IDENTITY_PROVIDER, SETUP_LINK, SIGN_IN } from "@cairn/core/management"

/** What the service's own actions are about: the word after `cairn.`. */
export const OWN_SUBJECTS: ReadonlySet<string> = new Set([
  "access",
  "alert",
  "alert_rule",
  "anchor",
  "api_key",
  "chain",
  "checkpoint",
  "consumer",
  "delivery",
  "event",
  "export",
  "log",
  "log_stream",
  "member",
  "retention",
  "session",
  "viewer_key",
  "viewer_token",
  "webhook",
  "workspace"
])

/** The id of a member. */
const MEMBER = /^mem_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The ids of those who only read: viewer tokens, and the links of exports. */
const READERS = new Map([
  ["viewer", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["link", /^exp_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/]
])

/** The parts of the service that make changes. */
const SYSTEM_ACTORS: ReadonlySet<string> = new Set(
  [COMMAND_LINE, IDENTITY_PROVIDER, SETUP_LINK, SIGN_IN].map(({ id }) => id)
)

/** Actions of the chain's own records. */
const CHAIN_RECORDS: ReadonlySet<string> = new Set(["cairn.chain.started", RETENTION_APPLIED, EVENT_ERASED])

const isOfChain = ({ actor, resource }: EventContent): boolean =>
  actor.id === "cairn" && actor.type === "system" && resource.type === null && resource.id === null

/**
 * Why an event is not the service's own; `undefined` if it is. `keys` are the ids of the workspace's API
 * keys, revoked ones included.
 */
export const whyForeign = (content: EventContent, keys: ReadonlySet<string>): string | undefined => {
  const { action, actor, resource, metadata } = content
  if (!OWN_SUBJECTS.has(action.split(".")[1] ?? "")) return "the service writes no such action"
  if (content.action_category !== "cairn") return "its category is not cairn"
  const key = content.idempotency_key
  // Where several processes could write the same record, its key is the action and what it is about.
  const foreignKey = key?.startsWith(`${action} `) === true ? null : key
  const carried = [foreignKey, content.session_id, content.tenant_id, content.version]
  if (carried.some((value) => value !== null) || content.targets.length > 0)
    return "it has an idempotency key, a session, a tenant, a version or targets, which the service's own never have"
  if (metadata === null) return "it has no metadata"
  if (CHAIN_RECORDS.has(action) || isOfChain(content))
    return isOfChain(content) ? undefined : "its actor is not the service"
  if (resource.type === null || resource.id === null) return "it does not say what was changed"
  if (!OWN_SUBJECTS.has(resource.type)) return `the service has no ${resource.type} to change`
  if (actor.type === "api_key")
    return keys.has(actor.id) ? undefined : "its actor is no API key of the workspace"
  if (isAccessAction(action) && READERS.get(actor.type ?? "")?.test(actor.id) === true) return undefined
  if (actor.type === "member") return MEMBER.test(actor.id) ? undefined : "its actor is no member"
  return actor.type === "system" && SYSTEM_ACTORS.has(actor.id)
    ? undefined
    : "its actor is neither an API key, nor a member, nor the service itself"
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Records of what a workspace may set itself: a shorter retention is delayed, and a longer one is limited by
 * the plan.
 */
const OF_ITS_OWN = new Set(["scheduled", "called_off", "changed"].map((name) => `cairn.retention.${name}`))

const isDays = (value: unknown): boolean => value === null || (Number.isInteger(value) && Number(value) >= 1)

/**
 * What an API key or a member has changed that is the operator's to change, the plan or its limits, which
 * decide how long contents are kept; or a record of retention that the service does not write of a key.
 * `undefined` for any other event: what a workspace sets itself is as it should be.
 */
export const retentionByKey = ({ action, actor, metadata }: EventContent): string | undefined => {
  if (actor.type !== "api_key" && actor.type !== "member") return undefined
  const who = actor.type === "member" ? "a member" : "an API key"
  if (action.startsWith("cairn.retention.")) {
    const own = OF_ITS_OWN.has(action) && isDays(metadata?.from_days) && isDays(metadata?.to_days)
    return own ? undefined : `a record of retention whose actor is ${who}`
  }
  const changed = action === "cairn.workspace.updated" ? metadata?.changed : undefined
  if (!isRecord(changed)) return undefined
  const fields = ["plan", "overrides"].filter((field) => field in changed)
  return fields.length === 0 ? undefined : `${who} changed ${fields.join(" and ")}`
}
