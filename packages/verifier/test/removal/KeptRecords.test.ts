/**
 * A true record of a removal stands in for no content that Cairn keeps: not for its own records', and not for
 * the history before the chain.
 */
import { formatVerifierKey } from "@cairn/core/note"
import { isKept } from "@cairn/core/retention"
import {
  contentOf,
  type TestBundleOptions,
  type TestLog,
  type TestLogOptions,
  testBundle,
  testLog
} from "@cairn/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { because, Python, usable } from "../../../../examples/verify-python/test/Python.ts"
import { compareEvidence, layerTools } from "../../src/index.ts"
import { serviceKey, signer, stream, verify } from "../Bundles.ts"
import { drop, edit, event, type Lines, ofType, parse, recount } from "../tampering/Tampering.ts"

const python = usable ? new Python() : undefined
afterAll(() => python?.close())

const keys = { trusted_keys: [formatVerifierKey(serviceKey)] }

/**
 * Asserts the verdict of both verifiers for whoever brings the key, and an older bundle if there is one;
 * returns the report.
 */
const expectVerdict = async (lines: Lines, verdict: "intact" | "tampered", said: string, older?: Lines) => {
  const options = { trustedKeys: [serviceKey] }
  const report = older
    ? await Effect.runPromise(
        compareEvidence(stream(older), stream(lines), options).pipe(Effect.provide(layerTools))
      )
    : await Effect.runPromise(verify(lines))
  assert.strictEqual(report.verdict, verdict, said)
  if (python === undefined) return report
  const answer = await python.ask(older ? [older, lines] : [lines], keys)
  assert.strictEqual(answer.verdict, verdict, `${said}, to the verifier in Python`)
  // Of two bundles each has findings of its own.
  if (older !== undefined) return report
  const unclear = answer.findings.some(({ message }) => message.includes("older form"))
  assert.strictEqual(
    unclear,
    report.not_checked.some(({ message }) => message.includes("older form")),
    said
  )
  return report
}

const LOGS: Readonly<Record<string, TestLogOptions>> = {
  "one record": { events: 14, legacy: 3, announced: [3, 8], retainedFrom: 12 },
  "a record that keeps nothing": { events: 14, retainedFrom: 12 },
  "records that go on": {
    events: 20,
    legacy: 2,
    announced: [3, 12],
    retained: [
      { at: 6, below: 2 },
      { at: 9, below: 7 },
      { at: 15, below: 10 }
    ],
    erased: [5, 13, 18],
    retainedFrom: 17,
    later: 2,
    periods: [5, 10, 16]
  },
  "a record after one of the older form": {
    events: 20,
    legacy: 2,
    announced: [3, 12],
    retained: [
      { at: 8, below: 6, older: true },
      { at: 14, below: 11 }
    ],
    retainedFrom: 15,
    periods: [9]
  }
}

const RANGES: ReadonlyArray<TestBundleOptions> = [
  {},
  { to: 5 },
  { to: 11 },
  { from: 3, to: 10 },
  { from: 7 },
  { from: 12, to: 13 }
]

/**
 * Sequences of the records whose contents stay, below what retention has removed, and those of records that
 * account for others.
 */
const keptIn = (log: TestLog) =>
  log.events.flatMap((event) => (isKept(contentOf(event)?.action ?? "") ? [event.sequence] : []))

/** The bundle without a content, and without the history that it commits to. */
const without = (lines: Lines, sequence: number): Lines => {
  const left = edit(lines, event(sequence), () => ({ content: null, salt: null }))
  return recount(sequence === 1 ? left.filter((line) => !ofType("legacy")(line)) : left)
}

const within = (lines: Lines, sequence: number): boolean => lines.some(event(sequence))

/** The lines without some of those of a type. */
const withoutSome = (lines: Lines, type: string, isLeft: (index: number) => boolean): Lines => {
  let index = 0
  return recount(lines.filter((line) => !ofType(type)(line) || isLeft(index++)))
}

