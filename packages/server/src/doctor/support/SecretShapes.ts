/** Texts without what has the shape of a secret, whosever it is: no setting needs to hold it. */

const HIDDEN = "(secret)"

/** To the end of the text, where nothing ends it. */
const PEM = /-----BEGIN [^-]*-----[\s\S]*?(?:-----END [^-]*-----|$)/g
/** A JWT (RFC 7519) begins with the base64url of `{"`. */
const JWT = /\beyJ[\w-]*(?:\.[\w-]*){0,4}/g
/** What follows a scheme of RFC 9110 section 11. */
const AUTHORIZATION = /\b(bearer|basic|digest)\s{1,3}[^\s"',;]+/gi
/** The header, whose scheme may be any other. */
const HEADER = /(\bauthorization\W{1,6})/i
const SCHEME = /^(\w+) [^\s"',;]+/
/** What is given, by the sign behind its name. */
const GIVEN = /(["']?\s?[=:]\s?["']?)[^\s"',;&]+/g
/** What names a secret, at the end of so many characters. */
const SECRET =
  /(?:pass(?:w(?:or)?d|wort|phrase)?s?|pwd|secrets?|tokens?|(?:api|access|private)[_-]?keys?|credentials?|cookies?|signature|\bsig)$/i
const LONGEST_NAME = 40

/** What may be a user with a password, and the host behind them, as in a URL but without its scheme. */
const ADDRESS = /[^\s"'<>(),;]+/g
/** What may be base64, base64url or hexadecimal. */
const RUN = /[A-Za-z0-9+/_-]{20,}={0,2}/g

const hasPassword = (address: string): boolean => {
  const [colon, at] = [address.indexOf(":"), address.indexOf("@")]
  return colon > 0 && at > colon + 1 && at < address.length - 1 && !address.slice(0, at).includes("/")
}

const CAPITALS = /^[A-Z]{1,20}$/
const FIRST_HUMP = /^(?:[a-z]{0,20}|[A-Z][a-z]{2,20})$/
const HUMP = /^[A-Z][a-z]{2,20}$/
/** Digits at the end of a word. */
const MOST_DIGITS = 4

/** Whether it is a word, of one or several humps, with a short number; or a number alone. */
const isWord = (part: string): boolean => {
  let end = part.length
  while (end > 0 && part.length - end < MOST_DIGITS && /\d/.test(part.charAt(end - 1))) end--
  const letters = part.slice(0, end)
  if (CAPITALS.test(letters)) return true
  const [first = "", ...others] = letters.split(/(?=[A-Z])/)
  return FIRST_HUMP.test(first) && others.every((hump) => HUMP.test(hump))
}

/** Whether a run consists of words, as the names of errors, files and indexes do. */
const isOfWords = (run: string): boolean => run.split(/[-_/]/).every(isWord)

/** A text without them. */
export const withoutSecretShapes = (text: string): string =>
  text
    .split(HEADER)
    .map((part, at) => (at > 0 && at % 2 === 0 ? part.replace(SCHEME, `$1 ${HIDDEN}`) : part))
    .join("")
    .replace(PEM, HIDDEN)
    .replace(JWT, HIDDEN)
    .replace(ADDRESS, (address) => (hasPassword(address) ? HIDDEN : address))
    .replace(AUTHORIZATION, (_, scheme: string) => `${scheme} ${HIDDEN}`)
    .replace(GIVEN, (all: string, sign: string, at: number, whole: string) =>
      SECRET.test(whole.slice(Math.max(0, at - LONGEST_NAME), at)) ? `${sign}${HIDDEN}` : all
    )
    .replace(RUN, (run) => (isOfWords(run) ? run : HIDDEN))
