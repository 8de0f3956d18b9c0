/** Every management change is itself an event in the workspace's log. */

import { Context, Effect, Layer, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { costsQuota } from "../event/AccessAction.ts"
import { Acceptance } from "../log/Acceptance.ts"
import type { Scope } from "../workspace/ApiKey.ts"

/** Who makes a change. */
export interface Manager {
  readonly id: string
  readonly name: string | null
  /** `api_key`, `member`, or `system` for the command, the identity provider and set-up links. */
  readonly type: string
  readonly address: string | null
  /** The scopes that it may give to a key; every one unless set. */
  readonly mayGive?: ReadonlyArray<Scope>
  /** When its own access ends; what it makes that gives access ends by then. Never unless set. */
  readonly until?: Micros
  /** Whether it makes an owner of a workspace that has as many members as it may, which nobody can enter. */
  readonly mayExceed?: boolean
  /** Whether owners are not its to make, change and remove. */
  readonly isBelowOwners?: boolean
}

/** The `cairn` command, run by somebody who can open the database. */
export const COMMAND_LINE: Manager = {
  id: "cairn-cli",
  name: "cairn command",
  type: "system",
  address: null,
  mayExceed: true
}

/** The identity provider, whose word decides on members whom people do not manage. */
export const IDENTITY_PROVIDER: Manager = {
  id: "cairn-oidc",
  name: "identity provider",
  type: "system",
  address: null
}

/** A set-up link: a person who can read the file that the service has written it to. */
export const SETUP_LINK: Manager = {
  id: "cairn-setup",
  name: "set-up link",
  type: "system",
  address: null
}

/** Somebody may not make a change that others may. */
export class NotAllowed extends Schema.TaggedError<NotAllowed>()("NotAllowed", {
  /** Why, and who may. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** A change, without any secret. */
export interface ManagementChange {
  readonly workspaceId: string
  readonly action: string
  readonly resource: { readonly type: string; readonly id: string; readonly name: string | null }
  readonly metadata: Record<string, unknown>
  /** Of changes with the same key in a workspace, only one is written. */
  readonly idempotencyKey?: string
}

/**
 * The idempotency key of a change that happens once to a resource, whichever process records it. With `by`,
 * it happens once per person: an attempt that a crash stopped does not hide the attempt of another person.
 */
export const onceKey = (action: string, id: string, by?: Manager): string =>
  by === undefined ? `${action} ${id}` : `${action} ${id} ${by.id}`

/** The body of a change's event. */
export const bodyOfChange = (
  by: Manager,
  { action, resource, metadata, idempotencyKey }: Omit<ManagementChange, "workspaceId">
) => ({
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
})

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
        record: (by, { workspaceId, ...change }) =>
          acceptance.own(
            {
              workspaceId,
              clientAddress: by.address,
              keysExpireBefore: null,
              isCounted: costsQuota(change.action)
            },
            bodyOfChange(by, change)
          )
      })
    )
  )
}