describe.each(Object.entries(LOGS))("a log with %s", (name, options) => {
  const log = testLog(options)
  const exact = name !== "a record after one of the older form"
  const bundles = RANGES.map((range) => ({
    said: JSON.stringify(range),
    lines: testBundle(log, { ...range, signer })
  }))

  it(`is intact in every range${because}`, async () => {
    for (const { said, lines } of bundles) await expectVerdict(lines, "intact", said)
  })

  it(`is tampered with where the content of a record that is kept is left out${because}`, async () => {
    let tried = 0
    for (const { said, lines } of bundles) {
      for (const sequence of keptIn(log).filter((one) => within(lines, one))) {
        await expectVerdict(without(lines, sequence), "tampered", `${said} without ${sequence}`)
        tried++
      }
    }
    assert.isAtLeast(tried, 2)
  })

  it.runIf(exact)(`is tampered with where the records that name it are left out, too${because}`, async () => {
    for (const { said, lines } of bundles) {
      const removals = lines.filter(ofType("removal")).length
      for (const sequence of keptIn(log).filter((one) => within(lines, one))) {
        for (let gone = 0; gone < removals; gone++) {
          for (const left of [(index: number) => index !== gone, (index: number) => index === gone]) {
            const less = withoutSome(without(lines, sequence), "removal", left)
            await expectVerdict(less, "tampered", `${said} without ${sequence} and record ${gone}`)
          }
        }
      }
    }
  })

  it(`is tampered with where a record that is needed is left out${because}`, async () => {
    for (const { said, lines } of bundles.filter(({ lines }) => lines.some(ofType("removal")))) {
      const gone = lines.some((line) => ofType("event")(line) && parse(line).content === null)
      const none = withoutSome(lines, "removal", () => false)
      const isNeeded =
        gone && !lines.some((line) => line.includes("cairn.retention.applied") && ofType("event")(line))
      if (isNeeded) await expectVerdict(none, "tampered", said)
    }
  })
})

describe("an older bundle", () => {
  const options = LOGS["records that go on"] ?? { events: 1 }
  const older = testBundle(testLog({ ...options, unremoved: true }), { signer, to: 16, size: 16 })
  const lines = testBundle(testLog(options), { signer })

  it(`has every record that is kept in the later one${because}`, async () => {
    await expectVerdict(lines, "intact", "honest", older)
    for (const sequence of keptIn(testLog(options)).filter((one) => one <= 16)) {
      await expectVerdict(without(lines, sequence), "tampered", `without ${sequence}`, older)
    }
  })

  it(`does not let a record go that only an older form would account for${because}`, async () => {
    const old: TestLogOptions = { events: 14, announced: [3], retained: [{ at: 12, below: 9, older: true }] }
    const before = testBundle(testLog({ ...old, unremoved: true }), { signer, to: 10, size: 10 })
    const later = without(testBundle(testLog(old), { signer }), 3)
    await expectVerdict(later, "intact", "by itself")
    await expectVerdict(later, "tampered", "beside the older one", before)
  })
})

describe("the older form of what retention records", () => {
  const log = testLog({ events: 14, announced: [3], retained: [{ at: 12, below: 9, older: true }] })
  const lines = testBundle(log, { signer })

  it(`accounts for all before it, and that it kept none of that is not checked${because}`, async () => {
    const { not_checked: open } = await expectVerdict(lines, "intact", "honest")
    assert.include(JSON.stringify(open), "the missing content of 7 events from 1 to 8")
    assert.include(JSON.stringify(open), "without earlier events")
    await expectVerdict(without(lines, 10), "tampered", "beyond it")
  })

  it(`is said of a history and a first event that are left out${because}`, async () => {
    const history = testLog({ events: 14, legacy: 3, retained: [{ at: 12, below: 9, older: true }] })
    const { not_checked: open } = await expectVerdict(
      without(testBundle(history, { signer }), 1),
      "intact",
      "without its history"
    )
    assert.include(JSON.stringify(open), "without earlier events")
  })

  it(`is not said where a record of the newer form accounts for the same${because}`, async () => {
    const newer = testLog({ events: 14, retained: [{ at: 8, below: 6, older: true }], retainedFrom: 9 })
    const { not_checked: open } = await expectVerdict(testBundle(newer, { signer }), "intact", "whole")
    assert.notInclude(JSON.stringify(open), "earlier events")
    const removals = drop(testBundle(newer, { signer, to: 10 }), ofType("removal"))
    await expectVerdict(recount(removals), "tampered", "without what accounts for 6 to 8")
  })
})
