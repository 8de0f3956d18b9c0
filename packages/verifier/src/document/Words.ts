/** The fixed words of a report. */
import type { Verdict } from "../report/Report.ts"
import { sayCount } from "./Numbers.ts"
import type { Outcome } from "./Outcome.ts"
import type { StatementState } from "./Statements.ts"
import { type Vouching, vouchingOf } from "./Vouching.ts"

/** The state of a statement: a sign that is not only a colour, and the word. */
export const STATE_WORDS: Readonly<Record<StatementState, string>> = {
  proven: "✓ Proven",
  not_checked: "? Not checked",
  failed: "✗ Failed"
}

/** A verdict in words. */
interface VerdictWords {
  readonly word: string
  readonly sentence: string
}

const SUCCEEDED = "Every required check succeeded"

/** What no program can know of a key that it is given. */
const PROVISO = "if it came from elsewhere than this file, its report or the service"

/** An intact bundle, by what vouches for it. */
const intactWords = ({ kind, upTo, last }: Vouching): VerdictWords => {
  const rest = `Events ${sayCount(upTo + 1)} to ${sayCount(last)} rest on the file alone.`
  switch (kind) {
    case "whole":
      return {
        word: "INTACT",
        sentence: `${SUCCEEDED}, and what the checker typed in vouches for every event. The file then shows what was recorded, ${PROVISO}: this check cannot know where it came from.`
      }
    case "part":
      return {
        word: `INTACT, VOUCHED FOR UP TO EVENT ${sayCount(upTo)} OF ${sayCount(last)}`,
        sentence: `${SUCCEEDED}. What the checker typed in vouches for the events up to ${sayCount(upTo)}, ${PROVISO}: this check cannot know where it came from. ${rest}`
      }
    case "earlier":
      return {
        word: "INTACT SINCE THE EARLIER FILE",
        sentence: `${SUCCEEDED}, and the log continues the earlier file, up to event ${sayCount(upTo)}: so far it is as good as that file, and as where it came from.${upTo < last ? ` ${rest}` : ""}`
      }
    case "nothing":
      return {
        word: "INTACT BY ITSELF",
        sentence: `${SUCCEEDED}, but nothing that the checker typed in shows whose file this is: anyone with the service's database could have made it.`
      }
  }
}

const OTHERS: Readonly<Record<Exclude<Verdict, "intact">, (file: string) => VerdictWords>> = {
  tampered: (file) => ({
    word: "TAMPERED — DO NOT RELY ON THIS FILE",
    sentence: `At least one check of ${file} failed: it is not what was recorded, or the record was changed.`
  }),
  unproven: () => ({
    word: "UNPROVEN",
    sentence:
      "Nothing failed, but something that the checker gave matches nothing in the file. It shows less than was asked of it."
  }),
  unreadable: (file) => ({
    word: "UNREADABLE",
    sentence: `${file[0]?.toUpperCase()}${file.slice(1)} is no evidence file, or it is damaged. It proves nothing, neither that the log is right nor that it is wrong.`
  })
}

/** Which of two files a verdict comes from. */
const fileOf = ({ verdict, main, earlier, comparison }: Outcome): string => {
  if (earlier === null) return "the file"
  if (main.verdict === verdict) return "the later file"
  return earlier.verdict === verdict ? "the earlier file" : comparison === null ? "the file" : "the log"
}

/** A verdict in words. */
export const verdictWords = (outcome: Outcome): VerdictWords => {
  const { verdict } = outcome
  return verdict === "intact" ? intactWords(vouchingOf(outcome)) : OTHERS[verdict](fileOf(outcome))
}

/** What no verification of such a file can show. */
export const LIMITS: ReadonlyArray<string> = [
  "That an event is true. Anybody who sends events can send false ones; they cannot be changed afterwards.",
  "That everything was recorded. An event that was never sent is in no log.",
  "When an event happened. The time that it was recorded is the service's clock; only a block of the chain fixes a latest time from outside.",
  "That the newest events are in the file. A file ends where it was made to end; compare it with a later one.",
  "Who made the file, or how it came to you. Compare the SHA-256 with the one that the sender states."
]
