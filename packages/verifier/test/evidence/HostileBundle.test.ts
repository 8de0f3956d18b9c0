/** Files that are damaged, or made to break who reads them: each gets a report, and none is found intact. */
import { Readable } from "node:stream"
import { createGzip, gzipSync } from "node:zlib"
import { portableSha256 } from "@cairn/core/hashing"
import { makeVerifierKey, signCheckpoint } from "@cairn/core/note"
import { testBundle, testLog } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import fc from "fast-check"
import {
  EvidenceVerifier,
  exitCode,
  layerTools,
  platformTools,
  reportText,
  verifyEvidence
} from "../../src/index.ts"
import { serviceKey, signer, stream, verify, verifyLines } from "../Bundles.ts"
import { blockOf } from "../TestChain.ts"
import { canonical, edit, honest, knowing, objectIn, ofType, parse } from "../tampering/Tampering.ts"

const generated = generatedTests(import.meta.url)

const text = honest.join("")
const zipped = gzipSync(text)

const unreadable: Record<string, Uint8Array> = {
  "an empty file": new Uint8Array(),
  "one byte": Uint8Array.of(0x1f),
  "a file that is no gzip": new TextEncoder().encode(text),
  "a zip archive": new TextEncoder().encode("PK\u0003\u0004 and so on"),
  "gzip of nothing": gzipSync(""),
  "gzip of something else": gzipSync("a,b,c\n1,2,3\n"),
  "gzip of random bytes": gzipSync(Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 251)),
  "gzip that is cut off in its header": zipped.subarray(0, 7),
  "gzip that is cut off in the middle": zipped.subarray(0, zipped.length >> 1),
  "gzip without its checksum": zipped.subarray(0, -8),
  "gzip that lacks its last byte": zipped.subarray(0, -1),
  "gzip with another checksum": Uint8Array.from(zipped, (byte, index) =>
    index === zipped.length - 6 ? byte ^ 1 : byte
  ),
  "gzip with something else after it": Uint8Array.of(...zipped, ...new TextEncoder().encode("and more")),
  "a line that is cut off": gzipSync(text.slice(0, -1)),
  "lines in UTF-16": gzipSync(Buffer.from(text, "utf16le")),
  "a byte order mark": gzipSync(`\ufeff${text}`),
  "Windows line ends": gzipSync(text.replaceAll("\n", "\r\n")),
  "a first line that is an event": gzipSync(honest.filter((line) => !ofType("header")(line)).join("")),
  "two headers": gzipSync((honest[0] ?? "") + text),
  "a bundle after the bundle": gzipSync(text + text),
  "an event after the closing line": gzipSync(text + (honest[10] ?? "")),
  "an empty line": gzipSync(text.replace("\n", "\n\n")),
  "a line of an unknown type": gzipSync(text.replace("\n", '\n{"type":"note"}\n')),
  "a line whose type is an object": gzipSync(text.replace("\n", '\n{"type":{"type":"event"}}\n')),
  "a line whose type has no text": gzipSync(text.replace("\n", '\n{"type":{"toString":1}}\n')),
  "a line whose type is a list of what has no text": gzipSync(
    text.replace("\n", '\n{"type":[{"toString":1}]}\n')
  ),
  "a line that names a prototype": gzipSync(
    text.replace("\n", '\n{"__proto__":{"type":"end"},"type":"end"}\n')
  ),
  "a line whose type is on a prototype": gzipSync(text.replace("\n", '\n{"__proto__":{"type":"end"}}\n')),
  "a line that is an array": gzipSync(text.replace("\n", "\n[]\n")),
  "a line that is a number too large for one": gzipSync(text.replace("\n", "\n1e999\n")),
  "a line nested a hundred thousand deep": gzipSync(text.replace("\n", `\n${"[".repeat(100_000)}\n`)),
  "a line with a member twice": gzipSync(text.replace('{"created_at"', '{"created_at":"x","created_at"')),
  "a line with a member that the format does not have": gzipSync(
    text.replace('{"created_at"', '{"aside":1,"created_at"')
  ),
  "a line with its members in another order": gzipSync(
    [
      `${JSON.stringify(Object.fromEntries(Object.entries(parse(honest[0] ?? "")).reverse()))}\n`,
      ...honest.slice(1)
    ].join("")
  ),
  "a lone surrogate": gzipSync(text.replace('"origin":"', '"origin":"\\ud800')),
  "another version of the format": gzipSync(text.replace("cairn-evidence/1", "cairn-evidence/2"))
}

