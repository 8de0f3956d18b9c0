/**
 * Fills the demo's workspace. The process that fills it holds a claim on it, so that no two do at once.
 * Everything is made unless it is there, and each event has its key: a start that was cut off, wherever that
 * was, is gone on with by the next one, and nothing is there twice.
 */
import { Consumers, whileHeld } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Exports } from "@cairn/core/export"
import { Randomness, uuid } from "@cairn/core/hashing"
import { Acceptance, EventLog } from "@cairn/core/log"
import {
  ApiKeyManagement,
  bodyOfChange,
  ExportManagement,
  onceKey,
  WorkspaceManagement
} from "@cairn/core/management"
import { ApiKeys, type ManagedWorkspace } from "@cairn/core/workspace"
import { Data, Effect, Option, Schedule } from "effect"
import type { DemoEvent } from "./DemoEvent.ts"
import { setUpDemo } from "./DemoSetup.ts"
import { DEMO_SEED, demoWeek } from "./DemoWeek.ts"
import { DEMO, DEMO_NAME, endOfWeek } from "./DemoWorkspace.ts"
import { asIfAt, inThePast, type PastConfig } from "./PastClock.ts"

/** The last event of a demo that is filled. */
const FILLED = "cairn.demo.filled"

/** A start later than this after the first one leaves the workspace as it is. */
const GOES_ON_WITHIN: Micros.Micros = Micros.DAY

/** How long a process that has died holds the workspace. */
const HOLD: Micros.Micros = 10 * Micros.SECOND
const RENEWED_EVERY = "3 seconds"

/** Another process fills the workspace. */
class FilledByAnother extends Data.TaggedError("FilledByAnother") {}

/** As long as another process fills it, how often it is looked whether it has, and how long. */
const WAITING = { schedule: Schedule.spaced("250 millis"), times: 120 }

/** Events that are accepted at once: one commit. */
const AT_ONCE = 100

/** Nothing of the demo is counted against a plan. */
const contextOf = ({ id: workspaceId }: ManagedWorkspace) => ({
  workspaceId,
  clientAddress: null,
  keysExpireBefore: null,
  isCounted: false
})

/** Accepts events, each at its time: all of them before anything later is in the log. */
const acceptWeek = Effect.fnUntraced(function* (
  workspace: ManagedWorkspace,
  events: ReadonlyArray<DemoEvent>
) {
  const acceptance = yield* Acceptance
  const context = contextOf(workspace)
  for (let begin = 0; begin < events.length; begin += AT_ONCE) {
    yield* Effect.forEach(
      events.slice(begin, begin + AT_ONCE),
      ({ at, body }) => asIfAt(at)(acceptance.one(context, body)),
      { concurrency: "unbounded", discard: true }
    ).pipe(
      Effect.retry({
        while: ({ _tag }) => _tag === "InboxFull",
        schedule: Schedule.spaced("100 millis"),
        times: 100
      })
    )
  }
})

/** Waits until the log has reached a time; where nobody sequences, not for long. */
const untilSequenced = Effect.fnUntraced(function* ({ id }: ManagedWorkspace, at: Micros.Micros) {
  const log = yield* EventLog
  yield* log.head(id).pipe(
    Effect.repeat({
      until: ({ createdAt }) => createdAt >= at,
      schedule: Schedule.spaced("50 millis"),
      times: 100
    })
  )
})

/** An export of the log as it is then, unless there is one. */
const exportOnce = Effect.fnUntraced(function* ({ id }: ManagedWorkspace) {
  const there = yield* (yield* Exports).page(id, { before: null, limit: 1 })
  if (there.length > 0) return
  const asked = { format: "csv", filters: { action: "invoice.*" } } as const
  yield* (yield* ExportManagement).create(DEMO, id, asked)
})

/** The key that a start prints, unless an earlier one did; it may be lost if that was cut off. */
const makeKey = Effect.fnUntraced(function* ({ id: workspaceId }: ManagedWorkspace) {
  const there = yield* (yield* ApiKeys).list(workspaceId)
  if (there.some(({ name }) => name === DEMO_NAME)) return null
  const { key } = yield* (yield* ApiKeyManagement).create(DEMO, {
    workspaceId,
    name: DEMO_NAME,
    scopes: ["ingest", "read", "export", "viewer", "admin"],
    expiresAt: null
  })
  return key
})

/** Says in the log that all is there. */
const recordFilled = Effect.fnUntraced(function* (workspace: ManagedWorkspace, events: number) {
  const change = {
    action: FILLED,
    resource: { type: "workspace", id: workspace.id, name: workspace.name },
    metadata: { events, seed: DEMO_SEED },
    idempotencyKey: onceKey(FILLED, workspace.id)
  }
  yield* (yield* Acceptance).own(contextOf(workspace), bodyOfChange(DEMO, change))
})

const isFilled = Effect.fnUntraced(function* ({ id }: ManagedWorkspace) {
  const log = yield* EventLog
  const found = yield* log.page(id, { filter: { action: FILLED }, before: null, limit: 1 })
  return found.length > 0
})

/** Makes what is missing, in this order: first what lies in the past. */
const fill = Effect.fnUntraced(function* (config: PastConfig, workspace: ManagedWorkspace) {
  const events = yield* Effect.gen(function* () {
    yield* setUpDemo(workspace)
    const week = demoWeek({ seed: DEMO_SEED, until: endOfWeek(workspace) })
    yield* acceptWeek(workspace, week)
    return week
  }).pipe(inThePast(config))
  yield* untilSequenced(workspace, events.at(-1)?.at ?? 0)
  yield* (yield* WorkspaceManagement).update(DEMO, workspace.id, { anchor_schedule: null })
  yield* exportOnce(workspace)
  const key = yield* makeKey(workspace)
  const now = yield* Micros.now
  yield* recordFilled(workspace, events.length)
  yield* untilSequenced(workspace, now)
  return key
})

/** Runs `work` while no other process does, and fails if one does. */
const alone =
  (workspace: ManagedWorkspace) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const consumers = yield* Consumers
      const key = { workspaceId: workspace.id, consumer: "demo" }
      const holder = uuid(yield* Randomness)
      const hold = Effect.gen(function* () {
        const at = yield* Micros.now
        const held = yield* consumers.hold(key, { holder, at, until: at + HOLD })
        if (Option.isNone(held)) return yield* new FilledByAnother()
      })
      yield* consumers.open(key, 0, yield* Micros.now)
      yield* hold
      const done = yield* whileHeld(work, RENEWED_EVERY, hold).pipe(
        // One that is stopped in between makes the next one wait no longer than it must.
        Effect.ensuring(Effect.ignore(consumers.release(key, holder)))
      )
      yield* consumers.remove(key)
      return done
    })

/**
 * Fills the demo's own workspace, unless it is filled, or was begun more than a day ago. Returns the secret
 * of its API key if this call made it. While another process fills it, waits until that has.
 */
export const fillDemo = Effect.fn("fillDemo")(function* (config: PastConfig, workspace: ManagedWorkspace) {
  if ((yield* Micros.now) > endOfWeek(workspace) + GOES_ON_WITHIN) return null
  if (yield* isFilled(workspace)) return null
  return yield* Effect.flatMap(isFilled(workspace), (filled) =>
    filled ? Effect.succeed(null) : fill(config, workspace)
  ).pipe(alone(workspace), Effect.retry({ while: ({ _tag }) => _tag === "FilledByAnother", ...WAITING }))
})
