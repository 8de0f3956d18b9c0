/**
 * The words for what a verification finds, one vocabulary for `cairn verify`, `cairn-verify`, the viewer,
 * mail and webhooks.
 *
 * What the interface names (`ChainBreak.type`) has the same name everywhere: `hash_mismatch` is an event that
 * is not what was hashed, `chain_break` an event that does not follow the one before it. Texts from a log are
 * only shown through {@link printable}: an attacker may have written them.
 */
import type { EventContent } from "../event/EventContent.ts"
import type { ChainBreak } from "./Verification.ts"

/** What each kind of break means, as a phrase that follows the event where it was found. */
export const BREAK_MEANING: Readonly<Record<ChainBreak["type"], string>> = {
  hash_mismatch: "it is not what was hashed: it was changed after it was recorded",
  chain_break: "it does not follow the event before it: an event was removed, inserted or moved here"
}

/** Most characters of a text from a log that are shown; the rest is cut. */
const LONGEST = 200

/**
 * Characters that a terminal or a page would interpret or not show: controls, separators, text directions,
 * marks of zero width, lone surrogates.
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/**
 * A text from a log or a file, made safe to show: one line, without characters that a terminal would
 * interpret, at most `longest` characters.
 */
export const printable = (text: string, longest: number = LONGEST): string => {
  // Cut first, so that a text of megabytes costs no more than a short one.
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.replace(UNPRINTABLE, "\ufffd")
}

/**
 * A text of several lines, made safe for a terminal: complete, without characters that a terminal would
 * interpret.
 */
export const printableLines = (text: string): string =>
  text.replace(UNPRINTABLE, (found) => (found === "\n" || found === "\t" ? found : "\ufffd"))

/**
 * A value as JSON, made safe for a terminal: characters that it would interpret are escaped, so that it
 * parses to the same value.
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
