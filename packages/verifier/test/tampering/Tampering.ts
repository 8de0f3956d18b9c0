/** Bundles, and the means to tamper with them as someone would who knows the format. */
import { canonicalize, Micros } from "@cairn/core/encoding"
import { contentHash, eventHash } from "@cairn/core/event"
import { toHex } from "@cairn/core/hashing"
import type { LogEntry } from "@cairn/core/log"
import { hashFromHex, merkleRoot } from "@cairn/core/merkle"
import { type TestLog, type TestLogOptions, testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { FailureCode, Report, VerifyOptions } from "../../src/index.ts"
import { sha256, signer, signerOf, verify } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"

export type Lines = ReadonlyArray<string>
export type Json = Record<string, unknown>

export const chain = testChain()
export const options: TestLogOptions = {
  events: 60,
  legacy: 5,
  periods: [20, 40],
  erased: [7, 30],
  send: chain.send
}
export const log = testLog(options)
export const size = log.events.length
export const honest = testBundle(log, { signer })

/** An auditor who knows the account that anchors and has looked up the blocks. */
export const knowing: VerifyOptions = {
  anchorAddress: chain.address,
  blockHashes: () => Effect.succeed(chain.blocks)
}

export const canonical = (value: unknown): string => Result.getOrThrow(canonicalize(value))
export const parse = (line: string): Json => JSON.parse(line)
export const objectIn = (value: unknown): Json => {
  if (typeof value !== "object" || value === null) throw new TypeError("no object")
  return { ...value }
}

/** Whether a line is the event of a sequence. */
export const event = (sequence: number) => (line: string) =>
  line.endsWith(`"sequence":${sequence},"type":"event"}\n`)
export const ofType = (type: string) => (line: string) =>
  line.endsWith(`"type":"${type}"}\n`) || parse(line).type === type
/** The anchor whose period ends with an event. */
export const anchor = (last: number) => (line: string) =>
  ofType("anchor")(line) && parse(line).last_sequence === last

/** Replaces what `change` gives in the lines that match; there must be some. */
export const edit = (
  lines: Lines,
  matches: (line: string) => boolean,
  change: (value: Json) => Json
): Lines => {
  assert.isTrue(lines.some(matches), "nothing to tamper with")
  return lines.map((line) => {
    if (!matches(line)) return line
    const value = parse(line)
    return `${canonical({ ...value, ...change(value) })}\n`
  })
}

export const drop = (lines: Lines, matches: (line: string) => boolean): Lines => {
  assert.isTrue(lines.some(matches), "nothing to tamper with")
  return lines.filter((line) => !matches(line))
}

/** Corrects the closing line, as an attacker would. */
export const recount = (lines: Lines): Lines => {
  const count = (type: string) => lines.filter(ofType(type)).length
  return edit(lines, ofType("end"), () => ({
    anchors: count("anchor"),
    events: count("event"),
    legacy: count("legacy"),
    removals: count("removal")
  }))
}

export const editContent = (change: Json) => (value: Json) => ({
  content: { ...objectIn(value.content), ...change }
})
export const editAnchor = (change: (anchor: Json) => Json) => (value: Json) => {
  const before = objectIn(value.anchor)
  return { anchor: { ...before, ...change(before) } }
}

/** Gives an event the hashes that follow from what it says. */
export const rehash = (value: Json): Json => {
  const content = contentHash(sha256, String(value.salt), canonical(value.content))
  const header = {
    contentHash: content,
    createdAt: Micros.parse(String(value.created_at)) ?? 0,
    id: String(value.id),
    previousEventHash: value.previous_event_hash === null ? null : String(value.previous_event_hash),
    sequence: Number(value.sequence),
    workspaceId: log.workspaceId
  }
  return { ...value, content_hash: content, event_hash: eventHash(sha256, header) }
}

/** The log with some events written differently and every hash from there on recomputed. */
export const rewritten = (from: TestLog, change: (event: LogEntry) => Partial<LogEntry>): TestLog => {
  let previousEventHash: string | null = null
  const events = from.events.map((before) => {
    const changed: LogEntry = { ...before, ...change(before), previousEventHash }
    const content =
      changed.content === null || changed.salt === null
        ? changed.contentHash
        : contentHash(sha256, changed.salt, changed.content)
    const hash = eventHash(sha256, { ...changed, contentHash: content ?? "", workspaceId: from.workspaceId })
    previousEventHash = hash
    return { ...changed, contentHash: content, eventHash: hash }
  })
  return { ...from, events }
}

export const plain = testLog({ events: 30 })
export const quiet = { ...plain, anchors: [] }
export const signedBy = (seed: number, of: TestLog = log) => testBundle(of, { signer: signerOf(seed) })
/** The checkpoint's line of another bundle in place of the one there. */
export const withCheckpoint = (lines: Lines, of: Lines): Lines =>
  lines.map((line) => (ofType("checkpoint")(line) ? (of.find(ofType("checkpoint")) ?? "") : line))

export const otherHash = "ab".repeat(32)

/** The log with its history written differently, and a chain that commits to it as it is now. */
export const withHistory = (change: (event: LogEntry) => Partial<LogEntry>): TestLog => {
  const legacy = log.legacy.map((event) => ({ ...event, ...change(event) }))
  const leaves = legacy.map((event) => {
    const computed = contentHash(sha256, event.salt ?? "", event.content ?? "")
    const hash = eventHash(sha256, { ...event, contentHash: computed, workspaceId: log.workspaceId })
    return Result.getOrThrow(hashFromHex(hash, "leaf_data"))
  })
  const root = toHex(merkleRoot(sha256, leaves))
  return rewritten({ ...log, anchors: [], legacy }, ({ sequence, content }) =>
    sequence === 1
      ? { content: content?.replace(/"legacy_merkle_root":"\w+"/, `"legacy_merkle_root":"${root}"`) ?? null }
      : {}
  )
}

/** One kind of tampering. */
export interface Tampering {
  readonly by: () => Lines
  /** Every code that must be found, in order, and no other. */
  readonly finds: ReadonlyArray<FailureCode>
  /** What the first finding is about: an event's sequence, or a kind of subject. */
  readonly about: number | "bundle" | "anchor" | "checkpoint"
  readonly knowing?: VerifyOptions
}

export const sent = (chainOptions: Parameters<typeof testChain>[0]): (() => Lines) => {
  const { send } = testChain(chainOptions)
  return () => testBundle(testLog({ ...options, send }), { signer })
}

const codes = (report: Report) => report.failed.map(({ code }) => code)

const aboutOf = ({ failed: [first] }: Report): Tampering["about"] | undefined =>
  first?.subject.kind === "event" ? first.subject.sequence : first?.subject.kind

/**
 * One test for each kind of tampering: it is found, under its name and for what was tampered with, and
 * nothing else is.
 */
export const describeTampering = (tamperings: Readonly<Record<string, Tampering>>): void => {
  describe("tampering with", () => {
    for (const [what, { by, finds, about, knowing: known = knowing }] of Object.entries(tamperings)) {
      it.effect(`${what} is found: ${[...new Set(finds)].join(", ")}`, () =>
        Effect.gen(function* () {
          const report = yield* verify(by(), known)
          assert.deepStrictEqual(codes(report), [...finds])
          assert.strictEqual(aboutOf(report), about)
          assert.strictEqual(report.verdict, "tampered")
        })
      )
    }
  })
}
