/** Steps that tests of an inbox share. */
import { Inbox } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { accept } from "./StorageSteps.ts"

/** How many events wait. */
export const depth = Effect.flatMap(Inbox, (inbox) => inbox.depth)

/** An event that waits. */
export const find = (workspaceId: string, eventId: string) =>
  Effect.flatMap(Inbox, (inbox) => inbox.find(workspaceId, eventId))

/** The only outcome of a request with one event. */
export const acceptOne = (...args: Parameters<typeof accept>) =>
  Effect.map(accept(...args), (outcomes) => {
    assert.lengthOf(outcomes, 1)
    return outcomes[0] as (typeof outcomes)[number]
  })
