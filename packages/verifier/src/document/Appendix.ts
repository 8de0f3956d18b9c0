/** The appendix of a report: what was found in full, what to compare, and how to repeat the check. */
import { parseVerifierKey } from "@cairn/core/note"
import { printable } from "@cairn/core/verification"
import { Result } from "effect"
import { platformTools } from "../evidence/VerifyEvidence.ts"
import { type FindingLists, sayMoment } from "../report/Finding.ts"
import type { BroughtReport } from "../report/Obligations.ts"
import type { KeyReport, Report } from "../report/Report.ts"
import { allFailures } from "./FailureTable.ts"
import { inGroups, sayCount } from "./Numbers.ts"
import { findingsOf, type Outcome } from "./Outcome.ts"
import { element, type PageElement } from "./PageElement.ts"
import { repeatCommand } from "./RepeatCommand.ts"
import type { ReportFacts } from "./ReportFacts.ts"
import { subjectText } from "./ReportText.ts"
import { LIMITS } from "./Words.ts"

/** Entries of a list, and characters of each. */
const MOST = 100
const LONGEST = 500

const section = (title: string, ...children: ReadonlyArray<PageElement>): PageElement =>
  element("section", {}, element("h3", {}, title), ...children)

const list = (items: ReadonlyArray<string>, unlisted: number): PageElement => {
  const more = unlisted + Math.max(0, items.length - MOST)
  return element(
    "ul",
    {},
    ...items.slice(0, MOST).map((item) => element("li", {}, printable(item, LONGEST))),
    ...(more === 0 ? [] : [element("li", {}, `… and ${sayCount(more)} more`)])
  )
}

/** SHA-256 of the public key, which people compare. */
const fingerprint = (key: string): string => {
  const { sha256 } = platformTools
  const parsed = parseVerifierKey(sha256, key)
  return Result.isFailure(parsed) ? "not a key" : inGroups(sha256.hex(parsed.success.publicKey))
}

/** A key, and which of the files' checkpoints it has signed. */
interface ListedKey extends KeyReport {
  readonly signedIn: ReadonlyArray<string>
}

const keyWords = ({ stated, given, signedIn }: ListedKey): string =>
  [
    signedIn.length > 0
      ? `signed the checkpoint of ${signedIn.join(" and ")}`
      : "did not sign a checkpoint that is in the file",
    given ? "was given by who checked" : "was not given by who checked",
    ...(stated ? ["is the service's, as the file says"] : [])
  ].join("; ")

/** The keys of both files, each once. */
const keysIn = ({ main, earlier }: Outcome): ReadonlyArray<ListedKey> => {
  const files =
    earlier === null
      ? [{ of: "the file", report: main }]
      : [
          { of: "the earlier file", report: earlier },
          { of: "the later file", report: main }
        ]
  const keys = new Map<string, ListedKey>()
  for (const { of, report } of files) {
    for (const key of report.keys) {
      const before = keys.get(key.key)
      const signedIn = [...(before?.signedIn ?? []), ...(key.signed ? [of] : [])]
      keys.set(key.key, { ...key, stated: key.stated || before?.stated === true, signedIn })
    }
  }
  return [...keys.values()]
}

/** Keys that the files state and that are not listed: a file may state any number. */
const moreKeys = ({ main, earlier }: Outcome): ReadonlyArray<PageElement> => {
  const more = (count: number, of: string) =>
    count === 0
      ? []
      : [
          element(
            "p",
            {},
            `… and ${sayCount(count)} more that ${of} states, none of which was given or has signed its checkpoint.`
          )
        ]
  return earlier === null
    ? more(main.unlisted_keys, "the file")
    : [...more(earlier.unlisted_keys, "the earlier file"), ...more(main.unlisted_keys, "the later file")]
}

const senderText = ({ main, earlier }: Outcome): string => {
  const senders = [...new Set([...(earlier?.senders ?? []), ...main.senders])]
  if (senders.length === 0) return "No transaction of an anchor was proven to be signed by an account."
  const more = main.unlisted_transactions + (earlier?.unlisted_transactions ?? 0)
  const others = more === 0 ? "" : ` … and others, which signed ${sayCount(more)} more`
  return `Accounts that signed the transactions of anchors: ${senders.join(", ")}${others}`
}

const keyList = (keys: ReadonlyArray<ListedKey>): ReadonlyArray<PageElement> =>
  keys.length === 0
    ? [element("p", {}, "The file names no key, and none was given.")]
    : [
        element("p", {}, element("strong", {}, "Compare; do not copy from here into the check.")),
        element(
          "ul",
          {},
          ...keys.map((key) =>
            element(
              "li",
              {},
              element("p", { class: "hash" }, printable(key.key, LONGEST)),
              element("p", { class: "hash" }, `SHA-256 of the public key ${fingerprint(key.key)}`),
              element("p", {}, `It ${keyWords(key)}.`)
            )
          )
        )
      ]

