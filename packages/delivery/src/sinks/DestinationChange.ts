/** A destination as its owner sends it back, with `***` in place of secrets that stay as they are. */
import { InvalidInput } from "@cairn/core/event"
import type { SecretBoxShape } from "@cairn/core/hashing"
import type { StoredLogStream } from "@cairn/core/outbound"
import { Result } from "effect"
import type { Destination } from "./SinkKind.ts"
import { decodeDestination, openDestination } from "./Sinks.ts"

/** How a secret is shown. */
const HIDDEN = "***"

type Config = Readonly<Record<string, unknown>>

const originOf = (url: unknown): unknown =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : (url ?? null)

/** Where a destination's secret is sent to; of AWS, the region is a part of the host's name. */
const addressOf = ({ url, endpoint, region, host, port }: Config): string =>
  JSON.stringify([originOf(url), originOf(endpoint), region ?? null, host ?? null, port ?? null])

const refuse = (member: string | undefined, reason: string) =>
  Result.fail(new InvalidInput({ path: `destination.${member ?? "type"}`, reason }))

/**
 * Reads a destination that takes the place of a stored one, or of none. A secret given as `***` keeps its
 * value only while type and address stay the same; otherwise a user who may change a stream could have its
 * secret sent to another host.
 */
export const changedDestination = (
  box: SecretBoxShape,
  stored: Pick<StoredLogStream, "id" | "destination" | "sealed"> | null,
  given: unknown
): Result.Result<Destination, InvalidInput> => {
  const decoded = decodeDestination(given, stored === null ? "new" : "change")
  if (Result.isFailure(decoded)) return decoded
  const { type, config, secrets } = decoded.success
  const hidden = secrets.filter((name) => config[name] === HIDDEN)
  const [first] = hidden
  if (first === undefined) return decoded
  if (stored === null || stored.destination.type !== type)
    return refuse(first, "must be given: no secret is stored that *** could stand for")
  const opened = openDestination(box, stored)
  if (Result.isFailure(opened)) return refuse(first, `must be given again: ${opened.failure}`)
  const before = opened.success.config
  if (addressOf(before) !== addressOf(config))
    return refuse(first, "must be given again, because the destination's address has changed")
  const missing = hidden.find((name) => typeof before[name] !== "string")
  if (missing !== undefined)
    return refuse(missing, "must be given: no secret is stored that *** could stand for")
  return decodeDestination({
    ...config,
    ...Object.fromEntries(hidden.map((name) => [name, before[name]]))
  })
}
