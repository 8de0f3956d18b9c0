/** Reading alerts: lists with an exact total, as `GET /alerts` returns them. */
import { Context, Effect, Layer, Schema } from "effect"
import type { ListedAlert } from "../consumer/Alert.ts"
import * as Micros from "../encoding/Micros.ts"
import * as Cursor from "../log/Cursor.ts"
import type { Page } from "../log/Page.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { AlertFilter, Alerts } from "./Alerts.ts"

/** A page to read, newest first. */
export const AlertListRequest = Schema.Struct({
  workspaceId: Schema.String,
  filter: AlertFilter,
  /** Only alerts triggered before this time: a decoded cursor. */
  before: Schema.NullOr(Schema.Number),
  /** 1 to 100. */
  limit: Schema.Number
})
export type AlertListRequest = typeof AlertListRequest.Type

/** The use case *read alerts*. */
export class AlertReader extends Context.Service<
  AlertReader,
  { readonly list: (request: AlertListRequest) => Effect.Effect<Page<ListedAlert>, StorageUnavailable> }
>()("@cairn/core/AlertReader") {
  static readonly layer = Layer.effect(
    AlertReader,
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const list = Effect.fn("AlertReader.list")(function* (request: AlertListRequest) {
        const { workspaceId, filter, before, limit } = request
        const rows = yield* alerts.page(workspaceId, { filter, before, limit: limit + 1 })
        const total = yield* alerts.count(workspaceId, filter)
        const data = rows.slice(0, limit)
        const last = rows.length > limit ? Micros.parse(data.at(-1)?.triggered_at ?? "") : undefined
        return {
          data,
          pagination: {
            has_more: last !== undefined,
            next_cursor: last === undefined ? null : Cursor.encode(last),
            total
          }
        }
      })
      return AlertReader.of({ list })
    })
  )
}
