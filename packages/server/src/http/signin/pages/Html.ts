/**
 * HTML by templates that cannot be broken out of. What a template is given is text, and is escaped here and
 * nowhere else, unless it is {@link Html} itself, which only a template makes.
 */

/** A piece of markup that a template has made. */
class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  static textOf(markup: Markup): string {
    return markup.#text
  }
}

/** Markup. Only {@link html} makes it: its class is not exported, and a private field sets it apart. */
export type Html = Markup

/** What a template may be given; nothing is written for undefined. */
export type Insert = string | number | Html | ReadonlyArray<Html> | undefined

/** Where in its template a value stands: between tags, within a tag, or within the quotes of an attribute. */
type Place = "content" | "tag" | "attribute"

const NEXT: Readonly<Record<Place, Readonly<Record<string, Place>>>> = {
  content: { "<": "tag" },
  tag: { ">": "content", '"': "attribute" },
  attribute: { '"': "tag" }
}

/** Where a value after this part of a template stands. */
const placeAfter = (before: Place, part: string): Place => {
  let place = before
  for (const character of part) place = NEXT[place][character] ?? place
  return place
}

/** Elements whose content is no text, in which escaping would not help, and comments. */
const RAW = /<(?:script|style|iframe|noscript|template|plaintext|xmp|!--)/i

const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\r": "&#13;"
}

/**
 * The text as markup that is read as this text again, in content and in quoted attributes; what HTML cannot
 * hold, U+0000 and lone surrogates, becomes U+FFFD.
 */
const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll("\0", "\ufffd")
    .replace(/[&<>"'\r]/g, (character) => REFERENCES[character] ?? character)

const isText = (value: Insert): value is string | number =>
  typeof value === "string" || typeof value === "number"

const markupOfValue = (value: Insert, place: Place): string => {
  if (place === "tag") throw new TypeError("A value stands in a tag, outside the quotes of an attribute")
  if (value === undefined) return ""
  if (isText(value)) return escapeText(String(value))
  if (place === "attribute") throw new TypeError("Markup stands in an attribute")
  return value instanceof Markup ? Markup.textOf(value) : value.map(Markup.textOf).join("")
}

/**
 * The tag of templates. Values may stand between tags and in attributes with double quotes.
 *
 * Throws a TypeError for a template that is wrong, whatever its values: one with a value elsewhere, with
 * markup in an attribute, or with an element whose content is no text.
 */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Insert>): Html => {
  let place: Place = "content"
  let text = ""
  parts.forEach((part, index) => {
    if (RAW.test(part)) throw new TypeError("A template has an element whose content is no text")
    place = placeAfter(place, part)
    text += part
    if (index < values.length) text += markupOfValue(values[index], place)
  })
  if (place !== "content") throw new TypeError("A template ends within a tag")
  return new Markup(text)
}

/** The markup as text, to be sent. */
export const markupOf = (markup: Html): string => Markup.textOf(markup)
