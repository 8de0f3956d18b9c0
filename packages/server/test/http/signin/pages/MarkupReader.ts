/** Reads the HTML of the pages as far as their templates write it: tags with quoted attributes, and text. */

/** A tag that begins an element. */
export interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** What a page holds. */
export interface Markup {
  readonly tags: ReadonlyArray<Tag>
  /** All text between tags, each run with the name of the tag before it. */
  readonly texts: ReadonlyArray<{ readonly after: string; readonly text: string }>
}

const REFERENCES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  "#13": "\r"
}

const decode = (text: string): string =>
  text.replace(/&([#a-z0-9]*);?/g, (all, name: string) => {
    const character = REFERENCES[name]
    if (character === undefined) throw new Error(`${all} is no character reference of the templates`)
    return character
  })

const TAG = /<(?<name>!?\/?[a-z][a-z0-9]*)(?<attributes>(?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/g
const ATTRIBUTE = /(?<name>[a-z-]+)(?:="(?<value>[^"]*)")?/g

const attributesOf = (text: string): Readonly<Record<string, string>> => {
  const pairs = Array.from(text.matchAll(ATTRIBUTE), ({ groups }): [string, string] => [
    groups?.name ?? "",
    decode(groups?.value ?? "")
  ])
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new Error(`twice: ${text}`)
  return Object.fromEntries(pairs)
}

/** Throws for what is no tag of this form, and for text with a sign that should have been escaped. */
export const readMarkup = (page: string): Markup => {
  const tags: Array<Tag> = []
  const texts: Array<{ readonly after: string; readonly text: string }> = []
  let end = 0
  let after = ""
  const addText = (text: string) => {
    if (/[<>"']/.test(text)) throw new Error(`text with a sign of markup: ${text.slice(0, 200)}`)
    if (text !== "") texts.push({ after, text: decode(text) })
  }
  for (const match of page.matchAll(TAG)) {
    addText(page.slice(end, match.index))
    end = match.index + match[0].length
    after = match.groups?.name ?? ""
    if (!after.startsWith("/")) {
      tags.push({ name: after, attributes: attributesOf(match.groups?.attributes ?? "") })
    }
  }
  addText(page.slice(end))
  return { tags, texts }
}

/** All text of a page, in one piece. */
export const textOf = (page: string): string =>
  readMarkup(page)
    .texts.map(({ text }) => text)
    .join("")

/** The fields of the forms that go to `action`, by name. */
export const formsTo = (page: string, action: string): ReadonlyArray<Readonly<Record<string, string>>> =>
  page
    .split("<form ")
    .slice(1)
    .map((form) => readMarkup(`<form ${form.slice(0, form.indexOf("</form>"))}`).tags)
    .filter(([form]) => form?.attributes.action === action)
    .map((tags) =>
      Object.fromEntries(
        tags
          .filter(({ name }) => name === "input")
          .map(({ attributes }) => [attributes.name ?? "", attributes.value ?? ""])
      )
    )
