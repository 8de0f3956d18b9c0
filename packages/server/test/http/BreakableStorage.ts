/** A storage that can be made to fail, as a full disk or a lost database does. */

import { EventLog, Inbox, StorageUnavailable } from "@cairn/core/log"
import { Sessions } from "@cairn/core/people"
import { ApiKeys, ManagedWorkspaces } from "@cairn/core/workspace"
import { Context, Effect, Layer } from "effect"

/** The switch. */
export class StorageSwitch extends Context.Service<StorageSwitch, { broken: boolean }>()(
  "@cairn/server/test/StorageSwitch"
) {}

/** What an error must never reveal to a client. */
export const STORAGE_SECRET = "/var/lib/secret-place"

const failure = Effect.fail(
  new StorageUnavailable({ operation: "commit", cause: new Error(`disk full: ${STORAGE_SECRET}`) })
)

/** The same service, each of whose calls fails while the switch says so. */
const breakable = <S extends object>(service: S, state: { readonly broken: boolean }): S =>
  new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (Effect.isEffect(member)) return Effect.suspend(() => (state.broken ? failure : member))
      if (typeof member !== "function") return member
      return (...given: ReadonlyArray<unknown>) =>
        Effect.suspend(() => (state.broken ? failure : Reflect.apply(member, target, given)))
    }
  })

/** Puts the switch between the server and its storage; it is whole at first. */
export const breakableStorage = Layer.effectContext(
  Effect.gen(function* () {
    const state = { broken: false }
    return Context.make(StorageSwitch, state).pipe(
      Context.add(Inbox, breakable(yield* Inbox, state)),
      Context.add(EventLog, breakable(yield* EventLog, state)),
      Context.add(ManagedWorkspaces, breakable(yield* ManagedWorkspaces, state)),
      Context.add(ApiKeys, breakable(yield* ApiKeys, state)),
      Context.add(Sessions, breakable(yield* Sessions, state))
    )
  })
)

/** Breaks the storage, or mends it. */
export const setBroken = (broken: boolean) =>
  Effect.map(StorageSwitch, (state) => {
    state.broken = broken
  })
