/** What tests of access events share: a store that takes events or does not, and reads. */
import { assert } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { type Access, AccessEvents, type Reader } from "../../src/access/AccessEvents.ts"
import { OwedEvents } from "../../src/access/OwedEvents.ts"
import * as Micros from "../../src/encoding/Micros.ts"
import { InvalidInput } from "../../src/event/InvalidInput.ts"
import { Randomness } from "../../src/hashing/Randomness.ts"
import { Sha256 } from "../../src/hashing/Sha256.ts"
import { Acceptance } from "../../src/log/Acceptance.ts"
import { ClockGuard } from "../../src/log/ClockGuard.ts"
import { StorageUnavailable } from "../../src/log/StorageUnavailable.ts"

interface Written {
  readonly workspaceId: string
  readonly action: string
  readonly actor_id: string
  readonly actor_name: string | null
  readonly metadata: Record<string, unknown>
  readonly idempotency_key: string
  readonly occurred_at?: string
}

/** How a store takes events: at once, not at all, or not yet. */
export type Mode = "writes" | "refuses" | "hangs"

/** A store that keeps what it is given, and what it is told to do. */
export const makeStore = () => ({
  mode: "writes" as Mode,
  written: [] as Array<Written>,
  keys: new Set<string>(),
  attempts: 0,
  /** Workspaces that take nothing. */
  broken: new Set<string>(),
  /** Actors whose events are not valid. */
  invalid: new Set<string>(),
  goOn: Deferred.makeUnsafe<void>()
})
/** What a test reads of it. */
export type Store = ReturnType<typeof makeStore>

const unused = () => Effect.die(new Error("nobody asks for it"))

const acceptance = (store: Store) =>
  Layer.succeed(Acceptance, {
    one: unused,
    own: unused,
    batch: unused,
    ownBatch: ({ workspaceId, isCounted }, bodies) =>
      Effect.gen(function* () {
        assert.isFalse(isCounted)
        assert.isAtMost(bodies.length, 100)
        store.attempts++
        yield* Effect.yieldNow
        if (store.mode === "hangs") yield* Deferred.await(store.goOn)
        if (store.mode === "refuses" || store.broken.has(workspaceId))
          return yield* new StorageUnavailable({ operation: "accept events", cause: "full" })
        const given = bodies as ReadonlyArray<Omit<Written, "workspaceId">>
        if (given.some(({ actor_id }) => store.invalid.has(actor_id)))
          return yield* new InvalidInput({ path: "actor_id", reason: "is not valid" })
        return given.map((body) => {
          const duplicate = store.keys.has(body.idempotency_key)
          store.keys.add(body.idempotency_key)
          if (!duplicate) store.written.push({ workspaceId, ...body })
          return { id: body.idempotency_key, duplicate }
        })
      })
  })

/** 2026-05-01T12:00:00Z. */
export const NOON = Micros.parse("2026-05-01T12:00:00Z") ?? 0

const lineOf = ({ message, fiber }: Logger.Options<unknown>): string => {
  const annotations = Context.get(fiber.context, References.CurrentLogAnnotations)
  return Object.keys(annotations).length === 0
    ? String(message)
    : `${String(message)} ${JSON.stringify(annotations)}`
}

/** Access events over such a store. */
export const layers = (store: Store, lines: Array<string> = []) =>
  AccessEvents.layer.pipe(
    Layer.provideMerge(OwedEvents.layer),
    Layer.provide(acceptance(store)),
    Layer.provide([Sha256.layer, Randomness.layer]),
    Layer.provideMerge(ClockGuard.layer),
    Layer.provideMerge(Logger.layer([Logger.make((line) => void lines.push(lineOf(line)))]))
  )

/** Somebody who reads. */
export const ADA: Reader = { is: "member mem_1", id: "mem_1", name: "Ada", type: "member" }

/** A read at five past noon. */
export const access = (other: Partial<Access> = {}): Access => ({
  workspaceId: "wsp_1",
  kind: "events",
  reader: ADA,
  address: "192.0.2.1",
  at: NOON + 5 * Micros.MINUTE,
  exportId: null,
  ...other
})

/** Notes such a read. */
export const note = (other: Partial<Access> = {}) =>
  Effect.flatMap(AccessEvents, (use) => use.note(access(other)))

/** What was written, in order. */
export const actions = ({ written }: Store) =>
  written.map(({ action, metadata }) =>
    metadata.further_reads === undefined ? action : `${action} ${metadata.further_reads}`
  )

/** Runs at five past noon, and leaves a second scope that is closed by hand: a process that ends. */
export const atNoon = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime((NOON + 5 * Micros.MINUTE) / 1000), test)

/** Waits until this many events are written, which takes as long as the machine needs. */
export const untilWritten = ({ written }: Store, events: number) =>
  Effect.repeat(TestClock.adjust("1 minute"), { until: () => written.length >= events, times: 1_000 })
