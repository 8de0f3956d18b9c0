/**
 * What an insider recomputes for the trees over the events of a bundle after changing it: frontiers, anchors,
 * proofs, the checkpoint.
 */

import { Micros } from "@cairn/core/encoding"
import { type Ed25519SignerShape, type Sha256Shape, toHex } from "@cairn/core/hashing"
import {
  frontierFromNodes,
  memoryNodes,
  merkleRoot,
  proveConsistency,
  proveInclusion,
  rootFromNodes
} from "@cairn/core/merkle"
import { signCheckpoint } from "@cairn/core/note"
import { Result } from "effect"
import { TEST_KEY_NAME } from "../generators/EvidenceBuilder.ts"
import type { BundleLine, BundleLines } from "./BundleLines.ts"
import { firstOf, hashBytes, hashOfContent, hashOfHeader, mapValues, valuesOf } from "./EventMending.ts"
import { isObject, type Json, type JsonObject, textIn, wholeIn } from "./JsonValues.ts"
import { noteParts } from "./NoteParts.ts"

/** The hashes of a log's events as the insider has them: the true ones, except where others were written. */
export type Leaves = ReadonlyArray<Uint8Array>

/** The leaves that follow from a bundle, over the true ones. */
export const leavesOf = (sha256: Sha256Shape, lines: BundleLines, truth: Leaves): Leaves => {
  const leaves = [...truth]
  const set = (sequence: number | undefined, hash: Uint8Array | undefined) => {
    if (sequence === undefined || hash === undefined) return
    if (sequence >= 1 && sequence <= leaves.length + 1) leaves[sequence - 1] = hash
  }
  for (const value of valuesOf(lines, "event")) {
    set(wholeIn(value, "sequence"), hashBytes(textIn(value, "event_hash")))
  }
  for (const { event } of valuesOf(lines, "removal")) {
    const header = isObject(event) ? event.header : undefined
    if (isObject(header)) set(wholeIn(header, "sequence"), hashBytes(hashOfHeader(sha256, header)))
  }
  return leaves
}

