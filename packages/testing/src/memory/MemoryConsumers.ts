/** `Consumers`, `Alerts` and `Outbox` in memory: one synchronous step is one transaction. */

import { type AlertFilter, Alerts } from "@cairn/core/alert"
import {
  type Alert,
  type ConsumerCommit,
  type ConsumerKey,
  type ConsumerPosition,
  type ConsumerRow,
  Consumers,
  type NewDelivery
} from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { CLOCK_SLACK } from "@cairn/core/log"
import {
  type ClaimedDelivery,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryFilter,
  MAX_RETRY_AFTER,
  Outbox,
  type WaitingReceiver
} from "@cairn/core/outbound"
import { Context, Effect, Layer, Option } from "effect"

interface MemoryConsumer {
  position: ConsumerPosition
  hold: { readonly holder: string; readonly until: Micros.Micros } | undefined
  rows: Map<string, ConsumerRow>
}

interface MemoryDelivery {
  delivery: Delivery
  claim: string | undefined
  attempts: ReadonlyArray<DeliveryAttempt>
}

/** The tables, which a commit changes together. */
class Tables extends Context.Service<
  Tables,
  {
    /** By workspace and name. */
    readonly consumers: Map<string, MemoryConsumer>
    readonly alerts: Map<string, Array<Alert>>
    /** By id, in the order in which they were stored. */
    readonly outbox: Map<string, MemoryDelivery>
  }
>()("@cairn/testing/MemoryConsumers/Tables") {
  static readonly layer = Layer.sync(Tables, () => ({
    consumers: new Map(),
    alerts: new Map(),
    outbox: new Map()
  }))
}

const nameOf = ({ workspaceId, consumer }: ConsumerKey): string => `${workspaceId} ${consumer}`

const triggered = ({ triggered_at }: Alert): Micros.Micros => Micros.parse(triggered_at) ?? 0

/** Deliveries stored so far, in all tables: numbers only have to increase. */
let stored = 0