describe("a file that is no bundle", () => {
  for (const [what, bytes] of Object.entries(unreadable)) {
    it.effect(`is told by its exit status: ${what}`, () =>
      Effect.gen(function* () {
        const report = yield* verify(bytes, knowing)
        assert.strictEqual(report.verdict, "unreadable", reportText(report))
        assert.strictEqual(exitCode(report), 2)
        assert.isNotNull(report.unreadable)
      })
    )
  }

  it.effect("is told whatever place it is cut off at", () =>
    Effect.gen(function* () {
      for (let length = 0; length < zipped.length; length += 331) {
        const { verdict } = yield* verify(zipped.subarray(0, length), knowing)
        assert.strictEqual(verdict, "unreadable", `${length} bytes`)
      }
    })
  )

  it.effect("is found to be tampered with if something failed before it broke off", () =>
    Effect.gen(function* () {
      const lines = edit(
        honest,
        (line) => line === honest[10],
        () => ({ salt: "0".repeat(32) })
      )
      const report = yield* verify(gzipSync(lines.join("").slice(0, -20)))
      assert.strictEqual(exitCode(report), 1)
      assert.isNotNull(report.unreadable)
    })
  )

  it.effect("is unreadable if its stream is damaged, whatever was found in what could be unpacked", () =>
    Effect.gen(function* () {
      // Large enough to come in several pieces, of which the first hold what was tampered with.
      const lines = testBundle(testLog({ events: 3_000 }), { signer })
      const changed = edit(
        lines,
        (line) => line === lines[1],
        () => ({ salt: "0".repeat(32) })
      )
      const packed = gzipSync(changed.join(""))
      const followed = (by: Uint8Array) => Uint8Array.from(Buffer.concat([packed, by]))
      for (const damaged of [packed.subarray(0, -9), followed(Uint8Array.of(1)), followed(zipped)]) {
        const report = yield* verify(damaged)
        assert.strictEqual(report.verdict, "unreadable")
      }
      assert.strictEqual((yield* verify(packed)).verdict, "tampered")
    })
  )

  it.effect("is given up at a line of a gigabyte, long before it has been read", () =>
    Effect.gen(function* () {
      let pieces = 0
      function* gigabyte() {
        yield honest[0] ?? ""
        const piece = "a".repeat(1 << 20)
        for (; pieces < 1024; pieces++) yield piece
      }
      const file = Stream.fromAsyncIterable<Uint8Array, Error>(
        Readable.from(gigabyte()).pipe(createGzip({ level: 1 })),
        (error) => new Error(String(error))
      )
      const before = process.memoryUsage().arrayBuffers
      const report = yield* Effect.provide(verifyEvidence(file), layerTools)
      assert.strictEqual(report.unreadable?.message, "too_long: more than 8388608 bytes")
      assert.isBelow(pieces, 256)
      assert.isBelow(process.memoryUsage().arrayBuffers - before, 100 << 20)
    })
  )
})

/** Values that stand where others should. */
const strangers: ReadonlyArray<unknown> = [
  null,
  0,
  -1,
  0.5,
  2 ** 52,
  Number.MAX_SAFE_INTEGER,
  "x",
  "0x00",
  "ab".repeat(32),
  "9999-12-31T23:59:59.999999Z",
  "2024-02-30T00:00:00Z",
  [],
  Array.from({ length: 60 }, () => "ab".repeat(32)),
  {},
  { type: "event" }
]

/** A value with each of its members, at any depth, replaced in turn. */
function* replaced(value: unknown, stranger: unknown): Generator<unknown> {
  yield stranger
  if (Array.isArray(value)) {
    for (const [index, item] of value.slice(0, 3).entries()) {
      for (const other of replaced(item, stranger)) yield value.with(index, other)
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const other of replaced(item, stranger)) yield { ...value, [name]: other }
    }
  }
}

