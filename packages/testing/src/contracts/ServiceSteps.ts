/** Steps of a service that anchors: create a workspace, accept events, sequence them, run a round. */

import { Anchoring } from "@cairn/core/anchor"
import { Randomness, uuid } from "@cairn/core/hashing"
import { Acceptance, Sequencer } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Effect } from "effect"
import { testWorkspace } from "../generators/TestWorkspace.ts"

/** Creates a workspace without limits and returns its id. */
export const newWorkspace = Effect.gen(function* () {
  const id = `wsp_${uuid(yield* Randomness)}`
  const { create } = yield* ManagedWorkspaces
  yield* create(testWorkspace({ id }))
  return id
})

/** Accepts an event, which then waits. */
export const acceptEvent = Effect.fnUntraced(function* (workspaceId: string) {
  const acceptance = yield* Acceptance
  const request = { workspaceId, clientAddress: null, keysExpireBefore: null }
  yield* acceptance.one(request, { actor_id: "ada", action: "document.created" })
})

/** Sequences the waiting events. */
export const sequence = Effect.flatMap(Sequencer, ({ drain }) => drain)

/** Accepts and sequences events. */
export const addEvents = Effect.fnUntraced(function* (workspaceId: string, count = 1) {
  for (let at = 0; at < count; at++) yield* acceptEvent(workspaceId)
  yield* sequence
})

/** Runs a round of anchoring and returns its result. */
export const anchoringRound = Effect.flatMap(Anchoring, ({ round }) => round)
