/** Port: the kinds of destinations that log streams send to. */
import { Context, type Result } from "effect"
import type { InvalidInput } from "../event/InvalidInput.ts"
import type { StoredLogStream } from "./LogStreams.ts"

/** A destination as a stream's row stores it: the visible part, and the rest sealed. */
export type StoredDestination = Pick<StoredLogStream, "destination" | "sealed">

/**
 * Contract: `read` takes a destination as its owner sends it, checks it, and seals its secrets for the stream
 * `id`. If it replaces a stored destination, a secret given as `***` is kept, provided that type and address
 * are the same.
 */
export class Destinations extends Context.Service<
  Destinations,
  {
    readonly read: (
      id: string,
      stored: StoredLogStream | null,
      given: Readonly<Record<string, unknown>>
    ) => Result.Result<StoredDestination, InvalidInput>
  }
>()("@cairn/core/Destinations") {}
