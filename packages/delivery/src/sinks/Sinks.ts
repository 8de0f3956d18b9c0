/** The destinations of log streams. Another one is a file in `sinks` and a line here. */
import { InvalidInput } from "@cairn/core/event"
import type { SecretBoxShape } from "@cairn/core/hashing"
import type { StoredLogStream } from "@cairn/core/outbound"
import { Result, Schema } from "effect"
import { file } from "./File.ts"
import { https } from "./Https.ts"
import { s3 } from "./S3.ts"
import type { ConfigPlace, Destination, SinkKind } from "./SinkKind.ts"
import { splunkHec } from "./SplunkHec.ts"
import { syslog } from "./Syslog.ts"

/** All kinds. */
export const SINKS: ReadonlyArray<SinkKind> = [https, syslog, s3, splunkHec, file]

/** Reads a destination from a row, unless it stands in a body, by its `type`. */
export const decodeDestination = (
  config: unknown,
  place: ConfigPlace = "row"
): Result.Result<Destination, InvalidInput> => {
  const type = typeof config === "object" && config !== null && "type" in config ? config.type : undefined
  const kind = SINKS.find((one) => one.type === type)
  return kind === undefined
    ? Result.fail(
        new InvalidInput({
          path: "destination.type",
          reason: `must be one of ${SINKS.map(({ type }) => type).join(", ")}`
        })
      )
    : kind.decode(config, place)
}

/** A destination as it may be shown: every secret is `***`. */
export const redactDestination = ({ config, secrets }: Destination): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      value !== null && secrets.includes(name) ? "***" : value
    ])
  )

/**
 * A destination as it is stored: what may be shown, and JSON of the rest, sealed for `owner`, the stream;
 * null when nothing is secret.
 */
export const sealDestination = (
  box: SecretBoxShape,
  owner: string,
  destination: Destination
): { readonly destination: Readonly<Record<string, unknown>>; readonly sealed: string | null } => {
  const { config, secrets } = destination
  const secret = Object.entries(config).filter(([name, value]) => value !== null && secrets.includes(name))
  return {
    destination: redactDestination(destination),
    sealed: secret.length === 0 ? null : box.seal(JSON.stringify(Object.fromEntries(secret)), owner)
  }
}

const decodeSecrets = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)

/** A stored destination, opened; or why it cannot be opened, as one sentence without secrets. */
export const openDestination = (
  box: SecretBoxShape,
  { id, destination, sealed }: Pick<StoredLogStream, "id" | "destination" | "sealed">
): Result.Result<Destination, string> => {
  const secrets = sealed === null ? Result.succeed("{}") : box.open(sealed, id)
  if (Result.isFailure(secrets)) return Result.fail(secrets.failure.message)
  const members = decodeSecrets(secrets.success)
  if (Result.isFailure(members)) return Result.fail("the stored secrets are not those of a destination")
  return Result.mapError(decodeDestination({ ...destination, ...members.success }), ({ message }) => message)
}