const store = (outbox: Map<string, MemoryDelivery>, deliveries: ReadonlyArray<NewDelivery>): void => {
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

const layerConsumers = Layer.effect(
  Consumers,
  Effect.map(Tables, ({ consumers, alerts, outbox }) => {
    const find = (key: ConsumerKey) => consumers.get(nameOf(key))

    const move = (consumer: MemoryConsumer, change: Partial<ConsumerPosition>): ConsumerPosition => {
      consumer.position = { ...consumer.position, ...change, version: consumer.position.version + 1 }
      return consumer.position
    }

    const command = (key: ConsumerKey, change: Partial<ConsumerPosition>) =>
      Effect.sync(() => Option.map(Option.fromNullishOr(find(key)), (consumer) => move(consumer, change)))

    /** The alerts that are not there yet; throws when two would share a moment, before anything is stored. */
    const newAlerts = (workspaceId: string, { raised }: ConsumerCommit) => {
      const existing = alerts.get(workspaceId) ?? []
      const fresh = raised.filter(({ alert }) => !existing.some(({ id }) => id === alert.id))
      const moments = new Set(existing.map(triggered))
      for (const { alert } of fresh) {
        if (moments.has(triggered(alert)))
          throw new Error(`an alert was triggered at ${alert.triggered_at} already`)
        moments.add(triggered(alert))
      }
      return fresh
    }

    const commit = (position: ConsumerPosition, request: ConsumerCommit) =>
      Effect.sync(() => {
        const consumer = find(position)
        if (consumer === undefined || consumer.position.version !== position.version || position.paused)
          return Option.none()
        const fresh = newAlerts(position.workspaceId, request)
        const existing = alerts.get(position.workspaceId) ?? []
        alerts.set(position.workspaceId, [...existing, ...fresh.map(({ alert }) => alert)])
        store(outbox, [...fresh.flatMap(({ deliveries }) => deliveries), ...request.deliveries])
        for (const row of request.rows) consumer.rows.set(row.key, row)
        for (const [key, { expiresAt }] of consumer.rows) {
          if (expiresAt !== null && request.expiredBy !== null && expiresAt <= request.expiredBy)
            consumer.rows.delete(key)
        }
        return Option.some(move(consumer, { sequence: request.sequence, updatedAt: request.at }))
      })

    return Consumers.of({
      open: (key, sequence, at) =>
        Effect.sync(() => {
          const { workspaceId, consumer: name } = key
          const consumer = find(key) ?? {
            position: { workspaceId, consumer: name, sequence, paused: false, version: 1, updatedAt: at },
            hold: undefined,
            rows: new Map()
          }
          consumers.set(nameOf(key), consumer)
          return consumer.position
        }),
      rows: (key, keys) => Effect.sync(() => keys.flatMap((each) => find(key)?.rows.get(each) ?? [])),
      commit,
      hold: (key, { holder, at, until }) =>
        Effect.sync(() => {
          const consumer = find(key)
          if (consumer === undefined) return Option.none()
          const { hold } = consumer
          const lasts = hold !== undefined && hold.until > at && hold.until <= until + CLOCK_SLACK
          if (lasts && hold.holder !== holder) return Option.none()
          const taken = hold?.holder !== holder
          consumer.hold = { holder, until }
          return Option.some(taken ? move(consumer, {}) : consumer.position)
        }),
      release: (key, holder) =>
        Effect.sync(() => {
          const consumer = find(key)
          if (consumer?.hold?.holder === holder) consumer.hold = undefined
        }),
      list: (workspaceId) =>
        Effect.sync(() =>
          Array.from(consumers.values(), ({ position }) => position)
            .filter((position) => position.workspaceId === workspaceId)
            .sort((one, other) => (one.consumer < other.consumer ? -1 : 1))
        ),
      everywhere: (name) =>
        Effect.sync(() =>
          Array.from(consumers.values(), ({ position }) => position).filter(
            ({ consumer }) => consumer === name
          )
        ),
      pause: (key, at) => command(key, { paused: true, updatedAt: at }),
      resume: (key, at) => command(key, { paused: false, updatedAt: at }),
      replay: (key, sequence, at) =>
        Effect.tap(command(key, { sequence, updatedAt: at }), () =>
          Effect.sync(() => find(key)?.rows.clear())
        ),
      remove: (key) =>
        Effect.sync(() => {
          consumers.delete(nameOf(key))
        })
    })
  })
)

const layerAlerts = Layer.effect(
  Alerts,
  Effect.map(Tables, ({ alerts }) => {
    const matching = (workspaceId: string, { from, to, ruleType }: AlertFilter) =>
      (alerts.get(workspaceId) ?? [])
        .filter(
          (alert) =>
            (from === undefined || triggered(alert) >= from) &&
            (to === undefined || triggered(alert) <= to) &&
            (ruleType === undefined || alert.rule_type === ruleType)
        )
        .sort((one, other) => triggered(other) - triggered(one))
    return Alerts.of({
      page: (workspaceId, { filter, before, limit }) =>
        Effect.sync(() =>
          matching(workspaceId, filter)
            .filter((alert) => before === null || triggered(alert) < before)
            .slice(0, limit)
        ),
      count: (workspaceId, filter) => Effect.sync(() => matching(workspaceId, filter).length),
      newest: (workspaceId) =>
        Effect.sync(() => {
          const [newest] = matching(workspaceId, {})
          return newest === undefined ? 0 : triggered(newest)
        })
    })
  })
)

const layerOutbox = Layer.effect(
  Outbox,
  Effect.map(Tables, ({ outbox }) => {
    const all = () => Array.from(outbox.values())
    const find = (workspaceId: string, id: string) => {
      const found = outbox.get(id)
      return found?.delivery.workspaceId === workspaceId ? found : undefined
    }
    const matching = (workspaceId: string, { channel, target, status }: DeliveryFilter) =>
      all()
        .map(({ delivery }) => delivery)
        .filter(
          (delivery) =>
            delivery.workspaceId === workspaceId &&
            (channel === undefined || delivery.channel === channel) &&
            (target === undefined || delivery.target === target) &&
            (status === undefined || delivery.status === status)
        )
        .sort((one, other) => other.number - one.number)
    const due = ({ delivery }: MemoryDelivery) =>
      delivery.status === "pending" ? (delivery.dueAt ?? 0) : Number.POSITIVE_INFINITY

    const inDueOrder = () =>
      all().sort((one, other) => due(one) - due(other) || one.delivery.number - other.delivery.number)

    return Outbox.of({
      put: (deliveries) => Effect.sync(() => store(outbox, deliveries)),
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
            const entry = find(workspaceId, id)
            if (entry === undefined || entry.claim !== claim) continue
            entry.delivery = { ...entry.delivery, dueAt: until }
            kept += 1
          }
          return kept
        }),
      settle: (delivery, { attempt, status, dueAt }) =>
        Effect.sync(() => {
          const entry = find(delivery.workspaceId, delivery.id)
          if (entry === undefined) return false
          if (attempt !== null) entry.attempts = [...entry.attempts, attempt]
          if (entry.claim !== delivery.claim) return false
          entry.claim = undefined
          const attempts = entry.delivery.attempts + (attempt === null ? 0 : 1)
          entry.delivery = { ...entry.delivery, status, attempts, dueAt: status === "pending" ? dueAt : null }
          return true
        }),
      get: (workspaceId, id) => Effect.sync(() => Option.fromNullishOr(find(workspaceId, id)?.delivery)),
      page: (workspaceId, { filter, before, limit }) =>
        Effect.sync(() =>
          matching(workspaceId, filter)
            .filter(({ number }) => before === null || number < before)
            .slice(0, limit)
        ),
      count: (workspaceId, filter) => Effect.sync(() => matching(workspaceId, filter).length),
      attempts: (workspaceId, id) => Effect.sync(() => find(workspaceId, id)?.attempts ?? []),
      redeliver: (workspaceId, id, at) =>
        Effect.sync(() => {
          const entry = find(workspaceId, id)
          if (entry === undefined) return Option.none()
          entry.claim = undefined
          entry.delivery = { ...entry.delivery, status: "pending", attempts: 0, dueAt: at }
          return Option.some(entry.delivery)
        }),
      nextDue: Effect.sync(() => {
        const next = Math.min(...all().map(due))
        return Number.isFinite(next) ? next : null
      }),
      hasten: (now) =>
        Effect.sync(() => {
          const latest = now + CLOCK_SLACK
          const wrong = all().filter((entry) => {
            const at = due(entry)
            if (!Number.isFinite(at) || at <= latest) return false
            return entry.delivery.attempts === 0 || entry.claim !== undefined || at > latest + MAX_RETRY_AFTER
          })
          for (const entry of wrong) entry.delivery = { ...entry.delivery, dueAt: now }
          return wrong.length
        }),
      prune: (before) =>
        Effect.sync(() => {
          const old = all().filter(
            ({ delivery }) => delivery.status !== "pending" && delivery.createdAt < before
          )
          for (const { delivery } of old) outbox.delete(delivery.id)
          return old.length
        })
    })
  })
)

/** The three ports. */
export const layerConsumption = Layer.mergeAll(layerConsumers, layerAlerts, layerOutbox).pipe(
  Layer.provide(Tables.layer)
)
