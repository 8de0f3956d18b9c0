/** What the log says of a store that fails: a line when it begins, one when it is over, none between. */
import { Meters, type StorageUnavailable, storeCause, storeErrorText } from "@cairn/core/log"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SERVER_METRICS } from "../metrics/ServerFamilies.ts"

/** An incident is over when its cause was not met for so long. */
const QUIET_MILLIS = 30_000
/** How often it is looked whether one is over. */
const LOOK = "10 seconds"

interface Incident {
  readonly beganAt: number
  readonly lastAt: number
  readonly failures: number
}

/** The incidents of one thread, by their causes. */
export class StoreIncidents extends Context.Service<
  StoreIncidents,
  { readonly failed: (line: string, error: StorageUnavailable) => Effect.Effect<void> }
>()("@cairn/server/StoreIncidents") {
  /** Keeps at most one incident for each cause that has a name. */
  static readonly layer = Layer.effect(
    StoreIncidents,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const clock = yield* Clock.Clock
      const meters = yield* Meters
      const open = new Map<string, Incident>()
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

      const end = (name: string, says: string, { beganAt, lastAt, failures }: Incident) =>
        Effect.suspend(() => {
          open.delete(name)
          return Effect.logInfo(`The store has not failed for ${QUIET_MILLIS / 1_000} seconds: ${says}`).pipe(
            Effect.annotateLogs({ failures, seconds: Math.ceil((lastAt - beganAt) / 1_000) })
          )
        })

      const watch = (name: string, says: string): Effect.Effect<void> =>
        Effect.flatMap(Effect.sleep(LOOK), () => {
          const incident = open.get(name)
          if (incident === undefined) return Effect.void
          return now() - incident.lastAt < QUIET_MILLIS ? watch(name, says) : end(name, says, incident)
        })

      const failed = (line: string, error: StorageUnavailable) =>
        Effect.suspend(() => {
          const { name, says } = storeCause(error.cause)
          meters.counter(SERVER_METRICS.storeFailures, { cause: name }).value += 1
          const known = open.get(name)
          const at = now()
          open.set(name, {
            beganAt: known?.beganAt ?? at,
            lastAt: at,
            failures: (known?.failures ?? 0) + 1
          })
          if (known !== undefined) return Effect.void
          return Effect.andThen(told(line, error), Effect.asVoid(Effect.forkIn(watch(name, says), scope)))
        })
      return StoreIncidents.of({ failed })
    })
  )
}

const told = (line: string, error: StorageUnavailable) =>
  Effect.logError(`${line}: ${storeCause(error.cause).says}`).pipe(
    Effect.annotateLogs({ operation: error.operation, cause: storeErrorText(error.cause) })
  )

/** Says in the log that the store failed, once an incident. Without {@link StoreIncidents}, each time. */
export const storeFailed = (line: string, error: StorageUnavailable): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(StoreIncidents),
    Option.match({ onNone: () => told(line, error), onSome: ({ failed }) => failed(line, error) })
  )
