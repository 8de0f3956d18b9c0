/** What the contract suites of `Consumers`, `Alerts`, `Outbox` and the workspaces' settings share. */

import type { AlertRules, Alerts } from "@cairn/core/alert"
import type { Alert, ConsumerCommit, Consumers, ListedAlert, NewDelivery } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import type { Workspaces } from "@cairn/core/log"
import type { LogStreams, Outbox, Webhooks } from "@cairn/core/outbound"
import type { ManagedWorkspaces, Members, ViewerKeys } from "@cairn/core/workspace"
import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { makeWorkspaces, NOON } from "./StorageSteps.ts"

/** The ports that a storage adapter provides in addition to those of the log. */
export type ConsumptionServices =
  | Consumers
  | Alerts
  | Outbox
  | AlertRules
  | Webhooks
  | LogStreams
  | Members
  | ViewerKeys
  | ManagedWorkspaces
  | Workspaces

/** Makes the layer of an empty storage. It is called once for each test, and its layer is built once. */
export type ConsumptionLayer = () => Layer.Layer<ConsumptionServices, unknown>

/** Registers a test that runs over a storage of its own, in which these workspaces exist. */
export const consumptionTest =
  (storage: ConsumptionLayer, ...workspaceIds: ReadonlyArray<string>) =>
  <A, E>(name: string, test: Effect.Effect<A, E, ConsumptionServices>): void =>
    it.live(name, () =>
      Effect.suspend(() => Effect.provide(Effect.andThen(makeWorkspaces(...workspaceIds), test), storage()))
    )

/** An alert as it is listed before anybody has acknowledged it. */
export const listed = (alert: Alert): ListedAlert => ({
  ...alert,
  acknowledged_at: null,
  acknowledged_by: null
})

/** An alert that was triggered `micros` after noon. */
export const makeAlert = (id: string, micros: Micros.Micros, fields: Partial<Alert> = {}): Alert => ({
  id: `alt_${id}`,
  rule_id: "rul_1",
  rule_name: "Deletions '; DROP TABLE alert; -- \u{1F600}",
  rule_type: "repeated_action",
  event_id: `event-${id}`,
  reason: "Çelik deleted\n10 things",
  triggered_at: Micros.format(NOON + micros),
  ...fields
})

/** A delivery of a workspace, stored `micros` after noon. */
export const makeDelivery = (
  workspaceId: string,
  id: string,
  micros: Micros.Micros = 0,
  fields: Partial<NewDelivery> = {}
): NewDelivery => ({
  id: `dlv_${id}`,
  workspaceId,
  channel: "webhook",
  target: "whk_1",
  type: "alert.triggered",
  payload: '{"type":"alert.triggered","data":{"name":"día 😀 \\"\\n"}}',
  createdAt: NOON + micros,
  ...fields
})

/** A commit that moves to `sequence` and does nothing else by default. */
export const moveTo = (sequence: number, fields: Partial<ConsumerCommit> = {}): ConsumerCommit => ({
  sequence,
  rows: [],
  raised: [],
  deliveries: [],
  expiredBy: null,
  at: NOON,
  ...fields
})
