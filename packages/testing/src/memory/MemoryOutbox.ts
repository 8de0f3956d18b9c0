import { CLOCK_SLACK } from "@cairn/core/log"
import {
  type ClaimedDelivery,
  type DeliveryFilter,
  MAX_RETRY_AFTER,
  Outbox,
  type WaitingReceiver
} from "@cairn/core/outbound"
import { Effect, Layer, Option } from "effect"

import { ConsumptionTables, type MemoryDelivery } from "./MemoryConsumptionTables.ts"

type Entries = Map<string, MemoryDelivery>
type Service = Outbox["Service"]

const due = ({ delivery }: MemoryDelivery) =>
  delivery.status === "pending" ? (delivery.dueAt ?? 0) : Number.POSITIVE_INFINITY

/** A delivery of a workspace. */
const findIn = (outbox: Entries, workspaceId: string, id: string) => {
  const found = outbox.get(id)
  return found?.delivery.workspaceId === workspaceId ? found : undefined
}

/** Sending: what is due, who sends it, and what came of it. */
const sending = (outbox: Entries): Pick<Service, "receivers" | "claim" | "keep" | "settle"> => {
  const inDueOrder = () =>
    [...outbox.values()].sort(
      (one, other) => due(one) - due(other) || one.delivery.number - other.delivery.number
    )
  return {
    receivers: (channel, now) =>
      Effect.sync(() => {
        const waiting = new Map<string, WaitingReceiver>()
        for (const entry of inDueOrder()) {
          const { workspaceId, target } = entry.delivery
          const key = `${workspaceId} ${target}`
          if (entry.delivery.channel !== channel || due(entry) > now || waiting.has(key)) continue
          waiting.set(key, { workspaceId, target, dueAt: due(entry) })
        }
        return [...waiting.values()]
      }),
    claim: ({ channel, shares, now, until, claim }) =>
      Effect.sync(() =>
        shares.flatMap(({ workspaceId, target, limit }) =>
          inDueOrder()
            .filter(
              (entry) =>
                due(entry) <= now &&
                entry.delivery.channel === channel &&
                entry.delivery.workspaceId === workspaceId &&
                entry.delivery.target === target
            )
            .slice(0, limit)
            .map((entry): ClaimedDelivery => {
              entry.claim = claim
              entry.delivery = { ...entry.delivery, dueAt: until }
              return { ...entry.delivery, claim }
            })
        )
      ),
    keep: (claims, until) =>
      Effect.sync(() => {
        let kept = 0
        for (const { workspaceId, id, claim } of claims) {
          const entry = findIn(outbox, workspaceId, id)
          if (entry === undefined || entry.claim !== claim) continue
          entry.delivery = { ...entry.delivery, dueAt: until }
          kept += 1
        }
        return kept
      }),
    settle: (delivery, { attempt, status, dueAt }) =>
      Effect.sync(() => {
        const entry = findIn(outbox, delivery.workspaceId, delivery.id)
        if (entry === undefined) return false
        if (attempt !== null) entry.attempts = [...entry.attempts, attempt]
        if (entry.claim !== delivery.claim) return false
        entry.claim = undefined
        const attempts = entry.delivery.attempts + (attempt === null ? 0 : 1)
        entry.delivery = { ...entry.delivery, status, attempts, dueAt: status === "pending" ? dueAt : null }
        return true
      })
  }
}

/** What a workspace sees of its deliveries. */
const reading = (outbox: Entries): Pick<Service, "get" | "page" | "count" | "attempts"> => {
  const matching = (workspaceId: string, { channel, target, status }: DeliveryFilter) =>
    [...outbox.values()]
      .map(({ delivery }) => delivery)
      .filter(
        (delivery) =>
          delivery.workspaceId === workspaceId &&
          (channel === undefined || delivery.channel === channel) &&
          (target === undefined || delivery.target === target) &&
          (status === undefined || delivery.status === status)
      )
      .sort((one, other) => other.number - one.number)
  return {
    get: (workspaceId, id) =>
      Effect.sync(() => Option.fromNullishOr(findIn(outbox, workspaceId, id)?.delivery)),
    page: (workspaceId, { filter, before, limit }) =>
      Effect.sync(() =>
        matching(workspaceId, filter)
          .filter(({ number }) => before === null || number < before)
          .slice(0, limit)
      ),
    count: (workspaceId, filter) => Effect.sync(() => matching(workspaceId, filter).length),
    attempts: (workspaceId, id) => Effect.sync(() => findIn(outbox, workspaceId, id)?.attempts ?? [])
  }
}

/** Deliveries sent once more, times that are put right, and old deliveries deleted. */
const upkeep = (outbox: Entries): Pick<Service, "redeliver" | "nextDue" | "hasten" | "prune"> => ({
  redeliver: (workspaceId, id, at) =>
    Effect.sync(() => {
      const entry = findIn(outbox, workspaceId, id)
      if (entry === undefined) return Option.none()
      entry.claim = undefined
      entry.delivery = { ...entry.delivery, status: "pending", attempts: 0, dueAt: at }
      return Option.some(entry.delivery)
    }),
  nextDue: Effect.sync(() => {
    const next = Math.min(...[...outbox.values()].map(due))
    return Number.isFinite(next) ? next : null
  }),
  hasten: (now) =>
    Effect.sync(() => {
      const latest = now + CLOCK_SLACK
      const wrong = [...outbox.values()].filter((entry) => {
        const at = due(entry)
        if (!Number.isFinite(at) || at <= latest) return false
        return entry.delivery.attempts === 0 || entry.claim !== undefined || at > latest + MAX_RETRY_AFTER
      })
      for (const entry of wrong) entry.delivery = { ...entry.delivery, dueAt: now }
      return wrong.length
    }),
  prune: (before) =>
    Effect.sync(() => {
      const old = [...outbox.values()].filter(
        ({ delivery }) => delivery.status !== "pending" && delivery.createdAt < before
      )
      for (const { delivery } of old) outbox.delete(delivery.id)
      return old.length
    })
})

/** The port. */
export const layerOutbox = Layer.effect(
  Outbox,
  Effect.map(ConsumptionTables, ({ outbox, store }) =>
    Outbox.of({
      put: (deliveries) => Effect.sync(() => store(deliveries)),
      ...sending(outbox),
      ...reading(outbox),
      ...upkeep(outbox)
    })
  )
)
