/** The fixed words of a report. */
import type { BroughtReport } from "../report/Obligations.ts"
import type { Verdict } from "../report/Report.ts"
import type { StatementState } from "./Statements.ts"

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

/** An intact bundle, if the auditor gave something from elsewhere. */
const INTACT: VerdictWords = {
  word: "INTACT",
  sentence:
    "Every required check succeeded, and all that was given from elsewhere fits. The file shows what was recorded."
}

/** An intact bundle, if the auditor gave an earlier one and nothing else. */
const CONTINUED: VerdictWords = {
  word: "INTACT SINCE THE EARLIER FILE",
  sentence:
    "Every required check succeeded, and the log continues the earlier file. Nothing else from elsewhere was given: it is as good as the earlier file is, and as where that came from."
}

/** An intact bundle, if the auditor gave nothing. */
const CONSISTENT: VerdictWords = {
  word: "INTACT BY ITSELF",
  sentence:
    "Every required check succeeded, but nothing from elsewhere was given to compare with: anyone with the service's database could have made this file."
}

const OTHERS: Readonly<Record<Exclude<Verdict, "intact">, VerdictWords>> = {
  tampered: {
    word: "TAMPERED — DO NOT RELY ON THIS FILE",
    sentence: "At least one check failed: the file is not what was recorded, or the record was changed."
  },
  unproven: {
    word: "UNPROVEN",
    sentence:
      "Nothing failed, but something that was given from elsewhere matches nothing in the file. It shows less than was asked of it."
  },
  unreadable: {
    word: "UNREADABLE",
    sentence:
      "This is no evidence file, or it is damaged. It proves nothing, neither that the log is right nor that it is wrong."
  }
}

/** What was given from elsewhere and fits: nothing, an earlier file alone, or more. */
export type Given = "nothing" | "earlier" | "more"

/** What was given from elsewhere and fits. The same file once more is nothing. */
export const givenIn = ({
  brought,
  isSameFile
}: {
  readonly brought: ReadonlyArray<BroughtReport>
  readonly isSameFile: boolean
}): Given => {
  const held = brought.filter(({ discharged }) => discharged)
  if (held.some(({ name }) => name !== "earlier")) return "more"
  return held.length > 0 && !isSameFile ? "earlier" : "nothing"
}

const WHOLE: Readonly<Record<Given, VerdictWords>> = {
  nothing: CONSISTENT,
  earlier: CONTINUED,
  more: INTACT
}

/** A verdict in words. */
export const verdictWords = (verdict: Verdict, given: Given): VerdictWords =>
  verdict === "intact" ? WHOLE[given] : OTHERS[verdict]

/** What no verification of such a file can show. */
export const LIMITS: ReadonlyArray<string> = [
  "That an event is true. Whoever sends events can send false ones; they cannot be changed afterwards.",
  "That everything was recorded. An event that was never sent is in no log.",
  "When an event happened. The time that it was recorded is the service's clock; only a block of the chain fixes a latest time from outside.",
  "That the newest events are in the file. A file ends where it was made to end; compare it with a later one.",
  "Who made the file, or how it came to you. Compare the SHA-256 with the one that the sender states."
]
