/** Texts without what has the shape of a secret, whosever it is: no setting needs to hold it. */

const HIDDEN = "(secret)"

/** To the end of the text, where nothing ends it. */
const PEM = /-----BEGIN [^-]*-----[\s\S]*?(?:-----END [^-]*-----|$)/g
/** A JWT (RFC 7519) begins with the base64url of `{"`. */
const JWT = /\beyJ[\w-]*(?:\.[\w-]*){0,4}/g
/** What follows a scheme of RFC 9110 section 11. */
const AUTHORIZATION = /\b(bearer|basic|digest)\s{1,3}[^\s"',;]+/gi
/** The same in its header, whatever the scheme is. */
const HEADER = /\b(authorization["']?\s{0,3}[=:]\s{0,3}["']?[\w-]{1,30})\s{1,3}[^\s"',;]+/gi
/** What is named a secret, behind a sign that gives it. */
const NAMED =
  /(pass(?:w(?:or)?d|wort|phrase)?|pwd|secret|token|(?:api|access|private)[_-]?key|credential|cookie|signature|\bsig)(s?["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"',;&]+/gi
/** A user with a password, and the host behind them, as in a URL but without its scheme. */
const USER = /(?<![\w.%+-])[\w.%+-]{1,64}:[^\s@/"'<>]{1,64}@[^\s"'<>(),;]+/g
/** What may be base64, base64url or hexadecimal. */
const RUN = /[A-Za-z0-9+/_-]{20,}={0,2}/g

/** A word, of one or several humps, with a short number; or a number alone. */
const WORD = /^(?:[A-Z]{1,20}|[a-z]{0,20}(?:[A-Z][a-z]{2,20})*)\d{0,4}$/

/** Whether a run consists of words, as the names of errors, files and indexes do. */
const isOfWords = (run: string): boolean => run.split(/[-_/]/).every((part) => WORD.test(part))

/** A text without them. */
export const withoutSecretShapes = (text: string): string =>
  text
    .replace(PEM, HIDDEN)
    .replace(JWT, HIDDEN)
    .replace(USER, HIDDEN)
    .replace(HEADER, (_, scheme: string) => `${scheme} ${HIDDEN}`)
    .replace(AUTHORIZATION, (_, scheme: string) => `${scheme} ${HIDDEN}`)
    .replace(NAMED, (_, name: string, sign: string) => `${name}${sign}${HIDDEN}`)
    .replace(RUN, (run) => (isOfWords(run) ? run : HIDDEN))
