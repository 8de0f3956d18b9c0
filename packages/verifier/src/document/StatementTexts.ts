/** The sentences of a report's statements. */
import { sayCount, sayMany } from "./Numbers.ts"
import type { StatementName } from "./Outcome.ts"
import {
  type Case,
  elsewhere,
  FALSE_FILE,
  failedTimes,
  hindered,
  NOT_WHO,
  reasons,
  type StatementTexts,
  sayChain,
  upTo,
  type Write
} from "./StatementParts.ts"

/** What keeps somebody who has the database from rewriting the hashes. */
const ruledOut = ({ kind, upTo: end }: Case["vouching"]): string => {
  switch (kind) {
    case "whole":
      return "what you gave rules that out, if it came from elsewhere"
    case "part":
      return `what you gave rules that out up to event ${sayCount(end)}, if it came from elsewhere`
    case "earlier":
      return `the earlier file rules that out up to event ${sayCount(end)}, if you kept it yourself`
    case "nothing":
      return "nothing that was checked here rules that out"
  }
}

const events: Write = ({ report, state, hindered: isHindered, failures, vouching }) => {
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
    limits: `That the hashes are the service's: anybody who can write its database can make new ones; ${ruledOut(vouching)}. That what an event says is true, or that all that happened was recorded.`,
    remedy: null
  }
}

/** Whether a signature is there that was checked with a key, from elsewhere or of the file. */
const isSigned = ({ keys }: Case["report"]): boolean => keys.some(({ signed }) => signed)

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
    means: "No event of the range was left out.",
    limits: `That the log has no events before or after these. That the newest anchors are all in the file.${isSigned(report) ? "" : " That no signature was taken out of the file."}`,
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
    sentence: `${count === 0 ? "The contents that are missing from the history" : `The contents of ${sayMany(count, "event")}`} were removed, by retention or erasure, and the log records each removal.`,
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

const signature: Write = ({
  report,
  state,
  hindered: isHindered,
  failures,
  brought,
  hasCheckpoint,
  isElsewhere
}) => {
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
        report.counts.events === 0
          ? "The holder of that key has vouched for a log without events."
          : "The holder of that key has vouched for exactly these events: nobody else can have made them, or left one of the range out.",
      limits: "That the key is the service's: you know that from where you got it. When it was signed.",
      remedy: null
    }
  }
  if (isElsewhere) return elsewhere("The key that you gave")
  if (brought.length > 0) {
    return {
      sentence: "A key that you gave does not vouch for these events.",
      means: `${reasons(brought)}.`,
      limits: "That the file was forged: the service may have replaced the key.",
      remedy: "a file from the time of that key, or the key that replaced it"
    }
  }
  return {
    sentence: hasCheckpoint
      ? "You gave no key to check the signature against."
      : "The file has no signature, and you gave no key.",
    means: hasCheckpoint
      ? isSigned(report)
        ? "The file is signed with a key that the file itself names. Anybody can make such a file with a key of their own."
        : "None of the keys that the file names has signed it, so nothing here shows who made it."
      : "Nobody has vouched for these events.",
    limits: hasCheckpoint
      ? "That the file was forged: with no key to compare, this check cannot tell."
      : "That the file was forged: not every service signs its log.",
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
      limits: "That the file was forged: not every service anchors, and new events are anchored later.",
      remedy: "a later file, if the service anchors; if it does not, there is none"
    }
  }
  return {
    sentence: `${count === 1 ? "The anchor holds" : `Each of the ${sayCount(count)} anchors holds`} the hashes of all events of its period; ${sayMany(confirmed, "is in a signed transaction", "are in signed transactions")}.`,
    means: "The transactions fit these events and no others.",
    limits:
      "That the transactions are on the blockchain, or who sent them: see below. That events after the last anchor were not changed.",
    remedy: null
  }
}

