import { gzipSync } from "node:zlib"
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { signer } from "../../../../verifier/test/Bundles.ts"
import type { Knowledge } from "../../../src/page/pages/check/Known.ts"
import { type CheckProgress, runCheck } from "../../../src/page/pages/check/RunCheck.ts"
import { reportName } from "../../../src/page/pages/check/SavedReport.ts"
import { verdictOf } from "../../../src/page/pages/check/Verdict.ts"

const log = testLog({ events: 60, periods: [20] })
const whole = new File([gzipSync(testBundle(log, { signer }).join(""))], "whole.cairn")
const earlier = new File([gzipSync(testBundle(log, { signer, to: 50, size: 50 }).join(""))], "earlier.cairn")

const NOTHING: Knowledge = { chainId: 8453 }
const ignore = () => undefined
const going = () => new AbortController().signal

/** A file in pieces, which may end elsewhere than it was to. */
const pieces = (size: number, ...parts: ReadonlyArray<Uint8Array | Error>) => ({
  name: "pieces",
  size,
  stream: () => {
    const left = [...parts]
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        const part = left.shift()
        if (part === undefined) controller.close()
        else if (part instanceof Error) controller.error(part)
        else controller.enqueue(Uint8Array.from(part))
      }
    })
  }
})

describe("a check in the browser", () => {
  it("ends with the report and what the report says of the file and the check", async () => {
    const outcome = await runCheck([whole], NOTHING, ignore, going())
    assert.strictEqual(outcome.kind, "done")
    if (outcome.kind !== "done") return
    assert.strictEqual(verdictOf(outcome), "consistent")
    assert.match(outcome.facts.verifier, /^@cairn\/verifier \d+\.\d+\.\d+ in a browser$/)
    assert.isNull(outcome.facts.page)
    assert.deepInclude(outcome.facts.files[0], { name: "whole.cairn", bytes: whole.size })
    assert.match(reportName(outcome), /^evidence-report-\d{4}-\d\d-\d\d-[0-9a-f]{8}\.html$/)
  })

  it("of two files is that of the later one against the earlier one, and named by the later one", async () => {
    const outcome = await runCheck([earlier, whole], NOTHING, ignore, going())
    assert.strictEqual(outcome.kind, "done")
    if (outcome.kind !== "done") return
    assert.strictEqual(verdictOf(outcome), "continued")
    assert.include(reportName(outcome), outcome.facts.files[1]?.sha256.slice(0, 8) ?? "none")
  })

  it("tells how much was read, and never more than there is", async () => {
    const told: Array<CheckProgress> = []
    await runCheck([earlier, whole], NOTHING, (progress) => told.push(progress), going())
    const total = 2 * earlier.size + whole.size
    assert.isAtLeast(told.length, 1)
    for (const progress of told) {
      assert.strictEqual(progress.total, total)
      assert.isAtMost(progress.read, total)
    }
  })

  it("gives no verdict on a file that cannot be read, or ends elsewhere than it was to", async () => {
    const bytes = await whole.bytes()
    const fails = { kind: "failed", reason: "unreadable", name: "pieces" } as const
    for (const file of [
      pieces(bytes.length, bytes.subarray(0, 900), new DOMException("gone", "NotReadableError")),
      pieces(bytes.length, bytes.subarray(0, 900)),
      pieces(bytes.length - 1, bytes),
      pieces(0, new Error("a folder"))
    ]) {
      assert.deepStrictEqual(await runCheck([file], NOTHING, ignore, going()), fails)
    }
  })

  it("gives no verdict on a file that is another one when it is read again", async () => {
    const bytes = await earlier.bytes()
    const other = Uint8Array.from(bytes, (byte, index) => (index === 4 ? byte ^ 1 : byte))
    const files = [bytes, other]
    const changing = { ...pieces(bytes.length), stream: () => new Blob([files.shift() ?? ""]).stream() }
    assert.deepStrictEqual(await runCheck([changing, whole], NOTHING, ignore, going()), {
      kind: "failed",
      reason: "changed",
      name: "pieces"
    })
  })

  it("can be stopped, and closes the file then", async () => {
    const stop = new AbortController()
    let isClosed = false
    const endless = {
      name: "endless",
      size: 1e12,
      stream: () =>
        new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
          cancel: () => {
            isClosed = true
          }
        })
    }
    const run = runCheck([endless], NOTHING, () => stop.abort(), stop.signal)
    const ended = await run.then(
      () => "a result",
      () => "stopped"
    )
    assert.strictEqual(ended, "stopped")
    assert.isTrue(isClosed)
  })
})
