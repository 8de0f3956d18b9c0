/** The sentences of a report's statements. */
import { printable } from "@cairn/core/verification"
import type { BroughtReport } from "../report/Obligations.ts"
import type { Report } from "../report/Report.ts"
import { sayCount, sayMany } from "./Numbers.ts"
import type { StatementName } from "./Outcome.ts"

/** A statement in words. */
export interface StatementTexts {
  readonly sentence: string
  readonly means: string
  readonly limits: string
  /** How it could be shown; null where it is, or cannot be. */
  readonly remedy: string | null
}

/** What the sentences are made of. */
export interface Known {
  readonly report: Report
  readonly earlier: Report | null
  /** Anchors that were sent to a blockchain. */
  readonly confirmed: number
  readonly hasCheckpoint: boolean
  readonly brought: ReadonlyArray<BroughtReport>
  /** Whether the earlier file is the later one once more. */
  readonly isSameFile: boolean
}

interface Case extends Known {
  readonly state: "proven" | "not_checked" | "failed"
  /** Whether something else that failed, or could not be read, kept it from being checked. */
  readonly hindered: boolean
  readonly failures: number
}

type Write = (known: Case) => StatementTexts

/** How far all of what was given holds. */
const upTo = (brought: ReadonlyArray<BroughtReport>): string =>
  sayCount(Math.max(...brought.map(({ up_to: last }) => last ?? 0)))

const failedTimes = (failures: number): string =>
  failures === 1 ? "One check of it failed." : `${sayCount(failures)} checks of it failed.`

const HINDERED: StatementTexts = {
  sentence: "",
  means:
    "Nothing: another check failed, or the file could not be read to its end, so that this one could not be made.",
  limits: "That it is wrong, or right.",
  remedy: null
}

const hindered = (subject: string): StatementTexts => ({
  ...HINDERED,
  sentence: `${subject} could not be checked.`
})

const FALSE_FILE = "That this file is not what the service recorded, or that the record was changed."
const NOT_WHO = "Who changed it, when, or why."

const events: Write = ({ report, state, hindered: isHindered, failures }) => {
  if (state === "failed") {
    return {
      sentence: `Events are not what was recorded, are missing, or are out of place. ${failedTimes(failures)}`,
      means: FALSE_FILE,
      limits: NOT_WHO,
      remedy: null
    }
  }
  if (isHindered) return hindered("Whether the events are what was recorded")
  const { events: count } = report.counts
  if (count === 0) {
    return {
      sentence: "The file holds no event.",
      means: "There is nothing to check.",
      limits: "That nothing was recorded: the range that was exported is empty.",
      remedy: "a file of a range that has events"
    }
  }
  return {
    sentence: `Each of the ${sayMany(count, "event")} has the hash that was made of it, and follows the one before it.`,
    means: "No event of this file was changed, removed, inserted or moved since these hashes were made.",
    limits:
      "That the hashes are the service's: whoever can write its database can make new ones, which the signature and the blockchain below rule out. That what an event says is true, or that all that happened was recorded.",
    remedy: null
  }
}

const whole: Write = ({ report, state, failures }) => {
  if (state === "failed") {
    return {
      sentence: `The file is not whole. ${failedTimes(failures)}`,
      means: "Something that the service always writes was left out or cut off.",
      limits: NOT_WHO,
      remedy: null
    }
  }
  const { bundle } = report
  if (state === "not_checked" || bundle === null) return hindered("Whether the file is whole")
  const range =
    bundle.to < bundle.from
      ? "It is the file of an empty range"
      : `It holds every event from ${sayCount(bundle.from)} to ${sayCount(bundle.to)}`
  return {
    sentence: `The file is whole. ${range}, and its end is there.`,
    means: "Nothing between its first and its last line was left out.",
    limits: "That there are no events before or after the range.",
    remedy: null
  }
}

