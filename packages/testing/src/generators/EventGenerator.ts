/** Ordinary events, like those that a business application records, generated from a seed. */
import type { EventInput } from "@cairn/core/event"
import { type SeededRandom, seededRandom } from "./SeededRandom.ts"

/** How varied the events are, which determines how many of them a filter finds. */
export interface EventProfile {
  readonly seed: number
  /** Different actors; 200 unless set. */
  readonly actors?: number
  /** Different tenants; 20 unless set. */
  readonly tenants?: number
  /** Different sessions; 1,000 unless set. */
  readonly sessions?: number
  /** Different resources of each type; 500 unless set. */
  readonly resources?: number
  /** Share of events with an idempotency key, each different; 0.5 unless set. */
  readonly keyed?: number
}

const FIRST_NAMES = [
  "Ada",
  "Björn",
  "Chidi",
  "Dolores",
  "Émile",
  "Fatima",
  "Grace",
  "Hiroshi",
  "İpek",
  "Jürgen",
  "Katya",
  "Lwazi"
]
const LAST_NAMES = [
  "Alvarez",
  "Brandt",
  "Çelik",
  "Dubois",
  "Eriksson",
  "Fischer",
  "Garcia",
  "Haddad",
  "Ito",
  "Jansen",
  "Kowalski",
  "李"
]
const NOUNS = [
  "Quarterly",
  "Payroll",
  "Onboarding",
  "Staging",
  "Customer",
  "Incident",
  "Marketing",
  "Legacy",
  "Backup",
  "Partner"
]
const AGENTS = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15",
  "cli/2.11.4 (linux; amd64)",
  "terraform-provider/1.9.0",
  "okhttp/4.12.0"
]
const REGIONS = ["eu-central-1", "eu-west-3", "us-east-1", "ap-southeast-2"]

/** What can be done to a resource of each type, and the group of each action. */
const ACTIONS: ReadonlyArray<readonly [resource: string, action: string, category: string | null]> = [
  ["document", "document.viewed", "access"],
  ["document", "document.shared", "access"],
  ["document", "document.deleted", "destructive"],
  ["document", "document.version.restored", "change"],
  ["user", "user.signed_in", "authentication"],
  ["user", "user.password.changed", "authentication"],
  ["user", "user.invited", "administration"],
  ["user", "user.removed", "destructive"],
  ["api_key", "api_key.created", "administration"],
  ["api_key", "api_key.revoked", "destructive"],
  ["invoice", "invoice.paid", null],
  ["invoice", "invoice.refunded", null],
  ["project", "project.settings.updated", "change"],
  ["project", "project.archived", "change"],
  ["role", "role.assigned", "administration"],
  ["report", "report.exported", "access"]
]

const hex = (random: SeededRandom, length: number): string => {
  let text = ""
  for (let index = 0; index < length; index++) text += random.below(16).toString(16)
  return text
}

const nameOf = (actor: number): string =>
  `${FIRST_NAMES[actor % FIRST_NAMES.length]} ${LAST_NAMES[Math.floor(actor / FIRST_NAMES.length) % LAST_NAMES.length]}`

const metadata = (random: SeededRandom, action: string) => ({
  request_id: hex(random, 18),
  user_agent: random.pick(AGENTS),
  region: random.pick(REGIONS),
  duration_ms: Math.round(random.real() * 90_000) / 100,
  ...(random.chance(0.35)
    ? {
        changes: [{ field: "status", before: "draft", after: action.split(".").at(-1) }],
        approved: random.chance(0.8)
      }
    : {})
})

const targets = (random: SeededRandom) =>
  Array.from({ length: random.pick([0, 0, 0, 1, 1, 2]) }, () => {
    const type = random.pick(["folder", "group", "user"])
    const id = `${type}_${random.below(300)}`
    return random.chance(0.3) ? { type, id, name: `${random.pick(NOUNS)} ${type}` } : { type, id }
  })

/**
 * A function that gives the next event body each time; the same seed gives the same bodies.
 *
 * Their canonical content averages 577 bytes. About four in five have a resource's name, two in three a
 * session, half of them targets.
 */
export const eventGenerator = (profile: EventProfile): (() => EventInput) => {
  const random = seededRandom(profile.seed)
  const { actors = 200, tenants = 20, sessions = 1_000, resources = 500, keyed = 0.5 } = profile
  let count = 0
  return () => {
    count++
    const actor = random.below(actors)
    const isPerson = actor % 10 !== 0
    const [resource, action, category] = random.pick(ACTIONS)
    return {
      actor_id: isPerson ? `user_${String(actor).padStart(6, "0")}` : `service-${actor}`,
      actor_name: isPerson ? nameOf(actor) : null,
      actor_type: isPerson ? "user" : "api_client",
      action,
      action_category: category,
      resource,
      resource_id: `${resource}_${random.below(resources)}`,
      resource_name: random.chance(0.8) ? `${random.pick(NOUNS)} ${resource}` : null,
      tenant_id: `tenant_${random.below(tenants)}`,
      session_id: random.chance(0.66) ? `ses_${random.below(sessions)}` : null,
      metadata: metadata(random, action),
      targets: targets(random),
      version: random.chance(0.5) ? 1 : null,
      ...(random.chance(keyed) ? { idempotency_key: `${profile.seed}-${count}-${hex(random, 16)}` } : {})
    }
  }
}

/** The first `count` events of a profile. */
export const ordinaryEvents = (count: number, profile: EventProfile): ReadonlyArray<EventInput> => {
  const next = eventGenerator(profile)
  return Array.from({ length: count }, next)
}
