/** What the verifier in Python finds, and what it says when nothing was brought to hold a bundle against. */
import { gzipSync } from "node:zlib"
import { formatVerifierKey } from "@cairn/core/note"
import { type TestBundleOptions, type TestLogOptions, testBundle, testLog } from "@cairn/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { serviceKey, signer, signerOf } from "../../../packages/verifier/test/Bundles.ts"
import { testChain } from "../../../packages/verifier/test/TestChain.ts"
import {
  anchor,
  drop,
  edit,
  editAnchor,
  editContent,
  event,
  ofType,
  otherHash,
  quiet,
  recount,
  rewritten,
  withCheckpoint
} from "../../../packages/verifier/test/tampering/Tampering.ts"
import { type Answer, type Bundle, because, Python, usable } from "./Python.ts"

const python = new Python()
afterAll(() => python.close())

const key = formatVerifierKey(serviceKey)
const withKey = { trusted_keys: [key] }

const bundle = (log: TestLogOptions, options: TestBundleOptions = {}) =>
  testBundle(testLog(log), { signer, ...options })

const { send } = testChain()
const log: TestLogOptions = { events: 60, legacy: 5, periods: [20, 40, 50], erased: [7, 30] }

const honest: Record<string, ReadonlyArray<string>> = {
  "a whole log": bundle(log),
  "a log whose anchors are confirmed": bundle({ ...log, send }),
  "a log of one event": bundle({ events: 1 }),
  "a log whose beginning retention has removed": bundle({ events: 60, periods: [20], retainedFrom: 30 }),
  "a range that begins and ends within periods": bundle(log, { from: 25, to: 45 }),
  "a range that begins after a period": bundle(log, { from: 21, to: 40 }),
  "a range that ends before the removals in it are recorded": bundle(log, { from: 1, to: 35 }),
  "a range of one event": bundle(log, { from: 33, to: 33 }),
  "a range from the second event on": bundle(log, { from: 2 })
}

const whole = honest["a whole log"] ?? []
const confirmed = honest["a log whose anchors are confirmed"] ?? []
const range = honest["a range that begins and ends within periods"] ?? []
const early = honest["a range that ends before the removals in it are recorded"] ?? []

const codes = ({ findings }: Answer) => findings.flatMap(({ code }) => (code === null ? [] : [code]))
const replace = (lines: ReadonlyArray<string>, from: string | RegExp, to: string) => {
  const changed = lines.join("").replace(from, to)
  assert.notStrictEqual(changed, lines.join(""))
  return changed
}

