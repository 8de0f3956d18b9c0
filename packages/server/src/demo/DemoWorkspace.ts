/**
 * Making and finding the demo's own workspace. Its id is derived from when it was made, so that a start that
 * was cut off after its first write still knows it.
 */
import type { AnchorSchedule } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { type Manager, WorkspaceManagement } from "@cairn/core/management"
import { demoAmong, demoWorkspaceId, type ManagedWorkspace, ManagedWorkspaces } from "@cairn/core/workspace"
import { Effect, Result } from "effect"
import { WEEK } from "./DemoWeek.ts"
import { asIfAt, inThePast, type PastConfig } from "./PastClock.ts"

/** Who makes what is in it. */
export const DEMO: Manager = { id: "cairn-demo", name: "demo", type: "system", address: null }

/** The workspace's name. */
export const DEMO_NAME = "Demo"

/** From its making to the first event of the week, in which it is set up. */
export const SETTING_UP: Micros.Micros = 60 * Micros.MINUTE

/**
 * As long as it is filled, its first period goes on: to close one for an anchor moves the end of its log on,
 * and what lies before that could not be dated any more.
 */
const oneLongPeriod = (createdAt: Micros.Micros): AnchorSchedule => {
  const every_seconds = 30 * 86_400
  return { every_seconds, offset_seconds: Math.floor(createdAt / Micros.SECOND) % every_seconds }
}

/** When the week of a demo's workspace ends: it was made before the week's first event. */
export const endOfWeek = ({ created_at }: ManagedWorkspace): Micros.Micros => created_at + SETTING_UP + WEEK

/** The demo's own workspace, if there is one. */
export const findDemo = Effect.gen(function* () {
  const sha256 = yield* Sha256
  const all = yield* (yield* ManagedWorkspaces).list
  return demoAmong(sha256, all)
})

/**
 * Makes the demo's own workspace, dated before a week that ends now. If another process makes it at the same
 * time, one of them does, and both get it.
 */
export const makeDemo = Effect.fnUntraced(function* (config: PastConfig) {
  const at = (yield* Micros.now) - WEEK - SETTING_UP
  const id = demoWorkspaceId(yield* Sha256, at)
  const made = yield* Effect.flatMap(WorkspaceManagement, ({ create }) =>
    create(DEMO, { name: DEMO_NAME, id, anchor_schedule: oneLongPeriod(at) })
  ).pipe(asIfAt(at), inThePast(config), Effect.result)
  if (Result.isSuccess(made)) return made.success
  const found = yield* findDemo
  return found ?? (yield* Effect.fail(made.failure))
})
