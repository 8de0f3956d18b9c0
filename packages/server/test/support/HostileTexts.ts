/** Texts that were written to break out of a page, for events and names. */

import { HOSTILE_MARKUP } from "@cairn/testing"

/** Markup, and characters that turn the text around them. */
export const HOSTILE_TEXTS: ReadonlyArray<string> = [...HOSTILE_MARKUP, "a\u202egpj.exe\u2066\u2067"]

/** An event that carries a text in every place that takes one. */
export const everywhere = (text: string) => ({
  actor_id: text,
  actor_name: text,
  action: text,
  resource: text,
  resource_id: text,
  resource_name: text,
  session_id: text,
  tenant_id: text,
  targets: [{ type: text, id: text, name: text, metadata: { [text]: text } }],
  metadata: { [text]: text, changes: [{ field: text, before: text, after: `${text}.` }] }
})
