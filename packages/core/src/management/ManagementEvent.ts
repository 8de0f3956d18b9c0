/** Every management change is itself an event in the workspace's log. */

import { Context, Effect, Layer } from "effect"
import { Acceptance } from "../log/Acceptance.ts"

/** Who makes a change. */
export interface Manager {
  readonly id: string
  readonly name: string | null
  /** `api_key`, or `system` for the command line. */
  readonly type: string
  readonly address: string | null
}

/** The `cairn` command, run by somebody who can open the database. */
export const COMMAND_LINE: Manager = { id: "cairn-cli", name: "cairn command", type: "system", address: null }

/** A change, without any secret. */
export interface ManagementChange {
  readonly workspaceId: string
  readonly action: string
  readonly resource: { readonly type: string; readonly id: string; readonly name: string | null }
  readonly metadata: Record<string, unknown>
  /** Of changes with the same key in a workspace, only one is written. */
  readonly idempotencyKey?: string
}

/** The key of a change that happens once to what it is about, whichever process makes it. */
export const onceKey = (action: string, id: string): string => `${action} ${id}`

/** Writes changes to the log. */
export class ManagementEvents extends Context.Service<
  ManagementEvents,
  {
    /** Accepts the event of a change. It is sequenced like any other event. */
    readonly record: (by: Manager, change: ManagementChange) => ReturnType<Acceptance["Service"]["own"]>
  }
>()("@cairn/core/ManagementEvents") {
  static readonly layer = Layer.effect(
    ManagementEvents,
    Effect.map(Acceptance, (acceptance) =>
      ManagementEvents.of({
        record: (by, { workspaceId, action, resource, metadata, idempotencyKey }) =>
          acceptance.own(
            { workspaceId, clientAddress: by.address, keysExpireBefore: null },
            {
              actor_id: by.id,
              actor_name: by.name,
              actor_type: by.type,
              action,
              action_category: "cairn",
              resource: resource.type,
              resource_id: resource.id,
              resource_name: resource.name,
              metadata,
              idempotency_key: idempotencyKey ?? null
            }
          )
      })
    )
  )
}
