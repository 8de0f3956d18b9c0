/** Who is in the demo's events: a small company that exists nowhere, and its customers. */

/** Somebody of the company. */
export interface DemoPerson {
  /** Of the actor, such as `mara.olsen`. */
  readonly id: string
  readonly name: string
  readonly team: Team
}

/** What somebody works on. */
export type Team = "support" | "sales" | "finance" | "engineering"

/** A program that acts on its own. */
export interface DemoService {
  readonly id: string
  readonly name: string
  /** Of the actor. */
  readonly type: "system" | "api_client"
}

/** A customer of the company: a tenant. */
export interface DemoCustomer {
  readonly id: string
  readonly name: string
  /** How many events of a hundred are about it. */
  readonly share: number
}

const NAMES: Readonly<Record<Team, ReadonlyArray<string>>> = {
  support: [
    "Mara Olsen",
    "Tomas Reyes",
    "Aiko Tanabe",
    "Niall Brennan",
    "Sade Okoro",
    "Ilse Vandermeer",
    "Rafael Pinto",
    "Greta Holm"
  ],
  sales: ["Lena Fischer", "Marcus Webb", "Yara Haddad", "Oskar Lind", "Chloe Martel", "Dev Malhotra"],
  finance: ["Priya Nair", "Stefan Kruger", "Elena Petrova", "Hugo Lambert"],
  engineering: [
    "Jonas Weber",
    "Mei Chen",
    "Arun Iyer",
    "Sofia Rossi",
    "Kwame Mensah",
    "Freya Dahl",
    "Pavel Novak"
  ]
}

const idOf = (name: string): string => name.toLowerCase().replace(" ", ".")

const TEAMS: ReadonlyArray<Team> = ["support", "sales", "finance", "engineering"]

/** The people. */
export const PEOPLE: ReadonlyArray<DemoPerson> = TEAMS.flatMap((team) =>
  NAMES[team].map((name) => ({ id: idOf(name), name, team }))
)

const person = (id: string): DemoPerson => {
  const found = PEOPLE.find((one) => one.id === id)
  if (found === undefined) throw new Error(`nobody is ${id}`)
  return found
}

/** The people whom the stories of the week are about. */
export const CAST = {
  /** Exports customers' data at night. */
  exporter: person("tomas.reyes"),
  /** Somebody guesses the password of. */
  guessed: person("priya.nair"),
  /** Gives the role of an admin, and takes it back. */
  admin: person("lena.fischer"),
  /** Is an admin for an evening. */
  raised: person("jonas.weber")
}

/** The programs. */
export const SERVICES = {
  billing: { id: "svc_billing", name: "Billing", type: "system" },
  backup: { id: "svc_backup", name: "Nightly backup", type: "system" },
  sync: { id: "svc_crm_sync", name: "CRM sync", type: "api_client" },
  archiver: { id: "svc_archiver", name: "Archiver", type: "api_client" }
} satisfies Readonly<Record<string, DemoService>>

/** The customers, the busiest first. */
export const CUSTOMERS: ReadonlyArray<DemoCustomer> = [
  { id: "ten_alder", name: "Alder Clinics", share: 34 },
  { id: "ten_brightwater", name: "Brightwater Hotels", share: 26 },
  { id: "ten_cobalt", name: "Cobalt Freight", share: 19 },
  { id: "ten_dunmore", name: "Dunmore Legal", share: 13 },
  { id: "ten_elmstreet", name: "Elm Street Bakery", share: 8 }
]
