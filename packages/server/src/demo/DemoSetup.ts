/**
 * What the demo's workspace has beside events: members, keys, rules, a webhook and a stream. Each is made
 * unless it is there, so that it can be gone on with; one process at a time does.
 */
import { AlertRules } from "@cairn/core/alert"
import { Micros } from "@cairn/core/encoding"
import {
  AlertRuleManagement,
  ApiKeyManagement,
  LogStreamManagement,
  MemberManagement,
  WebhookManagement
} from "@cairn/core/management"
import { LogStreams, Webhooks } from "@cairn/core/outbound"
import { ApiKeys, type ManagedWorkspace, type MemberRole, Members, type Scope } from "@cairn/core/workspace"
import { Effect } from "effect"
import { DEMO } from "./DemoWorkspace.ts"
import { asIfAt } from "./PastClock.ts"

/** Whom the link of a start signs in. */
export const DEMO_OWNER = "ada@demo.example"

/** Nobody reads mail at these; no address is confirmed, so that none gets any. */
const MEMBERS: ReadonlyArray<{ readonly email: string; readonly name: string; readonly role: MemberRole }> = [
  { email: DEMO_OWNER, name: "Ada Lindqvist", role: "owner" },
  { email: "bruno@demo.example", name: "Bruno Almeida", role: "admin" },
  { email: "chiara@demo.example", name: "Chiara Conti", role: "developer" },
  { email: "daniel@demo.example", name: "Daniel Okafor", role: "auditor" },
  { email: "emi@demo.example", name: "Emi Sato", role: "member" }
]

interface DemoKey {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Days after the week's beginning. */
  readonly expiresAfter?: number
  readonly isRevoked?: boolean
  /** Whether it was used, late in the week. */
  readonly isUsed?: boolean
}

/** Their secrets are shown to nobody. */
const KEYS: ReadonlyArray<DemoKey> = [
  { name: "Production", scopes: ["ingest"], isUsed: true },
  { name: "Dashboard", scopes: ["read"] },
  { name: "Data import", scopes: ["ingest"], expiresAfter: 3 },
  { name: "Contractor", scopes: ["read", "export"], isRevoked: true }
]

const WORKING_HOURS = { timezone: "UTC", days: [1, 2, 3, 4, 5], start: "07:00", end: "20:00" }

const RULES = [
  {
    name: "Customer data exported outside working hours",
    rule_type: "off_hours",
    action: "customer.exported",
    parameters: WORKING_HOURS
  },
  {
    name: "Roles changed outside working hours",
    rule_type: "off_hours",
    action: "role.changed",
    cooldown_seconds: 0,
    parameters: WORKING_HOURS
  },
  {
    name: "Password guessed",
    rule_type: "repeated_action",
    action: "user.sign_in_failed",
    parameters: { threshold: 10, window_seconds: 120 }
  },
  { name: "Mass deletion", rule_type: "high_volume_destructive", parameters: {} },
  { name: "Sudden load", rule_type: "ingestion_spike", parameters: {} },
  { name: "New country", rule_type: "new_country", parameters: {} }
]

/** The discard port of this machine, where nothing listens: what is sent there fails. */
const NOBODY = "http://127.0.0.1:9/"

const WEBHOOK = { url: NOBODY, description: "Nobody listens there: its deliveries fail" }
const STREAM = {
  name: "SIEM",
  enabled: false,
  start: "beginning",
  destination: { type: "https", url: `${NOBODY}events` }
}

/** Those of a list that are not among what there is. */
const missing = <A extends { readonly name: string }>(
  wanted: ReadonlyArray<A>,
  names: ReadonlyArray<string | null>
): ReadonlyArray<A> => wanted.filter(({ name }) => !names.includes(name))

const setUpMembers = Effect.fnUntraced(function* ({ id }: ManagedWorkspace) {
  const there = yield* (yield* Members).list(id)
  const { create } = yield* MemberManagement
  for (const member of MEMBERS) {
    if (!there.some(({ email }) => email === member.email)) yield* create(DEMO, id, member)
  }
})

const setUpKeys = Effect.fnUntraced(function* ({ id: workspaceId, created_at }: ManagedWorkspace) {
  const keys = yield* ApiKeys
  const { create, revoke } = yield* ApiKeyManagement
  const there = yield* keys.list(workspaceId)
  const wanted = missing(
    KEYS,
    there.map(({ name }) => name)
  )
  // At the same time: what takes long is hashing, on threads.
  yield* Effect.forEach(
    wanted,
    ({ name, scopes, expiresAfter }) => {
      const expiresAt =
        expiresAfter === undefined ? null : Micros.format(created_at + expiresAfter * Micros.DAY)
      return create(DEMO, { workspaceId, name, scopes, expiresAt })
    },
    { concurrency: "unbounded", discard: true }
  )
  for (const { id, name, revoked_at } of yield* keys.list(workspaceId)) {
    const key = KEYS.find((one) => one.name === name)
    if (key?.isRevoked === true && revoked_at === null) yield* revoke(DEMO, workspaceId, id)
    if (key?.isUsed === true) yield* keys.touch(new Map([[id, created_at + 6 * Micros.DAY]]))
  }
})

const setUpRules = Effect.fnUntraced(function* ({ id }: ManagedWorkspace) {
  const there = (yield* (yield* AlertRules).list(id)).map(({ definition }) => definition.name)
  const { create } = yield* AlertRuleManagement
  for (const rule of missing(RULES, there)) yield* create(DEMO, { workspaceId: id, limit: null }, rule)
})

const setUpWebhook = Effect.fnUntraced(function* ({ id }: ManagedWorkspace) {
  const there = yield* (yield* Webhooks).list(id)
  if (there.length === 0) yield* (yield* WebhookManagement).create(DEMO, id, WEBHOOK)
})

/** It is paused before it is on: it sends nothing, and what it has to send waits. */
const setUpStream = Effect.fnUntraced(function* ({ id: workspaceId }: ManagedWorkspace) {
  const { create, pause, change } = yield* LogStreamManagement
  const [there] = yield* (yield* LogStreams).list(workspaceId)
  const { id, settings } = there ?? (yield* create(DEMO, workspaceId, STREAM))
  if (settings.enabled) return
  yield* pause(DEMO, workspaceId, id)
  yield* change(DEMO, workspaceId, id, { enabled: true })
})

/** Sets up what is not there yet, as if it were done right after the workspace was made. */
export const setUpDemo = Effect.fnUntraced(function* (workspace: ManagedWorkspace) {
  const after = (minutes: number) => asIfAt(workspace.created_at + minutes * Micros.MINUTE)
  yield* after(5)(setUpMembers(workspace))
  yield* after(10)(setUpKeys(workspace))
  yield* after(15)(setUpRules(workspace))
  yield* after(20)(setUpWebhook(workspace))
  yield* after(25)(setUpStream(workspace))
})
