/** What is worth finding in the demo's week. Each story lies on a day before the week's last one. */
import { Micros } from "@cairn/core/encoding"
import { CAST, CUSTOMERS, SERVICES } from "./Company.ts"
import { type Deed, type DemoEvent, demoEvent, personActor, serviceActor } from "./DemoEvent.ts"
import type { SeededNumbers } from "./SeededNumbers.ts"

const HOUR = 60 * Micros.MINUTE

/** Addresses from which nobody of the company works. */
const FOREIGN = { night: "203.0.113.77", guesses: "198.51.100.23" }

/** Each customer's data is exported, at night, within a quarter of an hour. */
const nightExport = (numbers: SeededNumbers, at: Micros.Micros): ReadonlyArray<DemoEvent> => {
  const by = personActor(CAST.exporter, FOREIGN.night, "ses_0e1f77aa")
  return [
    demoEvent(numbers, at, by, {
      action: "user.signed_in",
      action_category: "authentication",
      metadata: { method: "password" }
    }),
    ...CUSTOMERS.map((customer, index) =>
      demoEvent(numbers, at + (2 + index * 3) * Micros.MINUTE + numbers.between(0, 50_000_000), by, {
        action: "customer.exported",
        action_category: "exports",
        tenant_id: customer.id,
        resource: "customer",
        resource_id: customer.id,
        resource_name: customer.name,
        metadata: { format: "csv", rows: 900 + 37 * customer.share, include_contacts: true }
      })
    ),
    demoEvent(numbers, at + 19 * Micros.MINUTE, by, {
      action: "user.signed_out",
      action_category: "authentication"
    })
  ]
}

/** Many failed sign-ins, then one that succeeds, and what is done with it. */
const guessedPassword = (numbers: SeededNumbers, at: Micros.Micros): ReadonlyArray<DemoEvent> => {
  const by = personActor(CAST.guessed, FOREIGN.guesses, null)
  const guesses = 17
  const then = at + guesses * 6 * Micros.SECOND
  const inside = { ...by, session: "ses_b4d0c0de" }
  return [
    ...Array.from({ length: guesses }, (_, index) =>
      demoEvent(numbers, at + index * 6 * Micros.SECOND + numbers.between(0, 3_000_000), by, {
        action: "user.sign_in_failed",
        action_category: "authentication",
        metadata: { reason: "wrong_password" }
      })
    ),
    demoEvent(numbers, then, inside, {
      action: "user.signed_in",
      action_category: "authentication",
      metadata: { method: "password" }
    }),
    demoEvent(numbers, then + 3 * Micros.MINUTE, inside, {
      action: "user.phone_changed",
      action_category: "authentication",
      resource: "user",
      resource_id: CAST.guessed.id,
      resource_name: CAST.guessed.name,
      metadata: { before: { phone: "+44 1632 960 111" }, after: { phone: "+44 1632 960 983" } }
    })
  ]
}

/** Somebody is made an admin in the evening, and is none an hour and a half later. */
const adminForAnEvening = (numbers: SeededNumbers, at: Micros.Micros): ReadonlyArray<DemoEvent> => {
  const { admin, raised } = CAST
  const by = personActor(admin, "192.0.2.18", "ses_5eed0001")
  const changed = (before: string, after: string): Deed => ({
    action: "role.changed",
    action_category: "access",
    resource: "user",
    resource_id: raised.id,
    resource_name: raised.name,
    targets: [{ type: "user", id: raised.id, name: raised.name }],
    metadata: { before: { role: before }, after: { role: after } }
  })
  const { id, name } = CUSTOMERS[3] ?? { id: "ten", name: "" }
  return [
    demoEvent(numbers, at, by, changed("developer", "admin")),
    demoEvent(numbers, at + 22 * Micros.MINUTE, personActor(raised, "192.0.2.28", "ses_5eed0002"), {
      action: "settings.updated",
      action_category: "access",
      tenant_id: id,
      resource: "settings",
      resource_id: `set_${id.slice(4)}`,
      resource_name: name,
      metadata: { before: { require_two_factor: true }, after: { require_two_factor: false } }
    }),
    demoEvent(numbers, at + 85 * Micros.MINUTE, by, changed("admin", "developer"))
  ]
}

/** A program deletes fourteen documents of one customer within three minutes. */
const massDeletion = (numbers: SeededNumbers, at: Micros.Micros): ReadonlyArray<DemoEvent> =>
  Array.from({ length: 14 }, (_, index) =>
    demoEvent(
      numbers,
      at + index * 12 * Micros.SECOND + numbers.between(0, 4_000_000),
      serviceActor(SERVICES.archiver),
      {
        action: "document.deleted",
        action_category: "documents",
        tenant_id: "ten_cobalt",
        resource: "document",
        resource_id: `doc_cobalt_${index + 1}`,
        metadata: { reason: "retention policy" }
      }
    )
  )

/** A list of contacts is imported all at once. */
const bulkImport = (numbers: SeededNumbers, at: Micros.Micros): ReadonlyArray<DemoEvent> =>
  Array.from({ length: 150 }, (_, index) =>
    demoEvent(numbers, at + index * 300_000 + numbers.between(0, 200_000), serviceActor(SERVICES.sync), {
      action: "contact.imported",
      action_category: "integrations",
      tenant_id: "ten_brightwater",
      resource: "contact",
      resource_id: `con_${20_000 + index}`,
      metadata: { source: "spreadsheet", row: index + 2 }
    })
  )

/** The stories of a week whose last day begins at `today`, midnight in UTC. */
export const storiesUntil = (numbers: SeededNumbers, today: Micros.Micros): ReadonlyArray<DemoEvent> => [
  ...bulkImport(numbers, today - 5 * Micros.DAY + 4 * HOUR + 12 * Micros.MINUTE),
  ...adminForAnEvening(numbers, today - 4 * Micros.DAY + 20 * HOUR + 5 * Micros.MINUTE),
  ...nightExport(numbers, today - 3 * Micros.DAY + 2 * HOUR + 37 * Micros.MINUTE),
  ...guessedPassword(numbers, today - 2 * Micros.DAY + 21 * HOUR + 48 * Micros.MINUTE),
  ...massDeletion(numbers, today - 1 * Micros.DAY + 15 * HOUR + 9 * Micros.MINUTE)
]
