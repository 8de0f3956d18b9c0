/** Port: the kinds of destinations that log streams send to. */
import { Context, type Result } from "effect"
import type { InvalidInput } from "../event/EventInput.ts"
import type { StoredLogStream } from "./LogStreams.ts"

/** A destination as a row of a stream has it: what may be shown, and the rest sealed. */
export type StoredDestination = Pick<StoredLogStream, "destination" | "sealed">

/**
 * Contract: `read` takes a destination as its owner sends it, checks it, and seals its secrets for the stream
 * `id`. Where it takes the place of a stored one, a secret that is `***` stays what it was, as long as the
 * type and the address do.
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
