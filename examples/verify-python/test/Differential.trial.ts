/**
 * Both verifiers give one verdict: on bundles of every shape, changed in every way that comes to a generator,
 * held against a key or against an older bundle. CAIRN_DIFFERENTIAL sets how many in place of a few hundred;
 * CAIRN_SEED, from which seed on.
 */
import type { Ed25519Verifier, Sha256 } from "@cairn/core/hashing"
import { formatVerifierKey } from "@cairn/core/note"
import { type TestLogOptions, testBundle, testLog } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { compareEvidence, layerTools, type VerifyOptions, verifyEvidence } from "@cairn/verifier"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serviceKey, signer, signerOf, stream } from "../../../packages/verifier/test/Bundles.ts"
import { testChain } from "../../../packages/verifier/test/TestChain.ts"
import { rewritten } from "../../../packages/verifier/test/tampering/Tampering.ts"
import { Dice, mutated } from "./Mutations.ts"
import { because, Python, packed, usable } from "./Python.ts"

const python = new Python()
afterAll(() => python.close())

type Lines = ReadonlyArray<string>

const trusted = { trusted_keys: [formatVerifierKey(serviceKey)] }

const { send } = testChain()
const later: TestLogOptions = { events: 18, legacy: 2, periods: [5, 9, 14], erased: [3, 12], send }
const logs = {
  later: testLog(later),
  sooner: testLog({ events: 11, legacy: 2, periods: [5, 9], send }),
  pending: testLog({ events: 16, periods: [6, 12] }),
  retained: testLog({ events: 16, periods: [8], retainedFrom: 6, send }),
  other: testLog({ ...later, seed: 5 }),
  plain: testLog({ events: 9 })
}

/** Of an empty range no content is missing. */
const withoutRemovals = (lines: Lines): Lines =>
  lines
    .filter((line) => !line.startsWith('{"event":'))
    .map((line) => line.replace(/"removals":\d+,"type":"end"/, '"removals":0,"type":"end"'))

const shapes: Readonly<Record<string, Lines>> = {
  whole: testBundle(logs.later, { signer }),
  "over both edges of periods": testBundle(logs.later, { signer, from: 7, to: 12 }),
  "between periods": testBundle(logs.later, { signer, from: 10, to: 14 }),
  "after the last period": testBundle(logs.later, { signer, from: 16 }),
  "before the erasures": testBundle(logs.later, { signer, to: 13 }),
  "from the second event on": testBundle(logs.later, { signer, from: 2 }),
  "one event": testBundle(logs.later, { signer, from: 12, to: 12 }),
  "the first event": testBundle(logs.later, { signer, from: 1, to: 1 }),
  empty: withoutRemovals(testBundle(logs.later, { signer, from: 6, to: 5 })),
  "empty, with history": withoutRemovals(testBundle(logs.later, { signer, from: 1, to: 0 })),
  "an empty log": testBundle(testLog({ events: 0 }), { signer }),
  pending: testBundle(logs.pending, { signer }),
  "a pending range": testBundle(logs.pending, { signer, from: 4, to: 10 }),
  retained: testBundle(logs.retained, { signer }),
  "a retained range": testBundle(logs.retained, { signer, from: 2, to: 9 }),
  plain: testBundle(logs.plain, { signer }),
  sooner: testBundle(logs.sooner, { signer }),
  "sooner, over an edge": testBundle(logs.sooner, { signer, from: 3, to: 8 }),
  "of another log": testBundle(logs.other, { signer }),
  "of another key": testBundle(logs.later, { signer: signerOf(9) }),
  "without a checkpoint": testBundle(logs.later, {})
}

