/** Asking for exports. */
import { Context, Effect, Layer } from "effect"
import { Exporting } from "../export/Exporting.ts"
import type { ExportFilters, ExportFormat } from "../outbound/Export.ts"
import { ManagementEvents, type Manager } from "./ManagementEvent.ts"
import { recordRefusal } from "./RecordedCreation.ts"

/**
 * What of the filters may stay in the log for ever: erasing a person forgets the filters of exports, so those
 * that may name one are recorded by their names alone.
 */
const toldOf = ({ from, to, time, action, resource, ...others }: Conditions) => ({
  filters: Object.fromEntries(
    Object.entries({ from, to, time, action, resource }).filter(([, value]) => value !== undefined)
  ),
  narrowed_by: Object.keys(others)
})

/** Conditions, by the names that they have in the interface. */
type Conditions = { readonly [K in keyof ExportFilters]: unknown } & Readonly<Record<string, unknown>>

/** An export that is to be sent as it is made. */
export interface Sending {
  readonly format: ExportFormat
  readonly conditions: Conditions
  /** What else is known of who asks. */
  readonly metadata: Readonly<Record<string, string>>
}

const make = Effect.gen(function* () {
  const exporting = yield* Exporting
  const events = yield* ManagementEvents

  /** Records who exports what, and queues it. A request that the limits refuse is not recorded. */
  const create = Effect.fn("ExportManagement.create")(function* (
    by: Manager,
    workspaceId: string,
    asked: { readonly format: ExportFormat; readonly filters: ExportFilters }
  ) {
    yield* exporting.mayRequest(workspaceId)
    const id = yield* exporting.newId
    const change = {
      workspaceId,
      action: "cairn.export.created",
      resource: { type: "export", id, name: null },
      metadata: { format: asked.format, ...toldOf(asked.filters) }
    }
    yield* events.record(by, change)
    return yield* exporting.request(workspaceId, { ...asked, id }).pipe(recordRefusal({ events }, by, change))
  })

  /**
   * Records who is sent what, and counts it for the month; returns its id and when it begins. A request that
   * the quota refuses is not recorded.
   */
  const send = Effect.fn("ExportManagement.send")(function* (
    by: Manager,
    workspaceId: string,
    { format, conditions, metadata }: Sending
  ) {
    yield* exporting.maySend(workspaceId)
    const id = yield* exporting.newId
    const change = {
      workspaceId,
      action: "cairn.export.created",
      resource: { type: "export", id, name: null },
      metadata: { ...metadata, format, streamed: true, ...toldOf(conditions) }
    }
    yield* events.record(by, change)
    const createdAt = yield* exporting
      .count(workspaceId, { id, format })
      .pipe(recordRefusal({ events }, by, change))
    return { id, createdAt }
  })
  return { create, send }
})

/** The use case of asking for an export, recorded in the workspace's log. */
export class ExportManagement extends Context.Service<ExportManagement, Effect.Success<typeof make>>()(
  "@cairn/core/ExportManagement"
) {
  static readonly layer = Layer.effect(ExportManagement, make)
}
