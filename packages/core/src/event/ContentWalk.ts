/**
 * A walk through the text of a canonical content. Its keys have a fixed order, so a member is found without
 * parsing the rest.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

const LAST_INTEGER = /^(?:null|(-?\d+))}$/

/** How an object or an array begins. */
type Bracket = "{" | "["

/** Reads one part after the other from the text. Once an unexpected part is found, nothing more is read. */
export class ContentWalk {
  /** The current index; -1 once the text was not as expected. */
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Reads exactly this text. Returns itself, so that the next read can follow. */
  expect(text: string): this {
    if (this.at >= 0) this.at = this.#text.startsWith(text, this.at) ? this.at + text.length : -1
    return this
  }

  /** Reads any string or null. */
  #skipText(): void {
    if (this.at < 0) return
    if (this.#text.charCodeAt(this.at) === QUOTE) this.at = this.#endOfString(this.at)
    else this.expect("null")
  }

  /** Reads a string or null and returns it. */
  takeText(): string | null {
    const start = this.at
    this.#skipText()
    if (this.at < 0 || this.#text.charCodeAt(start) !== QUOTE) return null
    const text = this.#text.slice(start + 1, this.at - 1)
    // Only a string with escapes must be parsed.
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

  /** Reads what begins with this bracket, or null, and returns its JSON; null for null. */
  takeJson(bracket: Bracket): string | null {
    const start = this.at
    this.#skipJson(bracket)
    const json = this.at < 0 ? "" : this.#text.slice(start, this.at)
    return json === "null" ? null : json
  }

  /** Reads an integer or null with the brace that ends the text, and returns it. */
  takeLastInteger(): string | null {
    const last = this.at < 0 ? null : LAST_INTEGER.exec(this.#text.slice(this.at))
    if (last === null) this.at = -1
    return last?.[1] ?? null
  }

  /** Reads what begins with this bracket, or null, with any contents. */
  #skipJson(bracket: Bracket): void {
    if (this.at < 0) return
    if (!this.#text.startsWith(bracket, this.at)) {
      this.expect("null")
      return
    }
    let depth = 0
    let at = this.at
    do {
      const code = this.#text.charCodeAt(at)
      // The codes of opposite brackets differ by two: `[`, `]` and `{`, `}`.
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

  /** The index after the string that begins at `start`; -1 if it does not end. */
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
