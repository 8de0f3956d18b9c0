/** E-mail over SMTP. */
import { Context, Effect, Layer, Schema } from "effect"
import { mailDialer } from "./MailDialer.ts"

/** A mail to one person. Subject and addresses are made safe here: whatever they hold, they add no header and no recipient. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The server did not take the mail. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  /** What the server or the network said; never a password. */
  reason: Schema.String,
  /** Whether the server refused this mail for good (a 5xx answer), so that trying again is of no use. */
  permanent: Schema.Boolean,
  /** Whether the server said what becomes of this mail, if only that it is not taken; false for silence, and for words without end. */
  answered: Schema.Boolean
}) {
  /** The reason. */
  override get message(): string {
    return this.reason
  }
}

/** Contract: success means that the server has taken responsibility for the mail. A mail that failed may arrive all the same. */
export interface MailerShape {
  readonly send: (mail: Mail) => Effect.Effect<void, MailFailed>
}

/** Where mail goes out. */
export interface SmtpOptions {
  /**
   * `smtp://user:password@host:587` or, for TLS from the first byte, `smtps://…:465`. With a user, TLS is required; without one it is used when
   * the server offers it.
   */
  readonly url: string
  /** The sender, as `Cairn <cairn@example.com>` or an address alone. */
  readonly from: string
  /** Certificate authorities trusted instead of the runtime's own, as PEM. */
  readonly authorities?: ReadonlyArray<string>
  /** Milliseconds that connecting, greeting and each silence may take; 15,000 unless set. */
  readonly timeout?: number
  /** Milliseconds that a mail may take, from the look-up of the server to its last word; 30,000 unless set. */
  readonly limit?: number
}

/** The most characters of a subject; mail readers show fewer. */
const MAX_SUBJECT = 200

/** One line without control characters, so that nothing in it is taken for the next header. */
const oneLine = (text: string): string =>
  [
    ...text
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
      .toWellFormed()
      .trim()
  ]
    .slice(0, MAX_SUBJECT)
    .join("")

const failed = (error: unknown): MailFailed => {
  const { message, responseCode } = decodeSmtpError(error)
  return new MailFailed({ reason: message, permanent: responseCode >= 500, answered: responseCode > 0 })
}

const SmtpError = Schema.Struct({
  message: Schema.String,
  responseCode: Schema.optionalKey(Schema.Number)
})

const decodeSmtpError = (error: unknown): { readonly message: string; readonly responseCode: number } =>
  Schema.is(SmtpError)(error)
    ? { message: error.message, responseCode: error.responseCode ?? 0 }
    : { message: String(error), responseCode: 0 }

/** Mail. */
export class Mailer extends Context.Service<Mailer, MailerShape>()("@cairn/delivery/Mailer") {
  /** For a service without a mail server: what was put into the outbox before waits for one. */
  static readonly layerNone = Layer.succeed(Mailer, {
    send: () =>
      Effect.fail(
        new MailFailed({ reason: "no mail server is configured", permanent: false, answered: false })
      )
  })

  /** Each mail has a connection of its own, which ends with the attempt. */
  static readonly layer = ({ url, from, authorities, timeout = 15_000, limit = 30_000 }: SmtpOptions) =>
    Layer.effect(
      Mailer,
      Effect.gen(function* () {
        const { username, protocol } = new URL(url)
        // Half a megabyte of code that a service without mail never needs.
        const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
        const dial = mailDialer(url, timeout)
        const options = {
          url,
          // Otherwise someone between us and the server could take STARTTLS away and read the password.
          requireTLS: protocol === "smtp:" && username !== "",
          connectionTimeout: timeout,
          greetingTimeout: timeout,
          socketTimeout: timeout,
          // A body is text, never the name of a file or the URL of a page to be fetched.
          disableFileAccess: true,
          disableUrlAccess: true,
          ...(authorities === undefined ? {} : { tls: { ca: [...authorities] } })
        }
        const attempt = ({ to, subject, text, html }: Mail) =>
          Effect.tryPromise({
            try: (signal) =>
              createTransport({ ...options, getSocket: (_, done) => dial(signal, done) }).sendMail({
                from,
                // As an object it is one address, whatever commas it holds.
                to: { name: "", address: oneLine(to) },
                subject: oneLine(subject),
                text,
                html
              }),
            catch: failed
          })
        const late = new MailFailed({
          reason: `the mail was not taken within ${limit} ms`,
          permanent: false,
          answered: false
        })
        const send = Effect.fn("Mailer.send")((mail: Mail) =>
          Effect.asVoid(
            Effect.timeoutOrElse(attempt(mail), { duration: limit, orElse: () => Effect.fail(late) })
          )
        )
        return Mailer.of({ send })
      })
    )
}
