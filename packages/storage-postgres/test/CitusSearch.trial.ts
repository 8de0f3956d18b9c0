/** Searching a log over several machines whose contents are large. */
import { indexedAtOnce, largeSearchContract } from "@cairn/testing"
import { citusUrl, unlessCitus } from "@cairn/testing/CitusCluster"
import { describe } from "@effect/vitest"
import { citusStorage, framedCitusStorage, usesCluster } from "./CitusStorage.ts"

describe.skipIf(citusUrl === "")(
  `PostgreSQL over several machines, with large contents${unlessCitus}`,
  () => {
    usesCluster("alone")

    largeSearchContract("Citus", citusStorage)
    largeSearchContract("Citus, its search index caught up", indexedAtOnce(framedCitusStorage))
  }
)