const compareSection = (outcome: Outcome): PageElement => {
  const { main } = outcome
  // The newest stands for all before it.
  const blocks = [...main.blocks].reverse()
  return section(
    "B. Fingerprints to compare",
    element(
      "p",
      {},
      "Compare these with what you have from elsewhere than this file, its report or the service: from a contract, the operator's website, or an earlier audit."
    ),
    ...keyList(keysIn(outcome)),
    ...moreKeys(outcome),
    element("p", {}, senderText(outcome)),
    ...(blocks.length === 0
      ? []
      : [
          element("p", {}, "Blocks that hold these transactions, to look up in a block explorer:"),
          list(
            blocks.map(
              ({ number, hash, timestamp }) => `block ${number} of ${sayMoment(timestamp)}: hash ${hash}`
            ),
            0
          )
        ])
  )
}

/** What was given, in words. The address of a node may hold a secret. */
const GIVEN: Readonly<Record<BroughtReport["name"], (what: string) => string>> = {
  trusted_key: (what) => `the key ${what}`,
  anchor_address: (what) => `the account ${what}`,
  block_hash: (what) => `the block ${what}`,
  rpc: () => "a node of the chain",
  earlier: (what) => what
}

const given = ({ brought }: Outcome): PageElement =>
  brought.length === 0
    ? element("p", {}, "The checker gave nothing to compare with.")
    : list(
        brought.map(({ name, what, discharged, up_to: upTo, message }) => {
          const shown = GIVEN[name](what)
          return discharged
            ? `${shown}: holds up to event ${sayCount(upTo ?? 0)}`
            : `${shown}: ${message ?? "matches nothing in the file"}`
        }),
        0
      )

const findings = (of: string, lists: FindingLists): ReadonlyArray<PageElement> => [
  element("p", {}, element("strong", {}, `${of}: proven`)),
  lists.proven.length === 0
    ? element("p", {}, "Nothing.")
    : list(
        lists.proven.map(({ subject, message }) => `${subjectText(subject)}: ${message}`),
        lists.unlisted_proven
      ),
  element("p", {}, element("strong", {}, `${of}: not checked`)),
  lists.not_checked.length === 0
    ? element("p", {}, "Nothing.")
    : list(
        lists.not_checked.map(
          ({ subject, message, remedy }) =>
            `${subjectText(subject)}: ${message}${remedy === null ? "" : ` (with ${remedy})`}`
        ),
        lists.unlisted_not_checked
      )
]

/** What the command below repeats, and what proves nothing if it is copied from there. */
const COPIED: ReadonlySet<BroughtReport["name"]> = new Set(["trusted_key", "anchor_address", "block_hash"])
const OWN_SOURCE =
  "The command has what the checker typed in. For a check of your own, put in what you have from elsewhere."

const repeatSection = ({ brought }: Outcome, { files, verifier, chainId }: ReportFacts): PageElement => {
  const { command, besides } = repeatCommand(files, brought, chainId)
  return section(
    "D. How to repeat this check",
    element(
      "ol",
      {},
      element(
        "li",
        {},
        "Compare the SHA-256 of your copy with that on the first page: ",
        element("code", {}, "sha256sum FILE"),
        " or ",
        element("code", {}, "shasum -a 256 FILE")
      ),
      element(
        "li",
        {},
        `Check it with cairn-verify, of the npm package @cairn/verifier. This report was made with ${printable(verifier)}. Neither needs the service:`,
        element("pre", {}, command),
        ...besides.map((sentence) => element("p", {}, sentence)),
        ...(brought.some(({ name }) => COPIED.has(name)) ? [element("p", {}, OWN_SOURCE)] : [])
      ),
      element(
        "li",
        {},
        "Or write a verifier of your own: the format cairn-evidence/1 and the hashes are published, and a second verifier, in one file of Python, is in the project's examples."
      )
    )
  )
}

/** Why a file, or the rest of it, cannot be read. */
const unreadable = (of: string, { unreadable: broken }: Pick<Report, "unreadable">) =>
  broken === null
    ? []
    : [
        element(
          "p",
          {},
          `${of} cannot be read${broken.line === null ? "" : ` from line ${sayCount(broken.line)} on`}: ${printable(broken.message, LONGEST)}`
        )
      ]

/** The appendix. */
export const appendix = (outcome: Outcome, facts: ReportFacts): PageElement => {
  const { main, earlier } = outcome
  return element(
    "section",
    { class: "appendix" },
    element("h2", {}, "Appendix"),
    section(
      "A. What failed",
      ...unreadable(earlier === null ? "The file" : "The later file", main),
      ...(earlier === null ? [] : unreadable("The earlier file", earlier)),
      ...allFailures(outcome)
    ),
    compareSection(outcome),
    section(
      "C. What was checked, in detail",
      element("p", {}, element("strong", {}, "What the checker gave")),
      given(outcome),
      ...findingsOf(outcome).flatMap(({ of, lists }) => findings(of, lists))
    ),
    repeatSection(outcome, facts),
    section(
      "E. What no such check shows",
      element("ul", {}, ...LIMITS.map((limit) => element("li", {}, limit)))
    )
  )
}
