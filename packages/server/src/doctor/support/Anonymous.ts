/** Texts without what belongs to a customer: ids, secrets, addresses of people and machines, quoted names. */
import { isIP } from "node:net"
import { withoutSecretShapes } from "./SecretShapes.ts"

/** `wsp_0190…`, `str_…`. */
const IDS = /\b([a-z]{2,6})_[0-9A-Za-z]{8}[-0-9A-Za-z]*\b/g
const UUIDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
/** What may be an address of a mail, which has an `@` before a dot. */
const WORDS = /[^\s"'<>(),;:]+/g
const IPV4 = /\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b/g
/** What may hold an address of IPv6 or of a network card between its colons. */
const COLON_WORDS = /[\w:.]+(?:%[\w.-]+)?/g
/** All of an address but its scheme. */
const URL_PARTS = /:\/\/[^\s"'<>)]+/g
/** To the end of the text, where nothing ends it. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|[“«][^”»]*[”»]?/g

const withoutMail = (word: string): string => {
  const at = word.indexOf("@")
  return at > 0 && word.indexOf(".", at) > at + 1 ? "(address)" : word
}

const MAC = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i

/** Parts between colons that an address has: with the empty ones of `::`, and a port. */
const PARTS = { fewest: 3, most: 10 }

/** The end of a word without the dots of its sentence. */
const wordEnd = (word: string): number => {
  let end = word.length
  while (word[end - 1] === ".") end--
  return end
}

/** How many of the parts from there on are an address: 0 for none. `::` alone is none that leads anywhere. */
const addressLength = (parts: ReadonlyArray<string>, from: number): number => {
  // As in `:::`, which is in no address.
  if (parts[from] === "" && parts[from + 1] === "" && parts[from + 2] === "") return 0
  for (let count = Math.min(PARTS.most, parts.length - from); count >= PARTS.fewest; count--) {
    const text = parts.slice(from, from + count).join(":")
    if (isIP(text) === 6 || MAC.test(text)) return count
  }
  return 0
}

/** A word without the addresses in it, also where something stands before or after one: `at:fe80::1:5432`. */
const withoutIpv6 = (word: string): string => {
  const end = wordEnd(word)
  const parts = word.slice(0, end).split(":")
  if (parts.length < PARTS.fewest) return word
  const kept: Array<string> = []
  for (let at = 0; at < parts.length; ) {
    const count = addressLength(parts, at)
    kept.push(count === 0 ? (parts[at] ?? "") : "(address)")
    at += Math.max(1, count)
  }
  return kept.join(":") + word.slice(end)
}

/** A text without ids, addresses and what looks like a secret. */
export const anonymous = (text: string): string =>
  withoutSecretShapes(text.replace(URL_PARTS, "://(address)").replace(IDS, "$1_(id)").replace(UUIDS, "(id)"))
    .replace(COLON_WORDS, withoutIpv6)
    .replace(WORDS, withoutMail)
    .replace(IPV4, "(address)")

/** The same of what somebody else may be quoted in, such as a line of a log. */
export const anonymousLine = (text: string): string => anonymous(text).replace(QUOTED, '"(text)"')