const removals: Write = ({ report, state, failures }) => {
  if (state === "failed") {
    return {
      sentence: `Contents are missing though no event of the log records their removal. ${failedTimes(failures)}`,
      means: "What these events said was removed without a trace, or the record of it was changed.",
      limits: NOT_WHO,
      remedy: null
    }
  }
  if (state === "not_checked")
    return hindered("Whether missing contents were removed by the rules of the log")
  const count = report.counts.removed
  return {
    sentence: `The contents of ${sayMany(count, "event")} were removed, by retention or erasure, and the log records each removal.`,
    means: "That these events happened, when, and in which order stays proven.",
    limits: "What the removed contents said.",
    remedy: null
  }
}

const history: Write = ({ report, state, failures }) => {
  if (state === "failed") {
    return {
      sentence: `The history from before the chain is not the one that the chain began with. ${failedTimes(failures)}`,
      means: FALSE_FILE,
      limits: NOT_WHO,
      remedy: null
    }
  }
  const count = report.counts.legacy
  if (state === "not_checked") return hindered("Whether the history from before the chain was changed")
  return {
    sentence: `The ${sayMany(count, "event")} from before the chain are those that the chain's first event commits to.`,
    means: "None of them was changed since the chain began.",
    limits: "That none was changed before that.",
    remedy: null
  }
}

const signature: Write = ({ state, hindered: isHindered, failures, brought, hasCheckpoint }) => {
  if (state === "failed") {
    return {
      sentence: `The log's signed checkpoint does not vouch for this file. ${failedTimes(failures)}`,
      means: "No key that you gave has signed these events, or they are not those that were signed.",
      limits: NOT_WHO,
      remedy: null
    }
  }
  if (isHindered) return hindered("The signature on the log")
  if (state === "proven") {
    return {
      sentence: `${brought.length === 1 ? "The key that you gave has" : `Each of the ${sayCount(brought.length)} keys that you gave has`} signed the log, up to event ${upTo(brought)}.`,
      means:
        "Whoever holds that key has vouched for exactly these events. Nobody else can have made this file.",
      limits: "That the key is the service's: you know that from where you got it. When it was signed.",
      remedy: null
    }
  }
  if (brought.length > 0) {
    return {
      sentence: "A key that you gave has not signed the log.",
      means: "The file is signed, but not by each key that you gave.",
      limits: "That the file is false. A key may have been replaced.",
      remedy: "a file from the time of that key, or the key that replaced it"
    }
  }
  return {
    sentence: hasCheckpoint
      ? "You gave no key to check the signature against."
      : "The file has no signature, and you gave no key.",
    means: hasCheckpoint
      ? "The file names a key and is signed by it, or by none that it names; anybody can make such a file with a key of their own."
      : "Nobody has vouched for these events.",
    limits: "That the file is false.",
    remedy: hasCheckpoint
      ? "the service's key, from somebody other than who gave you the file (--trusted-key)"
      : "a file from a service that signs its checkpoints"
  }
}

const anchors: Write = ({ report, state, hindered: isHindered, failures, confirmed }) => {
  if (state === "failed") {
    return {
      sentence: `What was anchored does not fit these events. ${failedTimes(failures)}`,
      means: FALSE_FILE,
      limits: NOT_WHO,
      remedy: null
    }
  }
  if (isHindered) return hindered("Whether what was anchored fits these events")
  const { anchors: count } = report.counts
  if (confirmed === 0) {
    return {
      sentence:
        count === 0
          ? "No event of the file is anchored on a blockchain."
          : `The file has ${sayMany(count, "anchor")}, none of which was sent to a blockchain.`,
      means: "No public record fixes these events at a point in time.",
      limits: "That the file is false.",
      remedy: "a file of a later date, from a service that anchors"
    }
  }
  return {
    sentence: `Each of the ${sayMany(count, "anchor")} holds the hashes of all events of its period; ${sayMany(confirmed, "of them is", "of them are")} in signed transactions.`,
    means: "The transactions fit these events and no others.",
    limits:
      "That the transactions are on the blockchain, or who sent them: see below. That events after the last anchor were not changed.",
    remedy: null
  }
}

