/**
 * Makes a database with many workspaces without a process for each: the command would take two seconds a
 * piece.
 */

import { type EventInput, MAX_BATCH } from "@cairn/core/event"
import { Acceptance, Sequencer } from "@cairn/core/log"
import { ApiKeyManagement, COMMAND_LINE, WorkspaceManagement } from "@cairn/core/management"
import type { PlanName } from "@cairn/core/workspace"
import { Effect, Layer } from "effect"
import { layerAccepting } from "../../src/layers/Accepting.ts"
import { layerLog } from "../../src/layers/Log.ts"
import type { Tenant } from "./CairnProcess.ts"

/** A workspace to make. */
export interface Seed {
  readonly name: string
  readonly plan?: PlanName
  /** Events that follow those of making the workspace and its key, accepted in batches of 100. */
  readonly events?: ReadonlyArray<EventInput>
}

const SEQUENCED_AT_ONCE = 100_000

/** Makes one workspace, see {@link seedDatabase}. */
export const seedTenant = async (database: string, seed: Seed = { name: "Test" }): Promise<Tenant> => {
  const [tenant] = await seedDatabase(database, [seed])
  if (tenant === undefined) throw new Error("no workspace was made")
  return tenant
}

/** Makes the workspaces, each with a key that has every scope, and sequences their events. */
export const seedDatabase = (
  database: string,
  seeds: ReadonlyArray<Seed>
): Promise<ReadonlyArray<Tenant>> => {
  const settings = {
    database: { kind: "sqlite", filename: database },
    inboxCapacity: 1_000_000,
    connections: 10,
    retentionDelayDays: 7,
    geoipFiles: []
  } as const
  const make = Effect.fnUntraced(function* ({ name, plan, events = [] }: Seed) {
    const { id: workspaceId } = yield* (yield* WorkspaceManagement).create(COMMAND_LINE, {
      name,
      ...(plan === undefined ? {} : { plan })
    })
    const { stored, key } = yield* (yield* ApiKeyManagement).create(COMMAND_LINE, {
      workspaceId,
      name,
      scopes: ["ingest", "read", "export", "viewer", "admin"],
      expiresAt: null
    })
    const context = { workspaceId, clientAddress: null, keysExpireBefore: null }
    const acceptance = yield* Acceptance
    for (let at = 0; at < events.length; at += MAX_BATCH) {
      yield* acceptance.batch(context, { events: events.slice(at, at + MAX_BATCH) })
      // The inbox holds a million events at most.
      if (at % SEQUENCED_AT_ONCE === 0) yield* (yield* Sequencer).drain
    }
    return { workspaceId, keyId: stored.id, key }
  })
  return Effect.forEach(seeds, make).pipe(
    Effect.tap(Effect.flatMap(Sequencer, ({ drain }) => drain)),
    Effect.provide(Layer.merge(layerAccepting(settings), layerLog(settings))),
    Effect.runPromise
  )
}
