/** Port: the clock of the store, where that is another machine's. */
import { Context, type Effect } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Contract: the time that the store dates events by, asked of it anew each time. */
export class StoreClock extends Context.Service<
  StoreClock,
  { readonly now: Effect.Effect<Micros, StorageUnavailable> }
>()("@cairn/core/StoreClock") {}
