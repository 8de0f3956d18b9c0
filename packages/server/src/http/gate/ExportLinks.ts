/** The signed links of exports: what they are signed with, where they lead, and whether one is valid. */
import { hkdfSync } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { checkLink, type LinkPurpose, LinkRefused, linkSubject, signLink } from "@cairn/core/export"
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

/** Whom a link names: for whom it was made, and, for the address of a file, who reads; empty for none. */
export interface LinkNames {
  /** The id of a member or a key. */
  readonly holder: string
  /** As `Reader.is` does; empty for those whose reads are not recorded. */
  readonly reader: string
}

/** The links. */
export class ExportLinks extends Context.Service<
  ExportLinks,
  {
    /** Where the service itself gives an export's file, for {@link FILE_SECONDS}. */
    readonly fileAddress: (exportId: string, names: LinkNames) => Effect.Effect<string>
    /** Whether such an address is valid, for whom it names. */
    readonly checkFile: (
      exportId: string,
      names: LinkNames,
      given: GivenLink
    ) => Effect.Effect<void, LinkRefused>
    /** Whether the link to an export's download is valid, for whom it names. */
    readonly check: (exportId: string, holder: string, given: GivenLink) => Effect.Effect<void, LinkRefused>
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
          fileAddress: (id, { holder, reader }) =>
            Effect.map(Micros.now, (now) => {
              const subject = linkSubject(id, holder, reader)
              const until = now + FILE_SECONDS * Micros.SECOND
              const query = signLink(sha256, newest, "export-file", subject, until)
              const of = holder === "" ? "" : `&for=${encodeURIComponent(holder)}`
              const by = reader === "" ? "" : `&reader=${encodeURIComponent(reader)}`
              return `${baseUrl}/files/exports/${id}?${query}${of}${by}`
            }),
          checkFile: (id, { holder, reader }, given) =>
            check("export-file", linkSubject(id, holder, reader), given),
          check: (id, holder, given) => check("export", linkSubject(id, holder), given)
        })
      })
    )
}