/** The lines of which there are few, with each member of each a stranger, and without it. */
function* wrongTypes(lines: ReadonlyArray<string>): Generator<ReadonlyArray<string>> {
  for (const [index, line] of lines.entries()) {
    if (ofType("event")(line) || ofType("legacy")(line)) continue
    const value = parse(line)
    for (const name of Object.keys(value)) {
      const { [name]: _, ...rest } = value
      yield lines.with(index, `${canonical(rest)}\n`)
    }
    for (const stranger of strangers) {
      for (const other of replaced(value, stranger)) {
        const written = `${canonical(other)}\n`
        if (written !== line) yield lines.with(index, written)
      }
    }
  }
}

/** What a bundle says of itself, and nothing vouches for. */
const UNSIGNED = /"(?:created_at|keys|explorer_url|id|period_start|status)":/

describe("a file that was tampered with and is damaged", () => {
  const tampered = gzipSync(
    text.replace(/"salt":"./, '"salt":"'.padEnd(9, "0")).replace('"from":1', '"from":2')
  )
  const damaged: Record<string, Uint8Array> = {
    "something after it": Uint8Array.of(...tampered, ...new TextEncoder().encode("and more")),
    "a second member after it": Uint8Array.of(...tampered, ...zipped),
    "another checksum": tampered.with(tampered.length - 6, (tampered.at(-6) ?? 0) ^ 1),
    "its last byte gone": tampered.subarray(0, -1)
  }
  for (const [what, bytes] of Object.entries(damaged)) {
    it.effect(`cannot be read, in whatever pieces it comes: with ${what}`, () =>
      Effect.gen(function* () {
        for (const pieceBytes of [50, 1_000, 1_000_000]) {
          const report = yield* verifyEvidence(stream(bytes, pieceBytes)).pipe(Effect.provide(layerTools))
          assert.strictEqual(report.verdict, "unreadable", `in pieces of ${pieceBytes}`)
          assert.deepStrictEqual(report.failed, [])
        }
      })
    )
  }
})

describe("a line with wrong types", () => {
  const small = testLog({ events: 12, periods: [4, 8], erased: [2] })
  for (const [what, lines] of [
    ["a whole log", testBundle(small, { signer })],
    ["a range", testBundle(small, { from: 6, to: 11, signer })]
  ] as const) {
    it(`never breaks the verifier: ${what}`, () => {
      let count = 0
      for (const changed of wrongTypes(lines)) {
        const report = verifyLines(new TextEncoder().encode(changed.join("")))
        assert.isNotEmpty(reportText(report))
        count++
      }
      assert.isAbove(count, 500)
    })
  }
})

describe("a range at the end of all numbers", () => {
  it("never breaks the verifier, however many events are put there", () => {
    const last = Number.MAX_SAFE_INTEGER
    const bits = (size: number) => [...size.toString(2)].filter((bit) => bit === "1").length
    const hashes = (size: number) => Array.from({ length: bits(size) }, () => "ab".repeat(32))
    const lines = testBundle(testLog({ events: 600 }), { from: 6, signer })
    const far = edit(
      edit(lines, ofType("header"), () => ({ from: last, to: last })),
      ofType("prefix"),
      () => ({
        log: hashes(last - 2),
        period: { first_sequence: 1, hashes: hashes(last - 2) }
      })
    )
    const moved = edit(far, ofType("event"), () => ({ sequence: last }))
    for (const changed of [far, moved]) {
      const report = verifyLines(new TextEncoder().encode(changed.join("")))
      assert.strictEqual(report.verdict, "tampered")
    }
  })
})

describe("a bundle with any bit flipped", () => {
  const lines = testBundle(testLog({ events: 6, periods: [3] }), { signer })
  const bytes = new TextEncoder().encode(lines.join(""))
  const bit = fc.nat(bytes.length * 8 - 1)

  it("is never found intact, unless what was flipped is something that nothing vouches for", () => {
    generated.property(
      fc.property(bit, (place) => {
        const flipped = Uint8Array.from(bytes)
        flipped[place >> 3] = (flipped[place >> 3] ?? 0) ^ (1 << (place & 7))
        if (verifyLines(flipped).verdict !== "intact") return
        const [was, is] = [bytes, flipped].map((all) => new TextDecoder().decode(all).split("\n"))
        const changed = was?.find((line, index) => line !== is?.[index]) ?? ""
        assert.match(changed, UNSIGNED)
        assert.notMatch(changed, /"type":"event"}$/)
      }),
      { numRuns: 300 }
    )
  })
})

