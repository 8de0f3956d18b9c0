/** The contracts of the storage over several machines. */

import { ManagedWorkspaces } from "@cairn/core/workspace"
import { schemaStanding } from "@cairn/storage-postgres"
import {
  alertConsumerContract,
  alertsContract,
  anchorsContract,
  apiKeysContract,
  checkpointsContract,
  consumersContract,
  eventLogContract,
  exportsContract,
  inboxContract,
  indexedAtOnce,
  indexedSearchContract,
  outboxContract,
  peopleContract,
  peopleProcessesContract,
  quotaContract,
  searchIndexerContract,
  testWorkspace,
  treeStoreContract,
  verificationContract,
  workspaceCollectionsContract,
  workspacesContract
} from "@cairn/testing"
import { citusUrl, unlessCitus } from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { workers } from "./CitusMachines.ts"
import {
  citusStorage,
  clientOf,
  emptyCitus,
  framedCitusStorage,
  newCitus,
  twoCitusStorages,
  usesCluster
} from "./CitusStorage.ts"
import { removalOn } from "./RemovalOn.ts"
import { accept, cairnOn } from "./support.ts"

const NAME = "Citus"
const storage = citusStorage
const any = () => citusStorage({})

describe.skipIf(citusUrl === "")(`PostgreSQL over several machines${unlessCitus}`, () => {
  usesCluster("together")
  inboxContract(NAME, storage)
  quotaContract(NAME, storage)
  eventLogContract(NAME, storage)
  indexedSearchContract(`${NAME}, its search index caught up`, indexedAtOnce(framedCitusStorage))
  searchIndexerContract(NAME, storage)
  workspacesContract(NAME, storage)
  apiKeysContract(NAME, storage)
  treeStoreContract(NAME, storage)
  verificationContract(NAME, storage)
  checkpointsContract(NAME, storage)
  anchorsContract(NAME, storage)
  consumersContract(NAME, any)
  alertsContract(NAME, any)
  outboxContract(NAME, any)
  workspaceCollectionsContract(NAME, any)
  peopleContract(NAME, any)
  peopleProcessesContract(NAME, twoCitusStorages)
  alertConsumerContract(NAME, any)
  exportsContract(NAME, any)
  removalOn(NAME, newCitus)

  it.live("has all of what the migrations made that spread tables can have", () =>
    Effect.gen(function* () {
      const url = yield* emptyCitus
      const standing = yield* Effect.flatMap(PgClient.PgClient, schemaStanding).pipe(
        Effect.provide(clientOf(url))
      )
      assert.deepStrictEqual(standing, { missing: [], idle: [], altered: [], unusable: [] })
    }).pipe(Effect.scoped)
  )

  it.live("a commit that counts waits for none to another machine", () =>
    Effect.gen(function* () {
      const url = yield* emptyCitus
      yield* Effect.gen(function* () {
        const { create } = yield* ManagedWorkspaces
        for (let number = 1; number <= 8; number++) yield* create(testWorkspace({ id: `wsp_${number}` }))
        const [one] = yield* workers
        const sql = yield* PgClient.PgClient
        // As held by a commit that another machine does not confirm.
        yield* sql`
          SELECT pg_advisory_lock(${0x696e626f78}::bigint + groupid)::text
          FROM pg_dist_node WHERE nodeport <> ${one?.port ?? 0}`
        const body = { actor_id: "ada", action: "document.created" }
        const [outcome] = yield* Effect.timeout(accept(`wsp_${one?.workspaces[0]}`, [body]), "5 seconds")
        assert.deepInclude(outcome, { duplicate: false })
      }).pipe(Effect.provide(cairnOn(url)), Effect.provide(clientOf(url)))
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  )
})
