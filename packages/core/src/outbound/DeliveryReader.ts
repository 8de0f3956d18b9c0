/** Reading deliveries: lists with an exact total, and one with its attempts. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as Cursor from "../log/Cursor.ts"
import type { Page } from "../log/Page.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Delivery, DeliveryAttempt, DeliveryFilter, Outbox } from "./Outbox.ts"

/** A page to read, newest first. */
export const DeliveryListRequest = Schema.Struct({
  workspaceId: Schema.String,
  filter: DeliveryFilter,
  /** Only deliveries with a number below this: a decoded cursor. */
  before: Schema.NullOr(Schema.Number),
  /** 1 to 100. */
  limit: Schema.Number
})
export type DeliveryListRequest = typeof DeliveryListRequest.Type

/** A delivery and its attempts, oldest first. */
export const DeliveryWithAttempts = Schema.Struct({
  delivery: Delivery,
  attempts: Schema.Array(DeliveryAttempt)
})
export type DeliveryWithAttempts = typeof DeliveryWithAttempts.Type

/** The use case *read deliveries*. */
export class DeliveryReader extends Context.Service<
  DeliveryReader,
  {
    readonly list: (request: DeliveryListRequest) => Effect.Effect<Page<Delivery>, StorageUnavailable>
    readonly get: (
      workspaceId: string,
      id: string
    ) => Effect.Effect<Option.Option<DeliveryWithAttempts>, StorageUnavailable>
  }
>()("@cairn/core/DeliveryReader") {
  static readonly layer = Layer.effect(
    DeliveryReader,
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const list = Effect.fn("DeliveryReader.list")(function* (request: DeliveryListRequest) {
        const { workspaceId, filter, before, limit } = request
        const rows = yield* outbox.page(workspaceId, { filter, before, limit: limit + 1 })
        const total = yield* outbox.count(workspaceId, filter)
        const data = rows.slice(0, limit)
        const last = rows.length > limit ? data.at(-1) : undefined
        return {
          data,
          pagination: {
            has_more: last !== undefined,
            next_cursor: last === undefined ? null : Cursor.encode(last.number),
            total
          }
        }
      })
      const get = Effect.fn("DeliveryReader.get")(function* (workspaceId: string, id: string) {
        const found = yield* outbox.get(workspaceId, id)
        if (Option.isNone(found)) return Option.none<DeliveryWithAttempts>()
        return Option.some({ delivery: found.value, attempts: yield* outbox.attempts(workspaceId, id) })
      })
      return DeliveryReader.of({ list, get })
    })
  )
}
