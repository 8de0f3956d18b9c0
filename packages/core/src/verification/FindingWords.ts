/**
 * The words for what a verification finds, one vocabulary for `cairn verify`, `cairn-verify`, the viewer,
 * mail and webhooks.
 *
 * What the interface names (`ChainBreak.type`) has the same name everywhere: `hash_mismatch` is an event that
 * is not what was hashed, `chain_break` one that does not follow the event before it. Texts from a log are
 * shown by {@link printable} alone: whoever tampers writes them.
 */
import type { EventContent } from "../event/EventContent.ts"
import type { ChainBreak } from "./Verification.ts"

/** What each kind of break means, to stand after the event that it was found at. */
export const BREAK_MEANING: Readonly<Record<ChainBreak["type"], string>> = {
  hash_mismatch: "it is not what was hashed: it was changed after it was recorded",
  chain_break: "it does not follow the event before it: an event was removed, inserted or moved here"
}

/** Characters of a text from a log that are shown; more are cut. */
const LONGEST = 200

/**
 * What a terminal or a page would obey, or would not show: controls, separators, directions, marks without
 * width, halves of a pair.
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/**
 * A text from a log or a file as it may be shown: in one line, without what a terminal would obey, at most
 * `longest` characters.
 */
export const printable = (text: string, longest: number = LONGEST): string => {
  // Cut first, so that a text of megabytes costs no more than a short one.
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.replace(UNPRINTABLE, "\ufffd")
}

/** A text of several lines as a terminal may be given it: in full, and what it would obey is not in it. */
export const printableLines = (text: string): string =>
  text.replace(UNPRINTABLE, (found) => (found === "\n" || found === "\t" ? found : "\ufffd"))

/**
 * A value as JSON that a terminal may be given: what it would obey is escaped, so that it reads back as the
 * same value.
 */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    UNPRINTABLE,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Who did what and when, in one line: `ada, document.viewed, at 2026-01-15T09:30:00.000000Z`. */
export const sayEvent = ({
  actor,
  action,
  occurred_at: at
}: {
  readonly actor: Pick<EventContent["actor"], "id">
  readonly action: string
  readonly occurred_at: string
}): string => `${printable(actor.id)}, ${printable(action)}, at ${printable(at)}`
