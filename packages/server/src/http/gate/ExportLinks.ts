/** The signed links of exports: what they are signed with, where they lead, and whether one is valid. */
import { hkdfSync } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { checkLink, type LinkPurpose, LinkRefused, signLink } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { Context, Effect, Layer, Result } from "effect"

/** For how many seconds the address of a file is valid: clients follow a redirect at once. */
export const FILE_SECONDS = 300

/** The keys that sign links, one for each secret key (RFC 5869), in the same order. */
export const linkKeysOf = (secretKeys: ReadonlyArray<string>): ReadonlyArray<Uint8Array> =>
  secretKeys.map(
    (key) => new Uint8Array(hkdfSync("sha256", Buffer.from(key, "base64"), "", "cairn.link.v1", 32))
  )

/** What is needed to make links. */
export interface LinkConfig {
  /** Where clients reach the server, without a slash at the end. */
  readonly baseUrl: string
  /** Newest first, each the base64 of 32 bytes. Links that older keys signed are still valid. */
  readonly secretKeys: ReadonlyArray<string>
}

/** The parameters of a link. */
export interface GivenLink {
  readonly expires: string
  readonly signature: string
}

/** What the signature of a file's address is over. An id has no space. */
const fileSubject = (id: string, reader: string): string => (reader === "" ? id : `${id} ${reader}`)

/** The links. */
export class ExportLinks extends Context.Service<
  ExportLinks,
  {
    /**
     * Where the service itself gives an export's file, for {@link FILE_SECONDS}. The address names who reads,
     * as `Reader.is` does; null for those whose reads are not recorded.
     */
    readonly fileAddress: (exportId: string, reader: string | null) => Effect.Effect<string>
    /** Whether such an address is valid, for the reader that it names; empty for none. */
    readonly checkFile: (
      exportId: string,
      reader: string,
      given: GivenLink
    ) => Effect.Effect<void, LinkRefused>
    /** Whether the link to an export's download is valid. */
    readonly check: (exportId: string, given: GivenLink) => Effect.Effect<void, LinkRefused>
  }
>()("@cairn/server/ExportLinks") {
  static readonly layer = ({ baseUrl, secretKeys }: LinkConfig) =>
    Layer.effect(
      ExportLinks,
      Effect.gen(function* () {
        const sha256 = yield* Sha256
        const keys = linkKeysOf(secretKeys)
        const [newest = new Uint8Array()] = keys
        if (newest.length === 0) return yield* Effect.die(new Error("there is no secret key"))
        const check = Effect.fnUntraced(function* (purpose: LinkPurpose, subject: string, given: GivenLink) {
          const now = yield* Micros.now
          const results = keys.map((key) => checkLink(sha256, key, purpose, subject, given, now))
          const isExpired = results.some(
            (result) => Result.isFailure(result) && result.failure.reason === "expired"
          )
          if (results.some(Result.isSuccess)) return
          return yield* new LinkRefused({ reason: isExpired ? "expired" : "not_authentic" })
        })
        return ExportLinks.of({
          fileAddress: (id, reader) =>
            Effect.map(Micros.now, (now) => {
              const subject = fileSubject(id, reader ?? "")
              const until = now + FILE_SECONDS * Micros.SECOND
              const query = signLink(sha256, newest, "export-file", subject, until)
              const named = reader === null ? "" : `&reader=${encodeURIComponent(reader)}`
              return `${baseUrl}/files/exports/${id}?${query}${named}`
            }),
          checkFile: (id, reader, given) => check("export-file", fileSubject(id, reader), given),
          check: (id, given) => check("export", id, given)
        })
      })
    )
}
