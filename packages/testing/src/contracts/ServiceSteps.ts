/**
 * What happens to a service that anchors: a workspace is made, events come in, they get their places, a round
 * goes by.
 */

import { Anchoring } from "@cairn/core/anchor"
import { Randomness, uuid } from "@cairn/core/hashing"
import { Acceptance, Sequencer } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Effect } from "effect"
import { testWorkspace } from "../generators/TestWorkspace.ts"

/** A new workspace without limits; answers its id. */
export const newWorkspace = Effect.gen(function* () {
  const id = `wsp_${uuid(yield* Randomness)}`
  const { create } = yield* ManagedWorkspaces
  yield* create(testWorkspace({ id }))
  return id
})

/** An event comes in, and waits. */
export const acceptEvent = Effect.fnUntraced(function* (workspaceId: string) {
  const acceptance = yield* Acceptance
  const request = { workspaceId, clientAddress: null, keysExpireBefore: null }
  yield* acceptance.one(request, { actor_id: "ada", action: "document.created" })
})

/** What waits gets its place in the log. */
export const sequence = Effect.flatMap(Sequencer, ({ drain }) => drain)

/** Events come in and get their places. */
export const addEvents = Effect.fnUntraced(function* (workspaceId: string, count = 1) {
  for (let at = 0; at < count; at++) yield* acceptEvent(workspaceId)
  yield* sequence
})

/** A round of anchoring; answers what it did. */
export const anchoringRound = Effect.flatMap(Anchoring, ({ round }) => round)
