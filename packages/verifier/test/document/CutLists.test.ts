/** A report cuts long lists, and says of each how much it leaves out. */
import { formatVerifierKey } from "@cairn/core/note"
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toHtml } from "../../src/document/PageElement.ts"
import {
  type BroughtReport,
  type ComparisonReport,
  evidenceReport,
  type Failure,
  type Report
} from "../../src/index.ts"
import type { Subject } from "../../src/report/Finding.ts"
import { serviceKey, signer } from "../Bundles.ts"
import { signTransaction, testChain } from "../TestChain.ts"
import { about, reportOf, textOf } from "./Documents.ts"

const COUNT = 1_234
const UNLISTED = 5

const many = <A>(make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: COUNT }, (_, index) => make(index + 1))
const mark = (index: number) => `mark-${index}-`
const hexMark = (index: number) => `0x${String(index).padStart(64, "0")}`

const empty: Report = {
  verdict: "tampered",
  bundle: null,
  counts: { events: 0, removed: 0, legacy: 0, anchors: 0 },
  period: null,
  keys: [],
  unlisted_keys: 0,
  senders: [],
  unlisted_transactions: 0,
  failures: 0,
  failed: [],
  failures_by_code: {},
  proven: [],
  not_checked: [],
  unlisted_proven: 0,
  unlisted_not_checked: 0,
  obligations: { claimed: [], brought: [] },
  blocks: [],
  unreadable: null
}

type NameOfList<A> = { [K in keyof A]: A[K] extends ReadonlyArray<unknown> ? K : never }[keyof A]

const bundle: Subject = { kind: "bundle" }
const failure = (subject: Subject, message: string): Failure => ({
  code: "content_changed",
  type: null,
  subject,
  message,
  expected: null,
  actual: null,
  event: null
})
const failing = (failed: ReadonlyArray<Failure>): Partial<Report> => ({ failed, failures: COUNT + UNLISTED })

/** Each list of a report, as long as no report shows it, with what is said of those that it does not hold. */
const lists: Readonly<Record<NameOfList<Report>, Partial<Report>>> = {
  keys: {
    keys: many((index) => ({ key: mark(index), stated: true, given: false, signed: false })),
    unlisted_keys: UNLISTED
  },
  senders: { senders: many(mark), unlisted_transactions: UNLISTED },
  failed: failing(many((index) => failure({ kind: "event", sequence: index, id: mark(index) }, mark(index)))),
  proven: {
    proven: many((index) => ({ subject: bundle, message: mark(index) })),
    unlisted_proven: UNLISTED
  },
  not_checked: {
    not_checked: many((index) => ({ subject: bundle, message: mark(index), remedy: null })),
    unlisted_not_checked: UNLISTED
  },
  blocks: {
    blocks: many((index) => ({ anchorId: "anc_1", number: index, hash: mark(index), timestamp: index }))
  }
}
const noEvents = failing(many((index) => failure(bundle, mark(index))))

const brought: ReadonlyArray<BroughtReport> = many((index) => ({
  name: "block_hash",
  what: `${index}=${hexMark(index)}`,
  discharged: false,
  up_to: null,
  message: null
}))

const textOfReport = (report: Report | ComparisonReport) =>
  textOf(toHtml(evidenceReport(report, { ...about, files: [] })))

/** How many are shown, and that the report says how many are not. */
const mustCount = (text: string, total: number, marks: RegExp = /mark-\d+-/g) => {
  const shown = new Set(text.match(marks)).size
  assert.isAbove(shown, 0)
  const left = total - shown
  if (left > 0) assert.match(text, new RegExp(`\\b${left.toLocaleString("en")} more\\b`), `${shown} shown`)
}

describe("a list of a report that is cut", () => {
  it.each([...Object.entries(lists), ["failed, but no events", noEvents] as const])(
    "says how many more there are: %s",
    (name, part) => {
      const total = name === "blocks" ? COUNT : COUNT + UNLISTED
      const report: Report = { ...empty, ...part }
      mustCount(textOfReport(report), total)
      const { verdict, obligations, failures_by_code, ...none } = empty
      const comparison = { ...none, verdict, failures_by_code, brought: [] }
      mustCount(textOfReport({ ...comparison, older: empty, newer: report }), total)
      // Blocks to look up are those of the later file.
      if (name === "blocks") return
      mustCount(textOfReport({ ...comparison, older: report, newer: empty }), total)
      if (!("failed" in part || "proven" in part || "not_checked" in part)) return
      mustCount(textOfReport({ ...comparison, ...part, older: empty, newer: empty }), total)
    }
  )

  it("says how many more things were given", () => {
    const text = textOfReport({ ...empty, obligations: { claimed: [], brought } })
    const [found, command] = text.split("D. How to repeat this check")
    mustCount(found ?? "", COUNT, /0x0\d{63}/g)
    mustCount(command ?? "", COUNT, /0x0\d{63}/g)
  })

  it.effect("says how many more keys a file states, and never leaves out one that signed", () =>
    Effect.gen(function* () {
      const key = formatVerifierKey(serviceKey)
      const stated = [...Array.from({ length: 30 }, (_, index) => mark(index)), "x".repeat(2_000), key]
      const lines = testBundle(testLog({ events: 3 }), { signer }).map((line, index) =>
        index === 0 ? line.replace(/"keys":\[[^\]]*\]/, `"keys":${JSON.stringify(stated)}`) : line
      )
      const { html, report } = yield* reportOf([{ name: "b.gz", content: lines }])
      assert.strictEqual(report.verdict, "intact")
      assert.include(textOf(html), "… and 11 more that the file states")
      assert.match(
        textOf(html),
        /It signed the checkpoint of the file; .*; is the service's, as the file says/
      )
    })
  )

  it.effect("says how many more transactions other accounts have signed", () =>
    Effect.gen(function* () {
      let sent = 0
      const { send } = testChain({
        transaction: (data) => signTransaction(data, sent, { account: 1 + (sent++ % 23) })
      })
      const periods = Array.from({ length: 25 }, (_, index) => index + 1)
      const { html } = yield* reportOf([
        { name: "b.gz", content: testBundle(testLog({ events: 25, periods, send })) }
      ])
      const [, listed = ""] = /Accounts that signed [^:]*: (.*?) Blocks/.exec(textOf(html)) ?? []
      assert.strictEqual(new Set(listed.match(/0x[0-9a-f]{40}/g)).size, 20)
      assert.include(listed, "… and others, which signed 3 more")
    })
  )
})
