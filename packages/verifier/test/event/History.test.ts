/**
 * History from before the chain: when it was recorded, and what shows that it was. Both verifiers say the
 * same of it.
 */
import { contentHash } from "@cairn/core/event"
import { toHex } from "@cairn/core/hashing"
import { hashFromHex, merkleRoot } from "@cairn/core/merkle"
import { formatVerifierKey } from "@cairn/core/note"
import { testBundle, testLog } from "@cairn/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { because, Python, usable } from "../../../../examples/verify-python/test/Python.ts"
import { compareEvidence, layerTools, type Verdict } from "../../src/index.ts"
import { serviceKey, sha256, signer, stream, verify } from "../Bundles.ts"
import {
  canonical,
  edit,
  event,
  type Lines,
  ofType,
  parse,
  recount,
  rewritten
} from "../tampering/Tampering.ts"

const python = usable ? new Python() : undefined
afterAll(() => python?.close())

const keys = { trusted_keys: [formatVerifierKey(serviceKey)] }

/** Asserts what both verifiers say to whoever brings the key, and an older bundle if there is one. */
const expectVerdict = async (lines: Lines, verdict: Verdict, said: string, older?: Lines) => {
  const report =
    older === undefined
      ? await Effect.runPromise(verify(lines))
      : await Effect.runPromise(
          compareEvidence(stream(older), stream(lines), { trustedKeys: [serviceKey] }).pipe(
            Effect.provide(layerTools)
          )
        )
  assert.strictEqual(report.verdict, verdict, said)
  if (python === undefined) return
  const answer = await python.ask(older === undefined ? [lines] : [older, lines], keys)
  assert.strictEqual(answer.verdict, verdict, `${said}, to the verifier in Python: ${JSON.stringify(answer)}`)
}

const log = testLog({ events: 5, legacy: 3 })

/**
 * The log with other times in its history, and a chain that commits to it; each time as the text that it is
 * in the file.
 */
const recordedAt = (times: ReadonlyArray<string>): Lines => {
  const texts = testBundle(log, { signer }).filter(ofType("legacy"))
  const legacy = texts.map((line, index) => `${canonical({ ...parse(line), created_at: times[index] })}\n`)
  const leaves = log.legacy.map(({ id, sequence, salt, content }, index) => {
    const header = {
      content_hash: contentHash(sha256, salt ?? "", content ?? ""),
      created_at: times[index],
      id,
      previous_event_hash: null,
      sequence,
      v: 1,
      workspace_id: log.workspaceId
    }
    const hash = sha256.hex(`cairn.event.v1\n${canonical(header)}`)
    return Result.getOrThrow(hashFromHex(hash, "leaf_data"))
  })
  const root = toHex(merkleRoot(sha256, leaves))
  const committed = rewritten({ ...log, anchors: [] }, ({ sequence, content }) =>
    sequence === 1
      ? { content: content?.replace(/"legacy_merkle_root":"\w+"/, `"legacy_merkle_root":"${root}"`) ?? null }
      : {}
  )
  let at = 0
  return testBundle(committed, { signer }).map((line) =>
    ofType("legacy")(line) ? (legacy[at++] ?? "") : line
  )
}

describe("history from before the chain", () => {
  it(`is hashed with its times as they stand, also those that no number holds exactly${because}`, async () => {
    for (const times of [
      ["1600-02-29T00:00:00.000001Z", "1600-02-29T00:00:00.000005Z", "1683-01-01T00:00:00.000003Z"],
      ["0001-01-01T00:00:00.000003Z", "0001-01-01T00:00:00.000008Z", "2024-01-01T00:00:00.000001Z"]
    ])
      await expectVerdict(recordedAt(times), "intact", times.join())
    const future = recordedAt([
      "2024-01-01T00:00:00.000001Z",
      "2300-01-01T00:00:00.000001Z",
      "2300-01-01T00:00:00.000009Z"
    ])
    // Later than the event that commits to it.
    await expectVerdict(future, "tampered", "the future")
  })

  it(`is not proven by an older bundle where the event that commits to it is not there${because}`, async () => {
    const plain = testLog({ events: 8 })
    const older = testBundle(plain, { signer })
    const empty = testBundle(plain, { signer, from: 1, to: 0 })
    const forged = testBundle(testLog({ events: 8, legacy: 2, seed: 5 }), { signer }).filter(ofType("legacy"))
    const [header = "", ...rest] = empty
    const lines = recount([header, ...forged, ...rest])
    await expectVerdict(lines, "unproven", "by itself")
    await expectVerdict(lines, "unproven", "beside an older one without history", older)
    const whole = testBundle(log, { signer })
    const [first = "", ...others] = testBundle(log, { signer, from: 1, to: 0 }).filter(
      (line) => !ofType("legacy")(line)
    )
    const own = whole.filter(ofType("legacy"))
    const more = edit(
      own.slice(-1),
      () => true,
      ({ sequence }) => ({ sequence: Number(sequence) + 1 })
    )
    await expectVerdict(recount([first, ...own, ...more, ...others]), "tampered", "at the same time", whole)
  })

  it(`is unreadable with anything but null for a content that is gone${because}`, async () => {
    const erased = testLog({ events: 8, legacy: 2, erased: [-(2 ** 35), 4] })
    const whole = testBundle(erased, { signer })
    await expectVerdict(whole, "intact", "honest")
    for (const gone of ["nope", "n\0\x01\x02", "nul1", "nulL"]) {
      for (const one of [
        event(4),
        event(-(2 ** 35)),
        (line: string) => line.includes(`"sequence":${-(2 ** 35)},`)
      ]) {
        const lines = whole.map((line) =>
          one(line) ? line.replace('{"content":null,', `{"content":${gone},`) : line
        )
        if (lines.join("") !== whole.join("")) await expectVerdict(lines, "unreadable", gone)
      }
    }
  })
})
