/** Port: the clock of the store, if that is another machine's. */
import { Context, type Effect } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Contract: the time by which the store dates events. Each call asks the store again. */
export class StoreClock extends Context.Service<
  StoreClock,
  { readonly now: Effect.Effect<Micros, StorageUnavailable> }
>()("@cairn/core/StoreClock") {}