const hexes = (hashes: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => hashes.map(toHex)

/** A consistency proof, or none if there is nothing to prove. */
const growth = (
  sha256: Sha256Shape,
  leaves: Leaves,
  first: number,
  second: number
): ReadonlyArray<string> => {
  if (first <= 0 || first >= second || second > leaves.length) return []
  const proof = proveConsistency(sha256, memoryNodes(sha256, leaves), first, second)
  return Result.match(proof, { onSuccess: ({ hashes }) => hexes(hashes), onFailure: () => [] })
}

const frontier = (sha256: Sha256Shape, leaves: Leaves): ReadonlyArray<string> =>
  hexes(Result.getOrThrow(frontierFromNodes(memoryNodes(sha256, leaves), leaves.length)).hashes)

const rangeOf = (lines: BundleLines): { readonly from: number; readonly to: number } => {
  const header = firstOf(lines, "header")
  return { from: wholeIn(header, "from") ?? 1, to: wholeIn(header, "to") ?? 0 }
}

/** The frontiers before the range, in a line that is there if and only if the range needs one. */
export const mendPrefix = (sha256: Sha256Shape, lines: BundleLines, leaves: Leaves): BundleLines => {
  const { from } = rangeOf(lines)
  const others = lines.filter(({ type }) => type !== "prefix")
  if (from <= 1 || from - 2 > leaves.length) return others
  const anchors = valuesOf(lines, "anchor")
  const open = anchors.flatMap((value) => {
    const first = wholeIn(value, "first_sequence")
    return first !== undefined && first >= 1 && first < from && (wholeIn(value, "last_sequence") ?? 0) >= from
      ? [first]
      : []
  })[0]
  const before = firstOf(lines, "prefix")?.period
  const kept = isObject(before) ? wholeIn(before, "first_sequence") : undefined
  const first = open ?? (anchors.length === 0 && kept !== undefined && kept < from ? kept : undefined)
  const value: JsonObject = {
    type: "prefix",
    log: frontier(sha256, leaves.slice(0, from - 2)),
    period:
      first === undefined
        ? null
        : { first_sequence: first, hashes: frontier(sha256, leaves.slice(Math.max(0, first - 1), from - 2)) }
  }
  const header = others.findIndex(({ type }) => type === "header")
  return others.toSpliced(header + 1, 0, { type: "prefix", value })
}

/** What an insider does about an anchor whose root is no longer the one on the chain. */
export type Resend = "keep" | "pending"

const resent = (anchor: JsonObject, line: JsonObject, resend: Resend): JsonObject => {
  if (resend === "keep") return { ...line, anchor }
  const pending = { status: "pending", tx_hash: null, block_number: null, explorer_url: null }
  return { ...line, anchor: { ...anchor, ...pending }, transactions: [], block: null }
}

/** Roots, ends, links and proofs of the anchors, one after the other. */
export const mendAnchors = (
  sha256: Sha256Shape,
  lines: BundleLines,
  leaves: Leaves,
  resend: Resend
): BundleLines => {
  const { from, to } = rangeOf(lines)
  let before: JsonObject | undefined
  return mapValues(lines, "anchor", (value) => {
    const [first, last] = [wholeIn(value, "first_sequence"), wholeIn(value, "last_sequence")]
    const { anchor } = value
    if (!isObject(anchor) || first === undefined || last === undefined) return value
    if (first < 1 || last < first || last > leaves.length) return value
    const period = leaves.slice(first - 1, last)
    const root = toHex(merkleRoot(sha256, period))
    const link =
      before === undefined
        ? (anchor.previous_anchor_hash ?? null)
        : sha256.hex(`${textIn(before, "merkle_root") ?? ""}${textIn(before, "tx_hash") ?? ""}`)
    const [firstHash, lastHash] = [period.at(0), period.at(-1)]
    const mended: JsonObject = {
      ...anchor,
      events_count: last - first + 1,
      merkle_root: root,
      previous_anchor_hash: first === 1 ? null : link,
      first_event_hash: firstHash === undefined ? null : toHex(firstHash),
      last_event_hash: lastHash === undefined ? null : toHex(lastHash)
    }
    const changed =
      mended.merkle_root !== anchor.merkle_root || mended.previous_anchor_hash !== anchor.previous_anchor_hash
    const sent = changed ? resent(mended, value, resend) : { ...value, anchor: mended }
    before = isObject(sent.anchor) ? sent.anchor : undefined
    const after =
      last > to && to >= Math.max(first, from) ? growth(sha256, period, to - first + 1, period.length) : []
    return { ...sent, after }
  })
}

/** Periods that end after their last event and not before it. */
export const mendPeriods = (lines: BundleLines): BundleLines => {
  const times = new Map<number, number>()
  for (const value of valuesOf(lines, "event")) {
    const [sequence, at] = [wholeIn(value, "sequence"), Micros.parse(textIn(value, "created_at") ?? "")]
    if (sequence !== undefined && at !== undefined) times.set(sequence, at)
  }
  let start: string | undefined
  return mapValues(lines, "anchor", (value) => {
    const { anchor } = value
    const last = times.get(wholeIn(value, "last_sequence") ?? 0)
    if (!isObject(anchor)) return value
    const end =
      last === undefined
        ? anchor.period_end
        : Micros.formatSeconds((Math.floor(last / Micros.SECOND) + 1) * Micros.SECOND)
    const mended = {
      ...anchor,
      ...(start === undefined ? {} : { period_start: start }),
      period_end: end ?? null
    }
    start = typeof end === "string" ? end : start
    return { ...value, anchor: mended }
  })
}

/** Each anchor before the first event that comes after its period. */
export const mendPlaces = (lines: BundleLines): BundleLines => {
  const anchors = lines.filter(({ type }) => type === "anchor")
  const others = lines.filter(({ type }) => type !== "anchor")
  const lastOf = ({ value }: BundleLine) => wholeIn(value, "last_sequence") ?? 0
  const left = anchors.toSorted((one, other) => lastOf(one) - lastOf(other))
  const placed: Array<BundleLine> = []
  for (const line of others) {
    const sequence = line.type === "event" ? wholeIn(line.value, "sequence") : undefined
    const isBeyond = line.type === "checkpoint" || line.type === "removal" || line.type === "end"
    while (left[0] !== undefined && (isBeyond || (sequence !== undefined && lastOf(left[0]) < sequence))) {
      placed.push(...left.splice(0, 1))
    }
    placed.push(line)
  }
  return [...placed, ...left]
}

/** The hashes and the inclusion proofs of the events after the range, in the tree of `size` leaves. */
export const mendRemovals = (
  sha256: Sha256Shape,
  lines: BundleLines,
  truth: Leaves,
  size: number
): BundleLines => {
  const hashed = mapValues(lines, "removal", (value) => {
    const { event } = value
    if (!isObject(event) || !isObject(event.header) || !isObject(event.content)) return value
    const content = hashOfContent(sha256, event.salt, event.content)
    return { ...value, event: { ...event, header: { ...event.header, content_hash: content } } }
  })
  const leaves = leavesOf(sha256, hashed, truth).slice(0, size)
  const read = memoryNodes(sha256, leaves)
  return mapValues(hashed, "removal", (value) => {
    const { event } = value
    const sequence = isObject(event) && isObject(event.header) ? wholeIn(event.header, "sequence") : undefined
    if (!isObject(event) || sequence === undefined || sequence < 1 || sequence > leaves.length) return value
    const { hashes } = Result.getOrThrow(proveInclusion(sha256, read, sequence - 1, leaves.length))
    return { ...value, event: { ...event, inclusion: hexes(hashes), anchored: event.anchored ?? null } }
  })
}

/** The proof from the range to a tree of `size` leaves. */
export const mendGrowth = (
  sha256: Sha256Shape,
  lines: BundleLines,
  leaves: Leaves,
  size: number
): BundleLines => {
  const { to } = rangeOf(lines)
  return mapValues(lines, "checkpoint", (value) => ({ ...value, after: growth(sha256, leaves, to, size) }))
}

/** Replaces the checkpoint's note, or removes the checkpoint and what depends on it. */
export const withNote = (lines: BundleLines, note: string | null): BundleLines => {
  if (note === null) return lines.filter(({ type }) => type !== "checkpoint" && type !== "removal")
  const parts: Json = noteParts(note)
  return mapValues(lines, "checkpoint", (value) => ({ ...value, note: parts }))
}

/** The checkpoint of some leaves, signed by somebody who has the key. */
export const signedNote = (
  sha256: Sha256Shape,
  signer: Ed25519SignerShape,
  lines: BundleLines,
  leaves: Leaves
): string => {
  const origin = textIn(firstOf(lines, "header"), "origin") ?? ""
  const root = Result.getOrThrow(rootFromNodes(sha256, memoryNodes(sha256, leaves), leaves.length))
  const checkpoint = { origin: origin === "" ? "-" : origin, size: leaves.length, root, extensions: [] }
  const signed = signCheckpoint(sha256, signer, TEST_KEY_NAME, checkpoint)
  return Result.getOrElse(signed, () => "")
}
