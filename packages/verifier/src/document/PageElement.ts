/**
 * The report as a tree of elements, from which both the file and the page in a browser are made. Texts are
 * never markup: what an event says cannot add an element or an attribute.
 */

/** Elements that a report consists of. */
type Tag =
  | "article"
  | "code"
  | "dd"
  | "div"
  | "dl"
  | "dt"
  | "h1"
  | "h2"
  | "h3"
  | "header"
  | "li"
  | "ol"
  | "p"
  | "pre"
  | "section"
  | "span"
  | "strong"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul"

/** Attributes that they have; none of them names a resource. */
type AttributeName = "class" | "colspan" | "lang" | "scope"

/** An element, or a text. */
export type PageNode = string | PageElement

/** An element of a report. */
export interface PageElement {
  readonly tag: Tag
  readonly attributes: Readonly<Partial<Record<AttributeName, string>>>
  readonly children: ReadonlyArray<PageNode>
}

/** Makes an element; `""` among its children is left out. */
export const element = (
  tag: Tag,
  attributes: PageElement["attributes"] = {},
  ...children: ReadonlyArray<PageNode>
): PageElement => ({ tag, attributes, children: children.filter((child) => child !== "") })

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text as HTML shows it, in an element and in an attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => ESCAPES[found] ?? "")

/** The tree as HTML. */
export const toHtml = (node: PageNode): string => {
  if (typeof node === "string") return escapeHtml(node)
  const { tag, attributes, children } = node
  const shown = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
  return `<${tag}${shown.join("")}>${children.map(toHtml).join("")}</${tag}>`
}

/** A node of a browser's document, as far as {@link toNodes} needs one. */
interface DocumentElement<N> {
  append(...children: ReadonlyArray<N | string>): void
  setAttribute(name: string, value: string): void
}

/** A browser's document, as far as {@link toNodes} needs one. */
export interface ElementMaker<N extends DocumentElement<N>> {
  createElement(tag: Tag): N
}

/** The tree as an element of a browser's document. Nothing is parsed as HTML. */
export const toNode = <N extends DocumentElement<N>>(
  document: ElementMaker<N>,
  { tag, attributes, children }: PageElement
): N => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.map((child) => (typeof child === "string" ? child : toNode(document, child))))
  return made
}
