/** TLS towards PostgreSQL, as a URL asks for it in libpq's words. */
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"
import { Schema } from "effect"

/** A certificate or key that the URL names cannot be read. */
export class UnreadableCertificate extends Schema.TaggedError<UnreadableCertificate>()(
  "UnreadableCertificate",
  {
    /** `sslrootcert`, `sslcert` or `sslkey`. */
    parameter: Schema.String,
    path: Schema.String,
    cause: Schema.Defect()
  }
) {
  override get message(): string {
    return `${this.parameter} of the database's URL cannot be read: ${this.path}`
  }
}

/** What of a URL names a file. */
const FILES = ["sslrootcert", "sslcert", "sslkey"] as const

/**
 * The certificates that a URL names: `sslrootcert` whom to believe, `sslcert` and `sslkey` who this is.
 * Undefined when it names none; the client reads `sslmode` by itself. As in libpq, `verify-ca` believes a
 * certificate whatever host it is for, and so does `require` with a `sslrootcert`; without one `require` asks
 * the system's authorities, which is stricter than libpq. Stricter too: a URL that names a certificate and no
 * `sslmode` means `verify-full`, for whoever wrote it counts on it.
 *
 * @throws {UnreadableCertificate}
 */
export const tlsOptions = (url: string): ConnectionOptions | undefined => {
  const { searchParams } = new URL(url)
  const read = (parameter: (typeof FILES)[number]): Buffer | undefined => {
    const path = searchParams.get(parameter)
    if (path === null) return undefined
    try {
      return readFileSync(path)
    } catch (cause) {
      throw new UnreadableCertificate({ parameter, path, cause })
    }
  }
  const namesFile = FILES.some((parameter) => searchParams.has(parameter))
  const mode = searchParams.get("sslmode") ?? (namesFile ? "verify-full" : "disable")
  if (mode === "disable") return undefined
  const ca = read("sslrootcert")
  const cert = read("sslcert")
  const key = read("sslkey")
  const anyHost = mode === "verify-ca" || (mode !== "verify-full" && ca !== undefined)
  if (ca === undefined && cert === undefined && key === undefined && !anyHost) return undefined
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(anyHost ? { checkServerIdentity: () => undefined } : {})
  }
}
