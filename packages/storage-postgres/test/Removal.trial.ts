/** What is asked of many events that wait for the search index; `Removal.test.ts` has fewer. */
import { unindexedContract } from "@cairn/testing"
import { Effect } from "effect"
import { removableOn } from "./RemovalOn.ts"
import { copiedDatabase } from "./support.ts"

unindexedContract("PostgreSQL", removableOn(Effect.promise(copiedDatabase)))
