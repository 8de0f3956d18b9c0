/**
 * A walk through the text of a canonical content, which has its keys in one order: so what is wanted of it is
 * found without parsing the rest.
 */
import { canonicalString } from "../encoding/CanonicalJson.ts"

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

const LAST_INTEGER = /^(?:null|(-?\d+))}$/

/** How an object or an array begins. */
type Bracket = "{" | "["

/** Takes one thing after the other from the text. Once something else stands there, nothing more is taken. */
export class ContentWalk {
  /** Where it stands; -1 once the text is not what was expected. */
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Takes exactly this text; what is to follow it may be taken from the answer. */
  expect(text: string): this {
    if (this.at >= 0) this.at = this.#text.startsWith(text, this.at) ? this.at + text.length : -1
    return this
  }

  /** Takes exactly this string or null. */
  expectText(value: string | null): void {
    if (this.at < 0) return
    if (value === null) this.expect("null")
    // What needs no escape stands between its quotes as it is; quoting it first would take most of the time.
    else if (value.includes('"') || value.includes("\\") || !this.#acceptQuoted(value)) {
      this.expect(canonicalString(value))
    }
  }

  #acceptQuoted(value: string): boolean {
    const end = this.at + 1 + value.length
    const found =
      this.#text.charCodeAt(this.at) === QUOTE &&
      this.#text.charCodeAt(end) === QUOTE &&
      this.#text.startsWith(value, this.at + 1)
    if (found) this.at = end + 1
    return found
  }

  /** Takes this text if it stands here. */
  accept(text: string): boolean {
    const found = this.at >= 0 && this.#text.startsWith(text, this.at)
    if (found) this.at += text.length
    return found
  }

  /** Takes a string or null, whatever it is. */
  skipText(): void {
    if (this.at < 0) return
    if (this.#text.charCodeAt(this.at) === QUOTE) this.at = this.#endOfString(this.at)
    else this.expect("null")
  }

  /** Takes a string or null, and answers it. */
  takeText(): string | null {
    const start = this.at
    this.skipText()
    if (this.at < 0 || this.#text.charCodeAt(start) !== QUOTE) return null
    const text = this.#text.slice(start + 1, this.at - 1)
    // Only what is escaped is spelt otherwise than it reads.
    return text.includes("\\") ? this.#unescaped(text) : text
  }

  #unescaped(text: string): string | null {
    try {
      return String(JSON.parse(`"${text}"`))
    } catch {
      this.at = -1
      return null
    }
  }

  /** Takes what begins with this bracket, or null, and answers its JSON; null for null. */
  takeJson(bracket: Bracket): string | null {
    const start = this.at
    this.skipJson(bracket)
    const json = this.at < 0 ? "" : this.#text.slice(start, this.at)
    return json === "null" ? null : json
  }

  /** Takes an integer or null with the brace that ends the text, and answers it. */
  takeLastInteger(): string | null {
    const last = this.at < 0 ? null : LAST_INTEGER.exec(this.#text.slice(this.at))
    if (last === null) this.at = -1
    return last?.[1] ?? null
  }

  /** Takes what begins with this bracket, or null, whatever it holds. */
  skipJson(bracket: Bracket): void {
    if (this.at < 0) return
    if (!this.#text.startsWith(bracket, this.at)) {
      this.expect("null")
      return
    }
    let depth = 0
    let at = this.at
    do {
      const code = this.#text.charCodeAt(at)
      // Brackets differ from their opposites by two: `[`, `]` and `{`, `}`.
      if (code === QUOTE) {
        at = this.#endOfString(at)
        if (at < 0) break
        continue
      }
      if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
      else if (code === OPEN_BRACE + 2 || code === OPEN_BRACKET + 2) depth--
      at = Number.isNaN(code) ? -1 : at + 1
    } while (depth > 0 && at >= 0)
    this.at = at
  }

  /** The place after the string that begins at `start`; -1 if it does not end. */
  #endOfString(start: number): number {
    let end = start
    for (;;) {
      end = this.#text.indexOf('"', end + 1)
      if (end < 0) return -1
      let before = end
      while (this.#text.charCodeAt(before - 1) === BACKSLASH) before--
      if ((end - before) % 2 === 0) return end + 1
    }
  }
}
