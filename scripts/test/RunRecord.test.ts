import { assert, describe, it } from "vitest"
import {
  countsOf,
  type ErrorRecord,
  type FileRecord,
  isOutOfTime,
  ownTime,
  ranOutOfTime,
  settle,
  slowest,
  summary,
  type TestRecord
} from "./RunRecord.ts"

const timeOut: ErrorRecord = {
  name: "TestTimeoutError",
  message: "Test timed out in 300000ms.\nIf this is a long-running test"
}
const lost: ErrorRecord = { name: "AssertionError", message: "expected [ 'evt_1' ] to deeply equal []" }

const passed: TestRecord = { title: "holds", state: "passed", errors: [] }
const failed = (error: ErrorRecord): TestRecord => ({ title: "holds", state: "failed", errors: [error] })

const file = (path: string, fields: Partial<FileRecord> = {}): FileRecord => ({
  project: "trials",
  path,
  millis: 1_000,
  importMillis: 100,
  tests: [passed],
  errors: [],
  ...fields
})

describe("an error says that time ran out", () => {
  it.for([
    timeOut,
    { name: "HookTimeoutError", message: "Hook timed out in 120000ms." },
    { name: "OutOfTime", message: "the server did not start" },
    { name: "TimeoutError", message: "The operation was aborted due to timeout" }
  ])("when it is $name: $message", (error) => {
    assert.isTrue(isOutOfTime(error))
  })

  it.for([
    lost,
    { name: "AssertionError", message: "expected 'Test timed out in 5ms' to equal ''" },
    { name: "Error", message: "not within 20000 ms: event evt_1 is in the log" },
    { name: "TimeoutError", message: "locator.waitFor: Timeout 45000ms exceeded.\nCall log:\n" },
    { name: "Error", message: "the server ended with 1" }
  ])("and not when it is $name: $message", (error) => {
    assert.isFalse(isOutOfTime(error))
  })
})

describe("a file ran out of time", () => {
  it("when a test or a hook did", () => {
    assert.isTrue(ranOutOfTime(file("a", { tests: [passed, failed(timeOut)] })))
    assert.isTrue(ranOutOfTime(file("a", { errors: [timeOut] })))
  })

  it("and not when it passed, or found something wrong as well", () => {
    assert.isFalse(ranOutOfTime(file("a")))
    assert.isFalse(ranOutOfTime(file("a", { tests: [failed(timeOut), failed(lost)] })))
    assert.isFalse(ranOutOfTime(file("a", { tests: [failed(timeOut)], errors: [lost] })))
  })
})

describe("a run with its second runs", () => {
  const late = file("late", { tests: [failed(timeOut)], millis: 300_000 })
  const wrong = file("wrong", { tests: [failed(lost)] })
  const first = { files: [file("fine"), late, wrong], errors: [] }

  it("counts a file that ran out of time and passed by itself as passed, and names it", () => {
    const { run, unsteady } = settle(first, [file("late", { millis: 9_000 })])
    assert.deepStrictEqual(countsOf(run), { passed: 2, failed: 1, skipped: 0 })
    assert.deepStrictEqual(unsteady, [{ file: late, againMillis: 9_000 }])
    assert.include(
      summary(run, unsteady),
      "unsteady: late ran out of time after 300.0 s, and passed by itself in 9.0 s"
    )
  })

  it.for([timeOut, lost])(
    "counts one that fails again as failed, and does not call it unsteady: $name",
    (error) => {
      const { run, unsteady } = settle(first, [file("late", { tests: [failed(error)] })])
      assert.deepStrictEqual(countsOf(run), { passed: 1, failed: 2, skipped: 0 })
      assert.deepStrictEqual(unsteady, [])
    }
  )

  it("never replaces a file that found something wrong", () => {
    const { run, unsteady } = settle(first, [file("wrong"), file("late")])
    assert.deepStrictEqual(countsOf(run), { passed: 2, failed: 1, skipped: 0 })
    assert.deepStrictEqual(
      unsteady.map(({ file: { path } }) => path),
      ["late"]
    )
  })

  it("replaces a file of the same project only", () => {
    const { run } = settle(first, [file("late", { project: "another" })])
    assert.strictEqual(countsOf(run).failed, 2)
  })

  it("counts a file as failed that another project ran again, and that fails only then", () => {
    const { run, unsteady } = settle(first, [file("fine", { tests: [failed(lost)] }), file("late")])
    assert.deepStrictEqual(countsOf(run), { passed: 1, failed: 2, skipped: 0 })
    assert.lengthOf(unsteady, 1)
  })
})

describe("counts", () => {
  it("have one failure for a file whose hooks failed, and one for errors of no file", () => {
    const skipped: TestRecord = { title: "holds", state: "skipped", errors: [] }
    const broken = file("broken", { tests: [skipped], errors: [lost] })
    assert.deepStrictEqual(countsOf({ files: [broken], errors: [lost, lost] }), {
      passed: 0,
      failed: 2,
      skipped: 1
    })
  })

  it("have no further failure for a file that has a failed test and an error beside it", () => {
    const broken = file("broken", { tests: [failed(lost)], errors: [lost] })
    assert.strictEqual(countsOf({ files: [broken], errors: [] }).failed, 1)
  })
})

describe("the summary", () => {
  const files = [3, 1, 2].map((millis) => file(`f${millis}`, { millis: millis * 60_000 }))

  it("has the sum of the files' own times and the ten slowest files, the slowest first", () => {
    const run = {
      files: [...files, ...Array.from({ length: 9 }, (_, n) => file(`g${n}`, { millis: n }))],
      errors: []
    }
    assert.strictEqual(ownTime({ files, errors: [] }), 360_000)
    assert.deepStrictEqual(
      slowest(run, 3).map(({ path }) => path),
      ["f3", "f2", "f1"]
    )
    const lines = summary(run, [])
    assert.lengthOf(lines, 11)
    assert.match(lines[0] ?? "", /^Test time: 6\.0 min, the sum of the own times of 12 files/)
    assert.match(lines[1] ?? "", /180\.0 s {2}f3 \(trials\)/)
  })

  it("names each failure, with its seed where it has one and the beginning of its error", () => {
    const tests = [
      { ...failed({ ...lost, message: "lost\n\nCAIRN_SEED=7 repeats this trial." }), title: "loses nothing" },
      { ...failed({ ...lost, message: "x".repeat(300) }), title: "is always the same" },
      passed
    ]
    const files = [file("a", { tests }), file("b", { errors: [lost] })]
    const lines = summary({ files, errors: [timeOut] }, [])
    assert.deepStrictEqual(
      lines.filter((line) => line.startsWith("failed")),
      [
        "failed with CAIRN_SEED=7: a > loses nothing: AssertionError: lost",
        `failed: a > is always the same: AssertionError: ${"x".repeat(200)}…`,
        "failed: b: AssertionError: expected [ 'evt_1' ] to deeply equal []",
        "failed: the run: TestTimeoutError: Test timed out in 300000ms."
      ]
    )
  })
})
