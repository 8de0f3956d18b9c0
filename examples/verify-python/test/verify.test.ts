/** The example in Python agrees with the verifier. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { type TestBundleOptions, type TestLogOptions, testBundle, testLog } from "@cairn/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"

const program = fileURLToPath(new URL("../verify.py", import.meta.url))

const usable = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0
const because = usable ? "" : " (skipped: no python3 of 3.9 or newer on the PATH)"

/** A signature is nothing that the example looks at. */
const signer = { publicKey: new Uint8Array(32), sign: () => new Uint8Array(64) }

const folder = mkdtempSync(join(tmpdir(), "cairn-python-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const verify = (file: string | Uint8Array) => {
  const path = join(folder, "bundle.gz")
  writeFileSync(path, typeof file === "string" ? gzipSync(file) : file)
  const { status, stdout, stderr } = spawnSync("python3", [program, path], { encoding: "utf8" })
  return { status, stdout, stderr }
}

const bundle = (log: TestLogOptions, options: TestBundleOptions = {}): string =>
  testBundle(testLog(log), { signer, ...options }).join("")

const log: TestLogOptions = { events: 60, legacy: 5, periods: [20, 40, 50], erased: [7, 30] }

const intact: Record<string, string> = {
  "a whole log": bundle(log),
  "a log of one event": bundle({ events: 1 }),
  "a log whose beginning retention has removed": bundle({ events: 60, periods: [20], retainedFrom: 30 }),
  "a range that begins and ends within periods": bundle(log, { from: 25, to: 45 }),
  "a range that begins after a period": bundle(log, { from: 21, to: 40 }),
  "a range that ends before the removals in it are recorded": bundle(log, { from: 1, to: 35 }),
  "a range of one event": bundle(log, { from: 33, to: 33 }),
  "a range from the second event on": bundle(log, { from: 2 }),
  "a log without a checkpoint": bundle(log, { size: null })
}

const whole = intact["a whole log"] ?? ""
const range = intact["a range that begins and ends within periods"] ?? ""
const lines = whole.split("\n")
const without = (matches: (line: string) => boolean) => lines.filter((line) => !matches(line)).join("\n")
const zeros = "0".repeat(64)

const tampered: Record<string, readonly [string, RegExp]> = {
  "a content": [
    whole.replace(/"action":"document\.\w+"/, '"action":"document.destroyed"'),
    /is not what was hashed|others/
  ],
  "a header": [
    whole.replace(
      /("sequence":1.*?\n[^\n]*"created_at":"2024-05-01T12:00:0)/s,
      (all) => `${all.slice(0, -1)}9`
    ),
    /failed/
  ],
  "a missing content": [
    whole.replace(
      /"content":\{[^\n]*(,"content_hash":"\w{64}"[^\n]*)"salt":"\w+"(,"sequence":17,)/,
      '"content":null$1"salt":null$2'
    ),
    /event 17: its content is missing/
  ],
  "an event left out": [
    without((line) => line.includes('"sequence":17,"type":"event"')),
    /event 17 should stand here/
  ],
  "the last event left out": [
    without((line) => line.includes('"sequence":62,"type":"event"')),
    /not those from 1 to/
  ],
  "an anchor's root": [
    whole.replace(/"merkle_root":"\w{64}"/, `"merkle_root":"${zeros}"`),
    /the root over its events is/
  ],
  "an anchor's link": [
    whole.replace(/"previous_anchor_hash":"\w{64}"/, `"previous_anchor_hash":"${zeros}"`),
    /anchor before it/
  ],
  "the checkpoint's root": [
    whole.replace(/\\n[\w+/]{43}=\\n/, `\\n${"A".repeat(43)}=\\n`),
    /its root is not that of a log/
  ],
  "the checkpoint's log": [whole.replace(/"note":"cairn/, '"note":"other'), /another log's/],
  "what stands before the range": [
    range.replace(/\{"log":\["\w{64}"/, `{"log":["${zeros}"`),
    /its root is not that of a log/
  ],
  "the way to the checkpoint": [
    range.replace(/\{"after":\["\w{64}"([^\n]*"checkpoint"\})/, `{"after":["${zeros}"$1`),
    /its root is not/
  ],
  "history from before the chain": [
    whole.replace('"type":"legacy"}', '"type":"legacy"}').replace(/(\n\{"content":\{"action":")\w/, "$1x"),
    /others/
  ],
  "an event that records a removal": [
    (intact["a range that ends before the removals in it are recorded"] ?? "").replace(
      '"sequences":[7,30]',
      '"sequences":[7,9,30]'
    ),
    /is not in the log/
  ],
  "the closing line": [whole.replace(/("events":)\d+/, "$11"), /counts other lines/],
  "a closing line that is missing": [
    without((line) => line.includes('"type":"end"')),
    /closing line is missing/
  ]
}

describe.skipIf(!usable)(`the verifier in Python${because}`, () => {
  for (const [what, text] of Object.entries(intact)) {
    it(`finds nothing wrong with ${what}`, () => {
      const { status, stdout, stderr } = verify(text)
      assert.strictEqual(status, 0, stdout + stderr)
      assert.match(stdout, /^INTACT\n {2}proven: events \d+ to \d+/)
    })
  }

  for (const [what, [text, finding]] of Object.entries(tampered)) {
    it(`finds tampering with ${what}`, () => {
      assert.notStrictEqual(text, whole)
      assert.notStrictEqual(text, range)
      const { status, stdout, stderr } = verify(text)
      assert.strictEqual(status, 1, stdout + stderr)
      assert.match(stdout, finding)
    })
  }

  it.each([
    ["an empty file", new Uint8Array()],
    ["a file that is no gzip", new TextEncoder().encode(whole)],
    ["a gzip file that is cut off", gzipSync(whole).subarray(0, 5_000)],
    ["lines that are no bundle", gzipSync("a,b\n1,2\n")],
    ["JSON that is no bundle", gzipSync('{"type":"header"}\n')],
    ["a line nested too deep", gzipSync(`${whole.split("\n")[0]}\n${"[".repeat(200_000)}\n`)]
  ])("says of %s that it cannot be read", (_, bytes) => {
    const { status, stderr } = verify(bytes)
    assert.strictEqual(status, 2, stderr)
    assert.strictEqual(stderr, "")
  })
})
