/**
 * Whether the filter columns of an event are those of its content, read off the canonical text without parsing it.
 *
 * A verification asks this of every event, and parsing takes as long as hashing. The envelope of a canonical content has its keys in
 * one order, so whatever stands before, between and after the columns can be skipped over.
 */
import { canonicalString } from "./CanonicalJson.ts"
import type { FilterColumns } from "./EventLog.ts"

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/** Where the walk through the text stands; -1 once the text is not what was expected. */
class Walk {
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Takes exactly this text. */
  expect(text: string): void {
    if (this.at >= 0) this.at = this.#text.startsWith(text, this.at) ? this.at + text.length : -1
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

  /** Takes an object or null, whatever it holds. */
  skipObject(): void {
    if (this.at < 0) return
    if (this.#text.charCodeAt(this.at) !== OPEN_BRACE) {
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

  /** Whether an integer or null stands here, and after it the brace that ends the text. */
  endsAfterInteger(): boolean {
    return this.at >= 0 && /^(?:null|-?\d+)\}$/.test(this.#text.slice(this.at))
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

/**
 * Whether `content` reads as a canonical content with these columns. `false` is no answer: the text may be canonical with other
 * columns, or not canonical; whoever needs to know parses it. Costs a fifth of the parsing.
 */
export const holdsColumns = (content: string, columns: FilterColumns): boolean => {
  const walk = new Walk(content)
  walk.expect('{"action":')
  walk.expectText(columns.action)
  walk.expect(',"action_category":')
  walk.skipText()
  walk.expect(',"actor":{"id":')
  walk.expectText(columns.actorId)
  walk.expect(',"name":')
  walk.skipText()
  walk.expect(',"type":')
  walk.skipText()
  walk.expect('},"idempotency_key":')
  walk.skipText()
  walk.expect(',"ip_city":')
  walk.skipText()
  walk.expect(',"ip_country":')
  walk.skipText()
  walk.expect(',"metadata":')
  walk.skipObject()
  walk.expect(',"occurred_at":')
  walk.skipText()
  walk.expect(',"resource":{"id":')
  walk.expectText(columns.resourceId)
  walk.expect(',"name":')
  walk.skipText()
  walk.expect(',"type":')
  walk.expectText(columns.resourceType)
  walk.expect('},"session_id":')
  walk.expectText(columns.sessionId)
  walk.expect(',"targets":[')
  columns.targets.forEach((target, index) => {
    if (index > 0) walk.expect(",")
    expectTarget(walk, target)
  })
  walk.expect('],"tenant_id":')
  walk.expectText(columns.tenantId)
  walk.expect(',"version":')
  return walk.endsAfterInteger()
}

/** A target leaves out what it does not have. */
const expectTarget = (walk: Walk, { type, id }: FilterColumns["targets"][number]): void => {
  walk.expect("{")
  if (id !== null) {
    walk.expect('"id":')
    walk.expectText(id)
    walk.expect(",")
  }
  if (walk.accept('"metadata":')) {
    walk.skipObject()
    walk.expect(",")
  }
  if (walk.accept('"name":')) {
    walk.skipText()
    walk.expect(",")
  }
  walk.expect('"type":')
  walk.expectText(type)
  walk.expect("}")
}
