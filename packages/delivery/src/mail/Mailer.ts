/** E-mail over SMTP. */
import { Context, Effect, Layer, Schema } from "effect"
import { mailDialer } from "./MailDialer.ts"

/**
 * A mail to one person. Subject and addresses are sanitised here, so that their text cannot add a header or a
 * recipient.
 */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The server did not take the mail. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  /** The error of the server or the network; never contains a password. */
  reason: Schema.String,
  /** Whether the server rejected this mail permanently (5xx), so that a retry is useless. */
  permanent: Schema.Boolean,
  /**
   * Whether the server replied about this mail, even with a rejection; false after a time-out, also in the
   * middle of a reply.
   */
  answered: Schema.Boolean
}) {
  /** The reason. */
  override get message(): string {
    return this.reason
  }
}

/**
 * Contract: success means that the server has taken responsibility for the mail. A mail that failed may still
 * arrive.
 */
export interface MailerShape {
  readonly send: (mail: Mail) => Effect.Effect<void, MailFailed>
}

/** Where mail goes out. */
export interface SmtpOptions {
  /**
   * `smtp://user:password@host:587` or, for TLS from the first byte, `smtps://…:465`. With a user, TLS is
   * required; without one it is used when the server offers it.
   */
  readonly url: string
  /** The sender, as `Cairn <cairn@example.com>` or an address alone. */
  readonly from: string
  /** Certificate authorities trusted instead of the runtime's own, as PEM. */
  readonly authorities?: ReadonlyArray<string>
  /** Milliseconds for connecting, for the greeting and for each wait for the server; 15,000 unless set. */
  readonly timeout?: number
  /** Milliseconds for a whole mail, from the name look-up to the server's last reply; 30,000 unless set. */
  readonly limit?: number
}

/** Longest subject, in characters; mail readers show fewer. */
const MAX_SUBJECT = 200

/** One line without control characters, so that no part of it is read as the next header. */
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

/** Makes what speaks to the server: one connection each, which ends when its signal is aborted. */
const transports = Effect.fnUntraced(function* ({ url, authorities, timeout = 15_000 }: SmtpOptions) {
  const { username, protocol } = new URL(url)
  // Half a megabyte of code, loaded only by a service that sends mail.
  const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
  const dial = mailDialer(url, timeout)
  const options = {
    url,
    // Otherwise an attacker between Cairn and the server could strip STARTTLS and read the password.
    requireTLS: protocol === "smtp:" && username !== "",
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    // A body is text, never the name of a file or the URL of a page to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(authorities === undefined ? {} : { tls: { ca: [...authorities] } })
  }
  return (signal: AbortSignal) => createTransport({ ...options, getSocket: (_, done) => dial(signal, done) })
})

/** Connects to the server, with TLS and a login as for a mail, and sends none. */
export const checkMailServer = Effect.fnUntraced(function* (options: SmtpOptions) {
  const transport = yield* transports(options)
  yield* Effect.tryPromise({ try: (signal) => transport(signal).verify(), catch: failed })
})

/** Mail. */
export class Mailer extends Context.Service<Mailer, MailerShape>()("@cairn/delivery/Mailer") {
  /** For a service without a mail server: mails that are already in the outbox wait until there is one. */
  static readonly layerNone = Layer.succeed(Mailer, {
    send: () =>
      Effect.fail(
        new MailFailed({ reason: "no mail server is configured", permanent: false, answered: false })
      )
  })

  /** Each mail has a connection of its own, which ends with the attempt. */
  static readonly layer = (options: SmtpOptions) =>
    Layer.effect(
      Mailer,
      Effect.gen(function* () {
        const { from, limit = 30_000 } = options
        const transport = yield* transports(options)
        const attempt = ({ to, subject, text, html }: Mail) =>
          Effect.tryPromise({
            try: (signal) =>
              transport(signal).sendMail({
                from,
                // As an object it is one address, even if it contains commas.
                to: { name: "", address: oneLine(to) },
                subject: oneLine(subject),
                text,
                html
              }),
            catch: failed
          })
        const late = new MailFailed({
          reason: `the mail was not accepted within ${limit} ms`,
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
