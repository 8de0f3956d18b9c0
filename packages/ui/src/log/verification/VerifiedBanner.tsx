/** The sentence that says how many of the events shown verified, and the button to one that did not. */
import { useRef } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"
import { useCalm } from "../toolbar/Calm.ts"
import type { Mark } from "./EventVerifier.ts"
import { nextOf, type Tally } from "./Tally.ts"

/** Milliseconds without a change after which numbers are announced. */
const SETTLED = 1_000

/** The mark that events of a tally have together. */
const kindOf = (tally: Tally): Mark["kind"] => {
  if (tally.isChecking || tally.shown === 0) return "checking"
  if (tally.isBroken) return "broken"
  return tally.proven === tally.shown ? "proven" : "unchecked"
}

/** The sentence. */
export const VerifiedSentence = ({ reader }: { readonly reader: LogReader }) => {
  const { messages, number } = useLanguage()
  const tally = useCalm(reader.tally.value, SETTLED, "change")
  const kind = kindOf(tally)
  return (
    <p role="status" class="verified" data-mark={kind}>
      <Icon name={kind} />{" "}
      {kind === "checking"
        ? messages.verified.checking
        : messages.verified.of(tally.shown, number(tally.proven), number(tally.shown))}
    </p>
  )
}

/** The button; nothing where all verified. */
export const NextUnverified = ({ reader }: { readonly reader: LogReader }) => {
  const { messages } = useLanguage()
  const last = useRef<string | undefined>(undefined)
  const { others, isBroken } = reader.tally.value
  if (others.length === 0) return null
  return (
    <button
      type="button"
      class="bare"
      onClick={() => {
        last.current = nextOf(others, last.current)
        reader.seek(last.current)
      }}
    >
      <Icon name={isBroken ? "broken" : "unchecked"} /> {messages.verified.next}
    </button>
  )
}