const forged = rewritten(quiet, ({ sequence, content }) =>
  sequence === 1 ? {} : { content: content?.replace(/"id":"[^"]*"/, '"id":"mallory"') ?? null }
)

const tampered: Record<string, readonly [Bundle, string]> = {
  "a content": [edit(whole, event(17), editContent({ action: "document.destroyed" })), "content_changed"],
  "a header": [
    edit(whole, event(17), () => ({ created_at: "2024-05-01T12:00:16.000001Z" })),
    "header_changed"
  ],
  "a missing content": [edit(whole, event(17), () => ({ content: null, salt: null })), "content_missing"],
  "an event left out": [recount(drop(whole, event(17))), "event_misplaced"],
  "the last event left out": [recount(drop(whole, event(62))), "range_incomplete"],
  "an event that stands twice": [
    recount(whole.flatMap((line) => (event(17)(line) ? [line, line] : [line]))),
    "event_misplaced"
  ],
  "an anchor's root": [
    edit(
      whole,
      anchor(40),
      editAnchor(() => ({ merkle_root: otherHash }))
    ),
    "anchor_root_differs"
  ],
  "an anchor's link": [
    edit(
      whole,
      anchor(40),
      editAnchor(() => ({ previous_anchor_hash: otherHash }))
    ),
    "anchor_link_broken"
  ],
  "the first anchor's link": [
    edit(
      whole,
      anchor(20),
      editAnchor(() => ({ previous_anchor_hash: otherHash }))
    ),
    "anchor_link_broken"
  ],
  "an anchor's first event": [
    edit(
      whole,
      anchor(40),
      editAnchor(() => ({ first_event_hash: otherHash }))
    ),
    "anchor_events_differ"
  ],
  "an anchor's last event": [
    edit(
      whole,
      anchor(40),
      editAnchor(() => ({ last_event_hash: otherHash }))
    ),
    "anchor_events_differ"
  ],
  "the end of an anchor's period": [
    edit(
      whole,
      anchor(50),
      editAnchor(() => ({ period_end: "2024-05-01T12:00:45Z" }))
    ),
    "anchor_period_differs"
  ],
  "an anchor that is confirmed and has no transaction": [
    edit(
      whole,
      anchor(50),
      editAnchor(() => ({ status: "confirmed" }))
    ),
    "anchor_malformed"
  ],
  "the first anchor left out": [recount(drop(whole, anchor(20))), "anchor_missing"],
  "the first anchor of a range left out": [recount(drop(range, anchor(40))), "anchor_missing"],
  "the checkpoint's root": [
    replace(whole, /\\n[\w+/]{43}=\\n/, `\\n${"A".repeat(43)}=\\n`),
    "checkpoint_root_differs"
  ],
  "the checkpoint's size": [replace(whole, "\\n62\\n", "\\n63\\n"), "checkpoint_root_differs"],
  "the checkpoint's size, of a bundle that ends earlier": [
    replace(early, "\\n62\\n", "\\n63\\n"),
    "checkpoint_not_signed"
  ],
  "the checkpoint's log": [replace(whole, '"note":"cairn', '"note":"other'), "checkpoint_of_another_log"],
  "a checkpoint that is no note": [
    edit(whole, ofType("checkpoint"), ({ note }) => ({ note: String(note).split("\n\n")[0] })),
    "checkpoint_malformed"
  ],
  "a checkpoint whose size has a leading zero": [
    replace(whole, "\\n62\\n", "\\n062\\n"),
    "checkpoint_malformed"
  ],
  "the checkpoint's text, which is too long to be hashed for each signature": [
    replace(whole, "\\n\\n\u2014", `\\n${"x".repeat(17_000)}\\n\\n\u2014`),
    "checkpoint_malformed"
  ],
  "the prefix of a range that has none": [
    whole.toSpliced(1, 0, range.find(ofType("prefix")) ?? ""),
    "prefix_malformed"
  ],
  "what stands before the range": [
    edit(range, ofType("prefix"), ({ log: hashes }) => ({
      log: Array.isArray(hashes) ? hashes.with(0, otherHash) : []
    })),
    "checkpoint_root_differs"
  ],
  "the prefix left out": [drop(range, ofType("prefix")), "prefix_missing"],
  "the way to the checkpoint": [
    edit(early, ofType("checkpoint"), () => ({ after: [otherHash] })),
    "checkpoint_root_differs"
  ],
  "history from before the chain": [
    edit(whole, (line) => line === whole[1], editContent({ action: "x.y" })),
    "legacy_changed"
  ],
  "an event that records a removal": [
    replace(early, '"sequences":[7,30]', '"sequences":[7,9,30]'),
    "removal_not_in_log"
  ],
  "the closing line": [edit(whole, ofType("end"), () => ({ events: 61 })), "counts_differ"],
  "a closing line that is missing": [drop(whole, ofType("end")), "cut_off"]
}

const unreadable: Record<string, Bundle> = {
  "an empty file": new Uint8Array(),
  "a file that is no gzip": new TextEncoder().encode(whole.join("")),
  "a gzip file that is cut off": gzipSync(whole.join("")).subarray(0, 5_000),
  "a gzip file without its checksum": gzipSync(whole.join("")).subarray(0, -8),
  "a gzip file of two members": Buffer.concat([gzipSync(whole.join("")), gzipSync("")]),
  "a bundle in two members": Buffer.concat(
    [whole.slice(0, 30), whole.slice(30)].map((part) => gzipSync(part.join("")))
  ),
  "bytes after the gzip stream": Buffer.concat([gzipSync(whole.join("")), Buffer.from("x")]),
  "zeros after the gzip stream": Buffer.concat([gzipSync(whole.join("")), Buffer.alloc(9)]),
  "bytes after the gzip stream of a bundle that was tampered with": Buffer.concat([
    gzipSync(drop(whole, event(17)).join("")),
    Buffer.from("x")
  ]),
  "lines that are no bundle": "a,b\n1,2\n",
  "JSON that is no bundle": '{"type":"header"}\n',
  "a line nested too deep": `${whole[0]}${"[".repeat(200_000)}\n`,
  "a last line that is cut off": whole.join("").slice(0, -1),
  "two checkpoints": whole.flatMap((line) => (ofType("checkpoint")(line) ? [line, line] : [line])),
  "a sequence with a leading zero": replace(whole, '"sequence":17,', '"sequence":017,'),
  "a count with a leading zero": replace(whole, '"anchors":3', '"anchors":03'),
  "a count of four thousand digits": replace(whole, '"anchors":3', `"anchors":${"3".repeat(5_000)}`),
  "a number that is none": replace(whole, '"anchors":3', '"anchors":NaN'),
  "a member that stands twice": replace(whole, '{"created_at"', '{"created_at":"x","created_at"'),
  "a member that the format does not have": replace(whole, '{"created_at"', '{"aside":1,"created_at"'),
  "a space": replace(whole, '"anchors":3', '"anchors": 3'),
  "a letter that is escaped": replace(whole, '"type":"header"', '"type":"he\\u0061der"'),
  "a line of nine megabytes": `${whole[0]}${"a".repeat(9 << 20)}\n`
}

describe.skipIf(!usable)(`the verifier in Python${because}`, () => {
  for (const [what, lines] of Object.entries(honest)) {
    it(`finds nothing wrong with ${what}`, async () => {
      const held = await python.ask([lines], withKey)
      assert.strictEqual(held.verdict, "intact", JSON.stringify(held))
      assert.strictEqual((await python.ask([lines])).verdict, "hashes_hold")
      assert.strictEqual((await python.ask([lines, lines], withKey)).verdict, "intact")
    })
  }

  for (const [what, [changed, code]] of Object.entries(tampered)) {
    it(`finds tampering with ${what}, whatever it is held against`, async () => {
      for (const answer of [await python.ask([changed]), await python.ask([changed], withKey)]) {
        assert.strictEqual(answer.verdict, "tampered", JSON.stringify(answer))
        assert.include(codes(answer), code)
      }
    })
  }

  for (const [what, bytes] of Object.entries(unreadable)) {
    it(`says of ${what} that it cannot be read`, async () => {
      const answer = await python.ask([bytes], withKey)
      assert.strictEqual(answer.verdict, "unreadable", JSON.stringify(answer))
      assert.isNotNull(answer.unreadable)
    })
  }

  it("finds a log rewritten from its second event on, with the prefix left out under the true checkpoint", async () => {
    const lines = drop(testBundle(forged, { from: 2, signer }), ofType("prefix"))
    const attack = withCheckpoint(lines, testBundle(quiet, { signer }))
    for (const answer of [
      await python.ask([attack]),
      await python.ask([attack], withKey),
      await python.ask([testBundle(quiet, { signer }), attack], withKey)
    ]) {
      assert.strictEqual(answer.verdict, "tampered", JSON.stringify(answer))
    }
  })

  it("finds a checkpoint that another key has signed, once it knows the key", async () => {
    const lines = bundle(log, { signer: signerOf(9) })
    assert.strictEqual((await python.ask([lines])).verdict, "hashes_hold")
    const answer = await python.ask([lines], withKey)
    assert.strictEqual(answer.verdict, "tampered")
    assert.include(codes(answer), "checkpoint_not_signed")
  })

  it("finds a bundle without a checkpoint wanting, once it knows a key", async () => {
    const lines = bundle(log, { size: null })
    assert.strictEqual((await python.ask([lines])).verdict, "hashes_hold")
    const answer = await python.ask([lines], withKey)
    assert.include(codes(answer), "checkpoint_missing")
    assert.strictEqual(answer.status, 1)
  })

  it("names a changed event by who, what and when", async () => {
    const lines = edit(whole, event(17), editContent({ action: "document.destroyed" }))
    const { findings } = await python.ask([lines])
    assert.match(
      findings.map(({ message }) => message).join("\n"),
      /recorded 2024-05-01T12:00:1\d\.\d{6}Z: .+ did document\.destroyed/
    )
  })

  it("finds the history from before the chain dropped under cover of a true record of retention", async () => {
    const retained = { events: 30, legacy: 5, retained: [{ at: 20, below: 10, older: true }] }
    const older = bundle({ ...retained, unremoved: true }, { to: 15, size: 15 })
    const dropped = edit(bundle(retained, { history: false }), event(1), () => ({
      content: null,
      salt: null
    }))
    const answer = await python.ask([older, dropped], withKey)
    assert.strictEqual(answer.verdict, "tampered", JSON.stringify(answer))
    assert.deepStrictEqual(codes(answer), ["dropped_since", "dropped_since"])
    assert.strictEqual((await python.ask([older, bundle(retained)], withKey)).verdict, "intact")
  })

  it.each([
    ["--block-hash", `01=0x${"a".repeat(64)}`, "not NUMBER=HASH"],
    ["--block-hash", `9007199254740992=0x${"a".repeat(64)}`, "not NUMBER=HASH"],
    ["--block-hash", "1=0x12", "not NUMBER=HASH"],
    ["--anchor-address", "0x12", "not an address"],
    ["--trusted-key", "nobody", "not a verifier key"]
  ])("refuses %s %s as cairn-verify does", (option, value, why) => {
    const { status, stderr } = python.run(option, value, python.file(whole))
    assert.strictEqual(status, 2)
    assert.include(stderr, why)
    assert.include(stderr, option)
  })

  it("refuses two hashes for one block, and takes the same one twice", () => {
    const hashes = (...ends: ReadonlyArray<string>) =>
      ends.flatMap((end) => ["--block-hash", `7=0x${end.repeat(64)}`])
    const { status, stderr } = python.run(...hashes("a", "b"), python.file(whole))
    assert.strictEqual(status, 2)
    assert.include(stderr, "two hashes for one block")
    assert.strictEqual(python.run(...hashes("a", "A"), python.file(whole)).status, 3)
  })

  it("takes a range without events for whole if nothing was brought", async () => {
    const empty = bundle({ events: 5 }, { from: 6, to: 5 })
    const { verdict, findings } = await python.ask([empty])
    assert.strictEqual(verdict, "hashes_hold")
    assert.isTrue(
      findings.some(({ kind, message }) => kind === "not_checked" && message.includes("there are none"))
    )
    assert.strictEqual((await python.ask([empty], withKey)).verdict, "unproven")
  })

  it("takes an anchor for the same that a reorganisation has put into another block, or into none", async () => {
    const none = { status: "submitted", tx_hash: null, block_number: null, explorer_url: null }
    const moved = edit(confirmed, anchor(50), (value) => ({
      ...editAnchor(({ block_number: number }) => ({ block_number: Number(number) + 1 }))(value),
      block: null
    }))
    const gone = edit(confirmed, anchor(50), (value) => ({
      ...editAnchor(() => none)(value),
      transactions: [],
      block: null
    }))
    for (const newer of [moved, gone]) {
      const answer = await python.ask([confirmed, newer], withKey)
      assert.strictEqual(answer.verdict, "intact", JSON.stringify(answer))
      assert.isTrue(answer.findings.some(({ message }) => message.includes("reorganised")))
    }
    // The next anchor commits to the transaction of the one before it.
    const first = edit(confirmed, anchor(20), (value) => ({ ...editAnchor(() => none)(value), block: null }))
    assert.strictEqual((await python.ask([confirmed, first], withKey)).verdict, "tampered")
  })

  it("holds a later bundle against an earlier one", async () => {
    const [older, newer] = [bundle({ events: 40, periods: [20] }), bundle({ events: 60, periods: [20, 50] })]
    assert.strictEqual((await python.ask([older, newer])).verdict, "intact")
    // The later log, of 60, is not one that ends with 40.
    const back = await python.ask([newer, older])
    assert.strictEqual(back.verdict, "tampered")
    assert.include(codes(back), "dropped_since")
    // A range that begins after the end of the earlier bundle has no tree of its size.
    const apart = await python.ask([older, bundle({ events: 60, periods: [20, 50] }, { from: 45 })])
    assert.strictEqual(apart.verdict, "unproven", JSON.stringify(apart))
    assert.strictEqual(apart.status, 3)
    const other = await python.ask([older, bundle({ events: 60, periods: [20, 50], seed: 2 })])
    assert.include(codes(other), "another_log")
  })

  it("finds what was rewritten since, though every hash in it holds", async () => {
    const answer = await python.ask([testBundle(quiet, { signer }), testBundle(forged, { signer })])
    assert.strictEqual(answer.verdict, "tampered")
    assert.includeMembers(codes(answer), ["changed_since", "checkpoint_inconsistent"])
  })

  it("takes an account and a block, and says that it holds nothing against them", async () => {
    for (const brought of [
      { anchor_address: `0x${"ab".repeat(20)}` },
      { block_hashes: [`1000000=0x${"ab".repeat(32)}`] }
    ]) {
      const answer = await python.ask([confirmed], { ...withKey, ...brought })
      assert.strictEqual(answer.verdict, "unproven")
      assert.match(JSON.stringify(answer.findings), /cairn-verify does/)
    }
  })

  it("ends with its status, and says what it did not prove", () => {
    const file = python.file(whole)
    const alone = python.run(file)
    assert.strictEqual(alone.status, 0, alone.stderr)
    assert.match(alone.stdout, /^HASHES HOLD: .*is not proven/)
    assert.match(python.run("--trusted-key", key, file).stdout, /^INTACT\n/)
    assert.strictEqual(python.run("--anchor-address", `0x${"ab".repeat(20)}`, file).status, 3)
    assert.strictEqual(python.run(python.file(recount(drop(whole, event(17))), "cut.gz")).status, 1)
    const none = python.run("/nowhere/bundle.gz")
    assert.strictEqual(none.status, 2)
    assert.strictEqual(none.stderr, "")
    for (const args of [[], ["a", "b", "c"], ["--trusted-key", "cairn.test+00000000+AAAA", file]]) {
      assert.strictEqual(python.run(...args).status, 2)
    }
  })

  it("answers whatever it is asked in a batch, and goes on", async () => {
    for (const line of [
      "",
      "[]",
      "{}",
      '{"files":[]}',
      '{"files":["x"],"trusted_keys":["x"]}',
      "[".repeat(5_000)
    ]) {
      assert.match(await python.askLine(line), /^\{"error": /)
    }
    assert.strictEqual((await python.ask([whole])).verdict, "hashes_hold")
  })

  it("shows nothing that a terminal would obey", async () => {
    const lines = edit(
      whole,
      anchor(50),
      editAnchor(() => ({ id: "\u001b[2J\u202e\r", merkle_root: otherHash }))
    )
    const { stdout } = python.run(python.file(lines))
    assert.include(stdout, "anchor_root_differs")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    assert.notMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u202e]/)
  })
})
