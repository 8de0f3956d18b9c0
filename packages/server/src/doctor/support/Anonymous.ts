/** Texts without what belongs to a customer: ids, addresses of people and machines, and quoted names. */

/** `wsp_0190…`, `str_…`, and UUIDs alone. */
const IDS = /\b([a-z]{2,6})_[0-9A-Za-z]{8}[-0-9A-Za-z]*\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
/** What may be an address of a mail, which has an `@` before a dot. */
const WORDS = /[^\s"'<>(),;:]+/g
const IPV4 = /\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b/g
const IPV6 = /(?<![\w:])(?:[0-9a-f]{1,4}:){2,7}[0-9a-f]{0,4}(?::[0-9a-f]{1,4})*(?![\w:])/gi
/** All of an address but its scheme. */
const URL_PARTS = /\b(https?|s3|smtps?|rediss?|postgres(?:ql)?):\/\/[^\s"'<>)]+/gi
/** To the end of the text, where nothing ends it. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|[“«][^”»]*[”»]?/g

const withoutMail = (word: string): string => {
  const at = word.indexOf("@")
  return at > 0 && word.indexOf(".", at) > at + 1 ? "(address)" : word
}

/** A text without ids, addresses and quoted names. */
export const anonymous = (text: string): string =>
  text
    .replace(URL_PARTS, (_, scheme: string) => `${scheme}://(address)`)
    .replace(WORDS, withoutMail)
    .replace(IDS, (_, kind: string | undefined) => (kind === undefined ? "(id)" : `${kind}_(id)`))
    .replace(IPV4, "(address)")
    .replace(IPV6, "(address)")

/** The same of what somebody else may be quoted in, such as a line of a log. */
export const anonymousLine = (text: string): string => anonymous(text).replace(QUOTED, '"(text)"')
