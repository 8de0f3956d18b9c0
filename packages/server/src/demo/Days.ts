/** The ordinary days of the demo's week: sessions of people, and what programs do by themselves. */
import { Micros } from "@cairn/core/encoding"
import { CUSTOMERS, type DemoPerson, PEOPLE, SERVICES } from "./Company.ts"
import { deedOf } from "./Deeds.ts"
import { type Actor, type Deed, type DemoEvent, demoEvent, personActor, serviceActor } from "./DemoEvent.ts"
import type { SeededNumbers } from "./SeededNumbers.ts"

const HOUR = 60 * Micros.MINUTE

/** Whether a day, by its midnight in UTC, is a Saturday or a Sunday. */
const isWeekend = (day: Micros.Micros): boolean => [0, 6].includes(new Date(day / 1000).getUTCDay())

const signIn = (action: string, metadata: Deed["metadata"]): Deed => ({
  action,
  action_category: "authentication",
  ...(metadata === undefined ? {} : { metadata })
})

/** The address of somebody's desk, the same each day, or now and then another. */
const addressOf = (numbers: SeededNumbers, { id }: DemoPerson): string =>
  numbers.percent(85)
    ? `192.0.2.${10 + PEOPLE.findIndex((one) => one.id === id)}`
    : `198.51.100.${numbers.between(20, 200)}`

/** One visit, from the sign-in to the last thing that is done. */
const session = (
  numbers: SeededNumbers,
  person: DemoPerson,
  from: Micros.Micros
): ReadonlyArray<DemoEvent> => {
  const actor: Actor = personActor(
    person,
    addressOf(numbers, person),
    `ses_${numbers.between(0x1000_0000, 0xffff_ffff).toString(16)}`
  )
  const events: Array<DemoEvent> = []
  let at = from
  const add = (by: Actor, deed: Deed) => {
    events.push(demoEvent(numbers, at, by, deed))
  }
  if (numbers.percent(9)) {
    add({ ...actor, session: null }, signIn("user.sign_in_failed", { reason: "wrong_password" }))
    at += numbers.between(6, 30) * Micros.SECOND
  }
  add(actor, signIn("user.signed_in", { method: numbers.pick(["sso", "sso", "password"]) }))
  for (let left = numbers.between(5, 17); left > 0; left--) {
    at += numbers.between(15, 720) * Micros.SECOND + numbers.between(0, 999_999)
    add(actor, deedOf(numbers, person.team))
  }
  at += numbers.between(20, 300) * Micros.SECOND
  if (numbers.percent(55)) add(actor, signIn("user.signed_out", undefined))
  return events
}

/** The visits of one day: in the morning, often after lunch, rarely in the evening. */
const visits = (numbers: SeededNumbers, day: Micros.Micros): ReadonlyArray<DemoEvent> =>
  PEOPLE.flatMap((person) => {
    const starts = isWeekend(day)
      ? [{ chance: 7, hour: 11 }]
      : [
          { chance: 88, hour: 8 },
          { chance: 62, hour: 13 },
          { chance: 4, hour: 18 }
        ]
    return starts.flatMap(({ chance, hour }) =>
      numbers.percent(chance)
        ? session(numbers, person, day + hour * HOUR + numbers.between(0, 7_200) * Micros.SECOND)
        : []
    )
  })

const synced = (numbers: SeededNumbers): Deed => {
  const customer = numbers.pickByShare(CUSTOMERS)
  return {
    action: "contacts.synced",
    action_category: "integrations",
    tenant_id: customer.id,
    resource: "customer",
    resource_id: customer.id,
    resource_name: customer.name,
    metadata: { method: "POST", path: "/v2/contacts/sync", status: 200, contacts: numbers.between(1, 60) }
  }
}

/** The sync calls every half hour, and twice as often on a working day. */
const syncs = (numbers: SeededNumbers, day: Micros.Micros): ReadonlyArray<DemoEvent> => {
  const minutes = isWeekend(day) ? 60 : 30
  const calls = (24 * 60) / minutes
  return Array.from({ length: calls }, (_, call) =>
    demoEvent(
      numbers,
      day + call * minutes * Micros.MINUTE + numbers.between(1_000_000, 40_000_000),
      serviceActor(SERVICES.sync),
      synced(numbers)
    )
  )
}

/** A reminder to each customer on a working day. */
const reminders = (numbers: SeededNumbers, day: Micros.Micros): ReadonlyArray<DemoEvent> =>
  isWeekend(day)
    ? []
    : CUSTOMERS.map((customer, index) =>
        demoEvent(
          numbers,
          day + 6 * HOUR + index * 2 * Micros.SECOND + numbers.between(0, 999_999),
          serviceActor(SERVICES.billing),
          {
            action: "invoice.reminder_sent",
            action_category: "billing",
            tenant_id: customer.id,
            resource: "invoice",
            resource_id: `inv_${customer.id.slice(4)}_${numbers.between(1_001, 1_080)}`,
            metadata: { overdue_days: numbers.between(3, 45) }
          }
        )
      )

/** The backup of the night, which takes some minutes. */
const backup = (numbers: SeededNumbers, day: Micros.Micros): ReadonlyArray<DemoEvent> => {
  const begun = day + 2 * HOUR + numbers.between(0, 20_000_000)
  const minutes = numbers.between(4, 11)
  const by = serviceActor(SERVICES.backup)
  const of = { action_category: "operations", resource: "backup", resource_id: `bak_${day / Micros.DAY}` }
  return [
    demoEvent(numbers, begun, by, { action: "backup.started", ...of }),
    demoEvent(numbers, begun + minutes * Micros.MINUTE, by, {
      action: "backup.completed",
      ...of,
      metadata: { minutes, gigabytes: 41 + numbers.next() }
    })
  ]
}

/** The events of one day, by its midnight in UTC, in no order. */
export const dayOf = (numbers: SeededNumbers, day: Micros.Micros): ReadonlyArray<DemoEvent> => [
  ...visits(numbers, day),
  ...syncs(numbers, day),
  ...reminders(numbers, day),
  ...backup(numbers, day)
]
