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

/** The links. */
export class ExportLinks extends Context.Service<
  ExportLinks,
  {
    /** Where the service itself gives an export's file, for {@link FILE_SECONDS}. */
    readonly fileAddress: (exportId: string) => Effect.Effect<string>
    readonly check: (
      purpose: LinkPurpose,
      exportId: string,
      given: GivenLink
    ) => Effect.Effect<void, LinkRefused>
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
        return ExportLinks.of({
          fileAddress: (id) =>
            Effect.map(Micros.now, (now) => {
              const query = signLink(sha256, newest, "export-file", id, now + FILE_SECONDS * Micros.SECOND)
              return `${baseUrl}/files/exports/${id}?${query}`
            }),
          check: Effect.fnUntraced(function* (purpose, id, given) {
            const now = yield* Micros.now
            const results = keys.map((key) => checkLink(sha256, key, purpose, id, given, now))
            const isExpired = results.some(
              (result) => Result.isFailure(result) && result.failure.reason === "expired"
            )
            if (results.some(Result.isSuccess)) return
            return yield* new LinkRefused({ reason: isExpired ? "expired" : "not_authentic" })
          })
        })
      })
    )
}
