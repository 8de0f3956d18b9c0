import {
  type Alert,
  type ConsumerCommit,
  type ConsumerKey,
  type ConsumerPosition,
  Consumers
} from "@cairn/core/consumer"
import { CLOCK_SLACK } from "@cairn/core/log"
import { Effect, Layer, Option } from "effect"

import { ConsumptionTables, type MemoryConsumer, triggered } from "./MemoryConsumptionTables.ts"

type Tables = ConsumptionTables["Service"]

const nameOf = ({ workspaceId, consumer }: ConsumerKey): string => `${workspaceId} ${consumer}`

const move = (consumer: MemoryConsumer, change: Partial<ConsumerPosition>): ConsumerPosition => {
  consumer.position = { ...consumer.position, ...change, version: consumer.position.version + 1 }
  return consumer.position
}

/** The alerts that are not there yet; throws when two would share a moment, before anything is stored. */
const newAlerts = (existing: ReadonlyArray<Alert>, { raised }: ConsumerCommit) => {
  const fresh = raised.filter(({ alert }) => !existing.some(({ id }) => id === alert.id))
  const moments = new Set(existing.map(triggered))
  for (const { alert } of fresh) {
    if (moments.has(triggered(alert)))
      throw new Error(`an alert was triggered at ${alert.triggered_at} already`)
    moments.add(triggered(alert))
  }
  return fresh
}

const commit = (
  { consumers, alerts, store }: Tables,
  position: ConsumerPosition,
  request: ConsumerCommit
) => {
  const consumer = consumers.get(nameOf(position))
  if (consumer === undefined || consumer.position.version !== position.version || position.paused)
    return Option.none()
  const fresh = newAlerts(alerts.get(position.workspaceId) ?? [], request)
  const existing = alerts.get(position.workspaceId) ?? []
  alerts.set(position.workspaceId, [...existing, ...fresh.map(({ alert }) => alert)])
  store([...fresh.flatMap(({ deliveries }) => deliveries), ...request.deliveries])
  for (const row of request.rows) consumer.rows.set(row.key, row)
  for (const [key, { expiresAt }] of consumer.rows) {
    if (expiresAt !== null && request.expiredBy !== null && expiresAt <= request.expiredBy)
      consumer.rows.delete(key)
  }
  return Option.some(move(consumer, { sequence: request.sequence, updatedAt: request.at }))
}

/** The port. */
export const layerConsumers = Layer.effect(
  Consumers,
  Effect.map(ConsumptionTables, (tables) => {
    const { consumers } = tables
    const find = (key: ConsumerKey) => consumers.get(nameOf(key))

    const command = (key: ConsumerKey, change: Partial<ConsumerPosition>) =>
      Effect.sync(() => Option.map(Option.fromNullishOr(find(key)), (consumer) => move(consumer, change)))

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
      rowsAfter: (key, after, limit) =>
        Effect.sync(() =>
          [...(find(key)?.rows.values() ?? [])]
            .filter((row) => row.key > after)
            .sort((a, b) => (a.key < b.key ? -1 : 1))
            .slice(0, limit)
        ),
      commit: (position, request) => Effect.sync(() => commit(tables, position, request)),
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
