import type { Alert, ConsumerPosition, ConsumerRow, NewDelivery } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import type { Delivery, DeliveryAttempt } from "@cairn/core/outbound"
import { Context, Layer } from "effect"

/** A consumer: its position, who holds it, and its rows. */
export interface MemoryConsumer {
  position: ConsumerPosition
  hold: { readonly holder: string; readonly until: Micros.Micros } | undefined
  rows: Map<string, ConsumerRow>
}

/** A delivery, who claims it, and its attempts. */
export interface MemoryDelivery {
  delivery: Delivery
  claim: string | undefined
  attempts: ReadonlyArray<DeliveryAttempt>
}

/** The tables, which a commit changes together. */
export class ConsumptionTables extends Context.Service<
  ConsumptionTables,
  {
    /** By workspace and name. */
    readonly consumers: Map<string, MemoryConsumer>
    readonly alerts: Map<string, Array<Alert>>
    /** By id, in the order in which they were stored. */
    readonly outbox: Map<string, MemoryDelivery>
    /** Stores the deliveries that are not there yet. Their numbers increase. */
    readonly store: (deliveries: ReadonlyArray<NewDelivery>) => void
  }
>()("@cairn/testing/MemoryConsumers/Tables") {
  static readonly layer = Layer.sync(ConsumptionTables, () => {
    const outbox = new Map<string, MemoryDelivery>()
    let stored = 0
    return {
      consumers: new Map(),
      alerts: new Map(),
      outbox,
      store: (deliveries) => {
        for (const delivery of deliveries) {
          if (outbox.has(delivery.id)) continue
          outbox.set(delivery.id, {
            delivery: {
              ...delivery,
              number: ++stored,
              status: "pending",
              attempts: 0,
              dueAt: delivery.createdAt
            },
            claim: undefined,
            attempts: []
          })
        }
      }
    }
  })
}

/** When an alert was triggered. */
export const triggered = ({ triggered_at }: Alert): Micros.Micros => Micros.parse(triggered_at) ?? 0
