/** The destinations of log streams. Another one is a file in `sinks` and a line here. */
import { InvalidInput } from "@cairn/core"
import { Result } from "effect"
import { file } from "./sinks/File.ts"
import { https } from "./sinks/Https.ts"
import { s3 } from "./sinks/S3.ts"
import type { Destination, SinkKind } from "./sinks/Sink.ts"
import { splunkHec } from "./sinks/SplunkHec.ts"
import { syslog } from "./sinks/Syslog.ts"

/** All kinds. */
export const SINKS: ReadonlyArray<SinkKind> = [https, syslog, s3, splunkHec, file]

/** Reads a destination from a body or a row, by its `type`. */
export const decodeDestination = (config: unknown): Result.Result<Destination, InvalidInput> => {
  const type = typeof config === "object" && config !== null && "type" in config ? config.type : undefined
  const kind = SINKS.find((one) => one.type === type)
  return kind === undefined
    ? Result.fail(
        new InvalidInput({
          path: "destination.type",
          reason: `must be one of ${SINKS.map(({ type }) => type).join(", ")}`
        })
      )
    : kind.decode(config)
}

/** A destination as it may be shown: every secret that it has is `***`. */
export const redactDestination = ({ config, secrets }: Destination): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      value !== null && secrets.includes(name) ? "***" : value
    ])
  )
