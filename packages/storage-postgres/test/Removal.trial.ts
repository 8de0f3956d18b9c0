/** What is asked of a long log of events that wait for the search index; `Removal.test.ts` has a short one. */
import { unindexedContract } from "@cairn/testing"
import { Effect } from "effect"
import { removableOn } from "./RemovalOn.ts"
import { copiedDatabase } from "./support.ts"

unindexedContract("PostgreSQL", removableOn(Effect.promise(copiedDatabase)))
