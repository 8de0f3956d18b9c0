/** What keeps a server from listening, in one line that names what to change. */
import { Schema } from "effect"

/** The server cannot listen where its settings say. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String,
  /** The settings that say where; those of the service's own port unless given. */
  variables: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const host = this.host.includes(":") ? `[${this.host}]` : this.host
    return `cannot listen on ${host}:${this.port}: ${this.reason}. ${this.variables ?? "CAIRN_HOST and CAIRN_PORT"} say where`
  }
}

/** What the system's codes mean here. */
const MEANINGS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "this user may not use that port",
  EADDRNOTAVAIL: "this machine does not have that address"
}

/** Why a server cannot listen: the meaning of the system's code, if it has one, and the code. */
export const listenReason = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined
  if (code === undefined) return cause instanceof Error ? cause.message : String(cause)
  const meaning = MEANINGS[code]
  return meaning === undefined ? code : `${meaning} (${code})`
}