describe("a text of megabytes where a short one is expected", () => {
  const long = "x".repeat(3 << 20)
  const key = `${long}+00000000+${Buffer.from(new Uint8Array(33).fill(1)).toString("base64")}`
  const nested = `${"[".repeat(1 << 20)}${"]".repeat(1 << 20)}`
  for (const [what, lines] of [
    ["the name of a key", edit(honest, ofType("header"), () => ({ keys: [key] }))],
    ["the log's name", edit(honest, ofType("header"), () => ({ origin: long }))],
    [
      "a checkpoint",
      edit(honest, ofType("checkpoint"), () => ({ note: `${long}\n1\n${long}\n\n— a AAAAAAAA\n` }))
    ],
    [
      "a checkpoint of many lines",
      edit(honest, ofType("checkpoint"), () => ({ note: "a\n".repeat(1 << 19) }))
    ],
    [
      "a transaction",
      edit(honest, ofType("anchor"), () => ({ transactions: [`0x${"c0".repeat(1 << 20)}`] }))
    ],
    ["transactions", edit(honest, ofType("anchor"), () => ({ transactions: Array(1 << 17).fill("0xc0") }))],
    ["a proof", edit(honest, ofType("checkpoint"), () => ({ after: Array(1 << 14).fill("ab".repeat(32)) }))],
    ["lists in lists", honest.with(1, `${nested}\n`)]
  ] as const) {
    it(`breaks nothing: ${what}`, () => {
      const verifier = new EvidenceVerifier(platformTools)
      verifier.feed(new TextEncoder().encode(lines.join("")))
      const report = verifier.finish()
      assert.isNotEmpty(reportText(report))
    })
  }
})

describe("times that no calendar has", () => {
  it.effect("are said as they are: of a block", () =>
    Effect.gen(function* () {
      const lines = edit(honest, ofType("anchor"), ({ anchor, transactions }) => {
        const [raw] = Array.isArray(transactions) ? transactions : []
        const bytes = Uint8Array.from(Buffer.from(String(raw).slice(2), "hex"))
        return { block: blockOf(bytes, Number(objectIn(anchor).block_number), 2 ** 52).block }
      })
      const report = yield* verify(lines)
      assert.include(reportText(report), `second ${2 ** 52}`)
    })
  )
})

describe("what a terminal would obey", () => {
  it.effect("is not in the report", () =>
    Effect.gen(function* () {
      const lines = edit(honest, ofType("header"), () => ({ created_at: "\u001b[2J\u202e\r\n" }))
      const report = yield* verify(lines)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      assert.notMatch(reportText(report), /[\u0000-\u0009\u000b-\u001f\u202e]/)
    })
  )

  it.effect("is not in the report of a checkpoint in a name of a key either", () =>
    Effect.gen(function* () {
      const name = "evil\u009b2J"
      const key = Result.getOrThrow(makeVerifierKey(portableSha256, name, signer.publicKey))
      assert.notStrictEqual(key.keyId, serviceKey.keyId)
      const checkpoint = { origin: "x", size: 0, root: new Uint8Array(32), extensions: [] }
      const note = Result.getOrThrow(signCheckpoint(portableSha256, signer, name, checkpoint))
      const report = yield* verify(edit(honest, ofType("checkpoint"), () => ({ note })))
      assert.include(reportText(report), "evil")
      assert.notInclude(reportText(report), "\u009b")
    })
  )
})
