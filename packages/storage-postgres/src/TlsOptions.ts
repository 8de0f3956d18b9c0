/** TLS to PostgreSQL, with libpq's parameters in the URL. */
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

/** The parameters of a URL that name a file. */
const FILES = ["sslrootcert", "sslcert", "sslkey"] as const

/**
 * The certificates that a URL names: `sslrootcert` for the authorities to trust, `sslcert` and `sslkey` for
 * the client. Undefined if it names none; the client reads `sslmode` by itself. As in libpq, `verify-ca`
 * accepts a certificate for any host, and so does `require` with a `sslrootcert`. Without one, `require` uses
 * the system's authorities, which is stricter than libpq. Also stricter: a URL that names a certificate and
 * no `sslmode` means `verify-full`, because its author relies on it.
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
