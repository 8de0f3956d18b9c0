/** What the people of the demo's company do on a working day. */
import { CUSTOMERS, type DemoCustomer, PEOPLE, type Team } from "./Company.ts"
import type { Deed } from "./DemoEvent.ts"
import type { SeededNumbers } from "./SeededNumbers.ts"

/** Somebody does something for a customer. */
type Doing = (numbers: SeededNumbers, customer: DemoCustomer) => Deed

/** Something that is done, the more often the greater its share. */
interface Habit {
  readonly share: number
  readonly doing: Doing
}

const TITLES = [
  "Service agreement",
  "Onboarding checklist",
  "Quarterly review",
  "Security questionnaire",
  "Data processing addendum",
  "Renewal proposal",
  "Incident summary",
  "Price list"
]
const PLANS = ["starter", "team", "business"]
const LANGUAGES = ["en", "de", "fr", "ja"]

/** The documents, invoices and contacts of a customer have the same names each time that they occur. */
const documentOf = (numbers: SeededNumbers, { id, name }: DemoCustomer) => {
  const number = numbers.between(1, 40)
  return {
    tenant_id: id,
    resource: "document",
    resource_id: `doc_${id.slice(4)}_${number}`,
    resource_name: `${TITLES[number % TITLES.length]}, ${name}`,
    action_category: "documents"
  }
}

const invoiceOf = (numbers: SeededNumbers, { id, name }: DemoCustomer) => {
  const number = numbers.between(1_001, 1_080)
  return {
    tenant_id: id,
    resource: "invoice",
    resource_id: `inv_${id.slice(4)}_${number}`,
    resource_name: `Invoice ${number}, ${name}`,
    action_category: "billing"
  }
}

const customerOf = ({ id, name }: DemoCustomer) => ({
  tenant_id: id,
  resource: "customer",
  resource_id: id,
  resource_name: name,
  action_category: "customers"
})

const amountOf = (numbers: SeededNumbers) => ({
  amount: numbers.between(40, 4_200) + 0.9,
  currency: numbers.pick(["EUR", "EUR", "USD", "GBP"])
})

const colleagueOf = (numbers: SeededNumbers) => {
  const { id, name } = numbers.pick(PEOPLE)
  return { type: "user", id, name }
}

/** Two different items. */
const two = <A>(numbers: SeededNumbers, items: ReadonlyArray<A>): readonly [A, A] => {
  const first = numbers.pick(items)
  return [first, numbers.pick(items.filter((item) => item !== first))]
}

const doc =
  (action: string): Doing =>
  (numbers, customer) => ({ action, ...documentOf(numbers, customer) })

const updated: Doing = (numbers, customer) => {
  const version = numbers.between(1, 12)
  const [before, after] = two(numbers, ["draft", "in review", "approved", "published"])
  return {
    action: "document.updated",
    ...documentOf(numbers, customer),
    metadata: { before: { status: before, version }, after: { status: after, version: version + 1 } }
  }
}

const shared: Doing = (numbers, customer) => ({
  action: "document.shared",
  ...documentOf(numbers, customer),
  targets: [colleagueOf(numbers)],
  metadata: { permission: numbers.pick(["view", "comment", "edit"]) }
})

const invoice =
  (action: string): Doing =>
  (numbers, customer) => ({ action, ...invoiceOf(numbers, customer), metadata: amountOf(numbers) })

const customerUpdated: Doing = (numbers, customer) => {
  const [before, after] = numbers.percent(50)
    ? two(numbers, PLANS).map((plan) => ({ plan }))
    : two(numbers, LANGUAGES).map((language) => ({ language }))
  return { action: "customer.updated", ...customerOf(customer), metadata: { before, after } }
}

const reported: Doing = (numbers, customer) => ({
  action: "report.exported",
  tenant_id: customer.id,
  resource: "report",
  resource_id: `rep_${numbers.between(100, 999)}`,
  resource_name: numbers.pick(["Open tickets", "Revenue by month", "Usage", "Overdue invoices"]),
  action_category: "exports",
  metadata: { format: numbers.pick(["csv", "pdf", "xlsx"]), rows: numbers.between(12, 900) }
})

const permission =
  (action: string): Doing =>
  (numbers, customer) => ({
    action,
    ...documentOf(numbers, customer),
    action_category: "access",
    targets: [colleagueOf(numbers)],
    metadata: { permission: numbers.pick(["documents.edit", "invoices.read", "reports.export"]) }
  })

const invited: Doing = (numbers, customer) => ({
  action: "user.invited",
  tenant_id: customer.id,
  resource: "user",
  resource_id: `contact_${numbers.between(1, 60)}@${customer.id.slice(4)}.example`,
  action_category: "access",
  metadata: { role: numbers.pick(["member", "viewer"]) }
})

const ticket =
  (action: string): Doing =>
  (numbers, customer) => ({
    action,
    tenant_id: customer.id,
    resource: "ticket",
    resource_id: `tic_${numbers.between(4_000, 4_400)}`,
    action_category: "support",
    metadata: { priority: numbers.pick(["low", "normal", "normal", "high"]) }
  })

const settings: Doing = (numbers, customer) => {
  const [before, after] = two(numbers, [15, 30, 60, 240])
  return {
    action: "settings.updated",
    tenant_id: customer.id,
    resource: "settings",
    resource_id: `set_${customer.id.slice(4)}`,
    action_category: "access",
    metadata: { before: { session_minutes: before }, after: { session_minutes: after } }
  }
}

const habit = (share: number, doing: Doing): Habit => ({ share, doing })

const DOCUMENTS = [
  habit(30, doc("document.viewed")),
  habit(8, doc("document.created")),
  habit(12, updated),
  habit(5, shared),
  habit(1, doc("document.deleted"))
]

const HABITS: Readonly<Record<Team, ReadonlyArray<Habit>>> = {
  support: [
    ...DOCUMENTS,
    habit(22, ticket("ticket.answered")),
    habit(10, ticket("ticket.closed")),
    habit(3, customerUpdated)
  ],
  sales: [
    ...DOCUMENTS,
    habit(14, customerUpdated),
    habit(6, invited),
    habit(4, reported),
    habit(8, invoice("invoice.created"))
  ],
  finance: [
    ...DOCUMENTS.slice(0, 1),
    habit(24, invoice("invoice.created")),
    habit(20, invoice("invoice.sent")),
    habit(16, invoice("invoice.paid")),
    habit(2, invoice("invoice.voided")),
    habit(8, reported)
  ],
  engineering: [
    ...DOCUMENTS,
    habit(6, permission("permission.granted")),
    habit(4, permission("permission.revoked")),
    habit(5, settings)
  ]
}

/** Something that one of a team does. */
export const deedOf = (numbers: SeededNumbers, team: Team): Deed =>
  numbers.pickByShare(HABITS[team]).doing(numbers, numbers.pickByShare(CUSTOMERS))
