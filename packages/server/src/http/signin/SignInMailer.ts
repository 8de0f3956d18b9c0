/** Mails with links that sign somebody in. */
import { Randomness, SecretBox } from "@cairn/core/hashing"
import type { StorageUnavailable } from "@cairn/core/log"
import { Outbox, signInMail } from "@cairn/core/outbound"
import type { MadeLink } from "@cairn/core/people"
import { Context, Effect, Layer } from "effect"

/** Sends links. */
export class SignInMailer extends Context.Service<
  SignInMailer,
  {
    /** Whether the service sends mail; otherwise nothing is to be sent. */
    readonly sends: boolean
    /** Puts the mail with a link into the outbox. */
    readonly send: (made: MadeLink) => Effect.Effect<void, StorageUnavailable>
  }
>()("@cairn/server/SignInMailer") {
  /** `baseUrl` is where people reach the service, without a slash at the end. */
  static readonly layer = ({ mail, baseUrl }: { readonly mail: boolean; readonly baseUrl: string }) =>
    Layer.effect(
      SignInMailer,
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const context = { box: yield* SecretBox, random: yield* Randomness, baseUrl }
        return SignInMailer.of({
          sends: mail,
          send: (made) => outbox.put([signInMail(context, made, null)])
        })
      })
    )
}