/** Logs that the operator has written anew from some event on, with all that follows from it. */
const forged = [2, 7, 13].flatMap((from) => {
  const log = rewritten({ ...logs.later, anchors: [] }, ({ sequence, content }) =>
    sequence < from ? {} : { content: content?.replace(/"id":"[^"]*"/, '"id":"mallory"') ?? null }
  )
  return [testBundle(log, { signer }), testBundle(log, { signer, from: 7, to: 12 })]
})
const all = [...Object.values(shapes), ...forged]
const olderOnes = [
  shapes.sooner,
  shapes["sooner, over an edge"],
  shapes.plain,
  shapes.empty
] as ReadonlyArray<Lines>

/** What the auditor has: bundles, of which the last is the one in question, and whether he has the key. */
interface Case {
  readonly what: string
  readonly bundles: readonly [Lines] | readonly [Lines, Lines]
  readonly withKey: boolean
}

interface Judged {
  readonly verdict: string
}

const byTypeScript = ({ bundles: [first, second], withKey }: Case): Promise<Judged> => {
  const options: VerifyOptions = withKey ? { trustedKeys: [serviceKey] } : {}
  const newer = second ?? first
  const verified: Effect.Effect<Judged, never, Ed25519Verifier | Sha256> =
    second === undefined
      ? verifyEvidence(stream(packed(newer)), options)
      : compareEvidence(stream(packed(first)), stream(packed(newer)), options)
  return Effect.runPromise(Effect.provide(verified, layerTools))
}

/** Both verdicts; that without a key and without an older bundle Python says less is no difference. */
const verdicts = async (one: Case) => {
  const [typescript, answer] = [
    await byTypeScript(one),
    await python.ask(one.bundles, one.withKey ? trusted : {})
  ]
  const verdict = answer.verdict === "hashes_hold" ? "intact" : answer.verdict
  return { typescript: typescript.verdict, python: verdict, report: typescript, answer }
}

type Verdicts = Awaited<ReturnType<typeof verdicts>>

const random = (seed: number): Case => {
  const dice = new Dice(seed)
  const [what, lines] = dice.of(Object.entries(shapes))
  const changed = dice.below(25) === 0 ? lines : mutated(dice, lines, all)
  const how = dice.below(10)
  if (how < 5) return { what, bundles: [changed], withKey: how < 4 }
  const older =
    dice.below(6) === 0 ? mutated(dice, dice.of(olderOnes), all) : dice.of([...olderOnes, dice.of(all)])
  return { what: `${what}, with an older bundle`, bundles: [older, changed], withKey: how === 9 }
}

const said = (
  seed: number,
  { what }: Case,
  { typescript, python: other, report, answer }: Verdicts
): string =>
  [
    `seed ${seed}, ${what}: ${typescript} in TypeScript, ${other} in Python`,
    JSON.stringify(report)
      .replaceAll(/"proven":\[.*?\],"not_checked"/g, '"not_checked"')
      .slice(0, 3_000),
    JSON.stringify(answer.findings.filter(({ kind }) => kind !== "proven" && kind !== "not_checked")).slice(
      0,
      2_000
    ),
    answer.unreadable
  ].join("\n  ")

// biome-ignore lint/suspicious/noUndeclaredEnvVars: it sets how long a run by hand takes.
const RUNS = Number(process.env.CAIRN_DIFFERENTIAL ?? 200)

const generated = generatedTests(import.meta.url)

/** So that no machine is too slow, in milliseconds. */
const HOUR = 3_600_000

describe.skipIf(!usable)(`both verifiers${because}`, () => {
  it("give one verdict on every honest bundle, alone and held against others", {
    timeout: HOUR
  }, async () => {
    for (const [what, lines] of Object.entries(shapes)) {
      for (const withKey of [true, false]) {
        const found = await verdicts({ what, bundles: [lines], withKey })
        assert.strictEqual(
          found.python,
          found.typescript,
          `${what} ${withKey} ${JSON.stringify(found, null, 1)}`
        )
        for (const older of olderOnes) {
          const held = await verdicts({ what, bundles: [older, lines], withKey })
          assert.strictEqual(
            held.python,
            held.typescript,
            `${what} ${withKey} ${JSON.stringify(held, null, 1)}`
          )
        }
      }
    }
  })

  it("give one verdict on bundles that were changed", {
    timeout: HOUR
  }, async () => {
    const counts = new Map<string, number>()
    const differ: Array<string> = []
    await generated.promises({ count: RUNS, seed: 1 }, async (_, seed) => {
      const one = random(seed)
      const found = await verdicts(one)
      counts.set(found.python, (counts.get(found.python) ?? 0) + 1)
      if (found.python !== found.typescript) differ.push(said(seed, one, found))
    })
    assert.deepStrictEqual(differ, [], JSON.stringify([...counts]))
    for (const verdict of ["tampered", "unreadable"])
      assert.isAbove(counts.get(verdict) ?? 0, RUNS / 20, verdict)
  })
})