const account: Write = ({ state, hindered: isHindered, failures, brought, confirmed, isElsewhere }) => {
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
      means: "The anchors of this file are not those of somebody else's second, changed log.",
      limits:
        "That the account is the service's: you know that from where you got it. That it anchored no other log.",
      remedy: null
    }
  }
  if (isElsewhere) return elsewhere("The account that you gave")
  if (confirmed === 0) {
    return {
      sentence: "No anchor of the file was sent to a blockchain, so none by the account that you gave.",
      means: "There is nothing in the file to compare the account with.",
      limits: "That the file was forged: not every service anchors, and new events are anchored later.",
      remedy: "a later file, if the service anchors; if it does not, there is none"
    }
  }
  return {
    sentence:
      brought.length > 0
        ? "No anchor of the file was sent by the account that you gave."
        : "You gave no account to compare the sender of the anchors with.",
    means: "The anchors may be those of a second, changed log that somebody else keeps.",
    limits: "That they are somebody else's.",
    remedy:
      brought.length > 0
        ? "a file with anchors that are confirmed"
        : "the account that anchors, from somebody other than who gave you the file (--anchor-address)"
  }
}

const chain: Write = ({ state, hindered: isHindered, failures, brought, chainId, isElsewhere }) => {
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
      sentence: `The anchors are on ${sayChain(chainId)}, in blocks that were looked up, up to event ${upTo(brought)}.`,
      means: `The events up to ${upTo(brought)} existed when the block was made, and nobody, the service included, has changed them since.`,
      limits:
        "That the source where the blocks were looked up is right. Who sent the anchors: see above. Anything of later events.",
      remedy: null
    }
  }
  if (isElsewhere) return elsewhere("What you gave of the blockchain")
  return {
    sentence:
      brought.length > 0
        ? "No block that you gave, or that the node showed, holds an anchor of the file."
        : "Whether the anchors are on the blockchain was not looked up.",
    means: "The file shows transactions and blocks, but anybody can make blocks.",
    limits: "That the anchors are not there.",
    remedy: "the hashes in the appendix, compared with a block explorer's (--block-hash, or --rpc)"
  }
}

const SAME_FILE: StatementTexts = {
  sentence: "The earlier file is the same file: nothing was compared.",
  means: "Of the time before it was made, this check says nothing.",
  limits: "That the log was changed, or was not.",
  remedy: "a file that was made earlier, from where you kept it"
}

/** Whether the files seem to be the wrong way round. */
const isSwapped = ({ report, earlier: before }: Case): boolean =>
  report.bundle !== null &&
  before?.bundle != null &&
  report.bundle.origin === before.bundle.origin &&
  report.bundle.to < before.bundle.to

const earlier: Write = (known) => {
  const { state, hindered: isHindered, failures, brought, isSameFile } = known
  if (isSameFile) return SAME_FILE
  if (state === "failed") {
    return {
      sentence: isSwapped(known)
        ? "The later file ends before the earlier one. Were they given the wrong way round?"
        : `The log is not a continuation of what it was before. ${failedTimes(failures)}`,
      means: "Events that were there were changed or dropped since, or the two are not of one log.",
      limits: NOT_WHO,
      remedy: null
    }
  }
  if (isHindered) return hindered("Whether the log is a continuation of what it was before")
  if (state === "proven") {
    return {
      sentence: `The log is a continuation of what it was before, at event ${upTo(brought)}.`,
      means:
        "No event that was there then was changed or dropped since. Contents may have been removed by the rules of the log: see above.",
      limits: "That it was right then.",
      remedy: null
    }
  }
  return {
    sentence: "The two files do not show that one continues the other.",
    means: `${reasons(brought) || "They could not be compared"}.`,
    limits: "That the log was changed.",
    remedy: "a file that begins where the earlier one ends, or before"
  }
}

const earlierFile: Write = ({ earlier: report, state, continues, isSameFile }) => ({
  sentence:
    state === "proven"
      ? "The earlier file is intact by itself."
      : state === "failed"
        ? "The earlier file fails checks of its own."
        : "The earlier file could not be checked fully.",
  means:
    state === "proven"
      ? continues || isSameFile
        ? "Its events are the same, as far as both files have them."
        : "It agrees with itself; nothing shows that it is of this log."
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
