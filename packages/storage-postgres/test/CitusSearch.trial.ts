/** Searching a log over several machines whose contents are large. */
import { indexedAtOnce, largeSearchContract } from "@cairn/testing"
import { citusUrl, holdCluster, unlessCitus } from "@cairn/testing/CitusCluster"
import { afterAll, beforeAll, describe } from "@effect/vitest"
import { citusStorage, dropsDatabases, framedCitusStorage } from "./CitusStorage.ts"

describe.skipIf(citusUrl === "")(
  `PostgreSQL over several machines, with large contents${unlessCitus}`,
  () => {
    let release = async () => {}
    beforeAll(async () => {
      release = await holdCluster()
    }, 600_000)
    afterAll(() => release())
    dropsDatabases()

    largeSearchContract("Citus", citusStorage)
    largeSearchContract("Citus, its search index caught up", indexedAtOnce(framedCitusStorage))
  }
)