const account: Write = ({ state, hindered: isHindered, failures, brought }) => {
  if (state === "failed") {
    return {
      sentence: `Another account sent the anchors than the one that you gave. ${failedTimes(failures)}`,
      means: "Somebody else anchored these events, perhaps of a second, changed log.",
      limits: "Who that is.",
      remedy: null
    }
  }
  if (isHindered) return hindered("Which account sent the anchors")
  if (state === "proven") {
    return {
      sentence: `The account that you gave sent the anchors, up to event ${upTo(brought)}.`,
      means: "There is no second, hidden chain of anchors of another account.",
      limits: "That the account is the service's: you know that from where you got it.",
      remedy: null
    }
  }
  return {
    sentence:
      brought.length > 0
        ? "No anchor of the file was sent by the account that you gave."
        : "You gave no account to compare the sender of the anchors with.",
    means: "The anchors may be those of a second, changed log that somebody else keeps.",
    limits: "That they are.",
    remedy:
      brought.length > 0
        ? "a file with anchors that are confirmed"
        : "the account that anchors, from somebody other than who gave you the file (--anchor-address)"
  }
}

const chain: Write = ({ state, hindered: isHindered, failures, brought }) => {
  if (state === "failed") {
    return {
      sentence: `The blockchain has other blocks than the file says. ${failedTimes(failures)}`,
      means: "The transactions are not on the chain that you looked at.",
      limits: "That the events were changed: the file may be of another chain.",
      remedy: null
    }
  }
  if (isHindered) return hindered("Whether the anchors are on the blockchain")
  if (state === "proven") {
    return {
      sentence: `The anchors are on the blockchain, in blocks that you looked up, up to event ${upTo(brought)}.`,
      means:
        "These events existed when the block was made, and nobody, the service included, has changed them since.",
      limits: "That the source where you looked the blocks up is right.",
      remedy: null
    }
  }
  return {
    sentence:
      brought.length > 0
        ? "A block that you gave holds no anchor of the file."
        : "Whether the anchors are on the blockchain was not looked up.",
    means: "The file shows transactions and blocks, but anybody can make blocks.",
    limits: "That they are not there.",
    remedy: "the hashes in the appendix, compared with a block explorer's (--block-hash, or --rpc)"
  }
}

const SAME_FILE: StatementTexts = {
  sentence: "The earlier file is the same file: nothing was compared.",
  means: "Of the time before it was made, this check says nothing.",
  limits: "That the log was changed, or was not.",
  remedy: "a file that was made earlier, from where you kept it"
}

const earlier: Write = ({ state, hindered: isHindered, failures, brought, isSameFile }) => {
  if (isSameFile) return SAME_FILE
  if (state === "failed") {
    return {
      sentence: `The log is not a continuation of what it was before. ${failedTimes(failures)}`,
      means: "Events that were there were changed or dropped since, or the two are not of one log.",
      limits: NOT_WHO,
      remedy: null
    }
  }
  if (isHindered) return hindered("Whether the log is a continuation of what it was before")
  if (state === "proven") {
    return {
      sentence: `The log is a continuation of what it was before, at event ${upTo(brought)}.`,
      means: "Nothing that was there then was changed or dropped since.",
      limits: "That it was right then.",
      remedy: null
    }
  }
  return {
    sentence: "The two files do not show that one continues the other.",
    means: brought.map(({ message }) => printable(message ?? "")).join(" ") || "They could not be compared.",
    limits: "That the log was changed.",
    remedy: "a file that begins where the earlier one ends, or before"
  }
}

const earlierFile: Write = ({ earlier: report, state }) => ({
  sentence:
    state === "proven"
      ? "The earlier file is intact by itself."
      : state === "failed"
        ? "The earlier file fails checks of its own."
        : "The earlier file could not be checked fully.",
  means:
    state === "proven"
      ? "All that is said of the events of this file holds for that one, too."
      : "See its findings in the appendix.",
  limits: state === "failed" ? NOT_WHO : "That it is the file that was made then: compare its SHA-256.",
  remedy: report?.unreadable == null ? null : "the file as it was when it was made"
})

/** The writer of each statement. */
export const TEXTS: Readonly<Record<StatementName, Write>> = {
  events,
  whole,
  removals,
  history,
  signature,
  anchors,
  account,
  chain,
  earlier,
  earlier_file: earlierFile
}
