/** The two bodies of a mail, from the same paragraphs. */

import { printable } from "@cairn/core/verification"

/** The content of a mail: paragraphs, and facts as name and value. */
export interface MailContent {
  readonly title: string
  readonly paragraphs: ReadonlyArray<string>
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
  /** What the reader is to open: a link with these words, from the service itself. */
  readonly link?: { readonly label: string; readonly url: string }
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text escaped for HTML, so that markup in it is shown as text. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")

/**
 * Text on one line, without control and direction characters: a name must not look like the next fact,
 * reverse the line or hide part of it.
 */
export const oneLine = (text: string): string =>
  printable(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "), Number.POSITIVE_INFINITY)

/** Writes both bodies. */
export const mailBody = (content: MailContent): { readonly text: string; readonly html: string } => {
  const title = oneLine(content.title)
  const paragraphs = content.paragraphs.map(oneLine)
  const facts = content.facts.map(([name, value]) => [name, oneLine(value)] as const)
  const lines = facts.map(([name, value]) => `${name}: ${value}`)
  const { link } = content
  const linkText = link === undefined ? [] : [`${link.label}:\n${link.url}`]
  const linkHtml =
    link === undefined ? "" : `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th align="left" style="padding-right:1em">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`
  )
  const heading = `<h1 style="font-size:1.2em">${escapeHtml(title)}</h1>`
  const text = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`)
  return {
    text: `${[title, ...paragraphs, ...linkText, lines.join("\n")].join("\n\n")}\n`,
    html: `<!doctype html><html><body style="font-family:sans-serif">${heading}${text.join("")}${linkHtml}<table>${rows.join("")}</table></body></html>`
  }
}
