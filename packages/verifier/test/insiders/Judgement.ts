/** The judge over trials: what must not be said of a bundle that was tampered with, and by whom it was. */
import { type Auditor, cellName, type ShapeBundle, type Trial } from "@cairn/testing"
import type { Work } from "../../src/index.ts"
import { contradictions } from "../document/Contradictions.ts"
import { type Answer, type Ask, ask, fileOf, lies, trial } from "./Trials.ts"

/** What came of some trials. */
export interface Outcome {
  readonly trials: number
  /** What is wrong with the verifier of this package. */
  readonly failures: ReadonlyArray<string>
  /** What is wrong with the one in Python, or in what of it the two differ. */
  readonly python: ReadonlyArray<string>
  /** The verdicts of the verifier of this package, each with how often it was given. */
  readonly verdicts: ReadonlyMap<string, number>
}

/** A bundle may cost twice what the honest one does; one that is longer, so much more. */
const MOST = 2

const honestFile = ({ lines }: ShapeBundle): Uint8Array => fileOf(lines)

/** What the honest bundle costs, held against the same. */
const honestWork = (verifier: Ask): ((trial: Trial) => Promise<Work>) => {
  const known = new Map<ShapeBundle, Map<string, Work>>()
  return async ({ honest, auditor }) => {
    const of = known.get(honest) ?? new Map<string, Work>()
    known.set(honest, of)
    const { key, anchors, older } = auditor
    const name = JSON.stringify([key, anchors, older?.end])
    const found = of.get(name) ?? (await verifier(honestFile(honest), honest, auditor)).work
    of.set(name, found)
    return found
  }
}

const costs = ({ file, honest }: Trial, { work }: Answer, fair: Work): ReadonlyArray<string> => {
  const share = Math.max(1, file.bytes.length / honestFile(honest).length)
  return (["hashed", "parsed"] as const).flatMap((name) =>
    work[name] > MOST * share * fair[name]
      ? [`${work[name]} bytes ${name}, and ${fair[name]} of the honest bundle`]
      : []
  )
}

/** Where the answer of the verifier in Python is not the one that follows from the other's. */
const disagreement = ({ auditor }: Trial, { verdict }: Answer, python: Answer): ReadonlyArray<string> => {
  const said = python.verdict
  const expected =
    auditor.anchors === null
      ? [verdict]
      : verdict === "intact"
        ? ["unproven"]
        : verdict === "tampered"
          ? ["tampered", "unproven"]
          : [verdict]
  return expected.includes(said) ? [] : [`Python says ${said}, and the other verifier ${verdict}`]
}

const brings = ({ key, anchors, older }: Auditor): string =>
  [
    ...(key ? ["the key"] : []),
    ...(anchors === null
      ? []
      : [`the account and the blocks of the anchors that end with ${anchors.join(", ") || "none"}`]),
    ...(older === null ? [] : [`a bundle that ends with event ${older.end}`])
  ].join(", ")

const describe = (of: Trial, problem: string): string =>
  [
    `trial ${of.number}, ${cellName(of.cell)}: ${problem}`,
    `  an insider ${of.insider}: ${of.story}`,
    `  an auditor with ${brings(of.auditor)}`,
    `  again: CAIRN_INSIDER_TRIALS=${of.number} npm test -- packages/verifier/test/insiders`
  ].join("\n")

/** What is wrong with an answer on its own. */
const problemsOf = async (
  verifier: Ask,
  of: Trial,
  fair: (trial: Trial) => Promise<Work>
): Promise<{ readonly answer: Answer | undefined; readonly problems: ReadonlyArray<string> }> => {
  let answer: Answer
  try {
    answer = await verifier(of.file.bytes, of.honest, of.auditor)
  } catch (error) {
    return { answer: undefined, problems: [`it broke down: ${String(error)}`] }
  }
  const [lie] = answer.verdict === "intact" ? lies(of, answer) : []
  const costly = costs(of, answer, await fair(of))
  const misread = answer.report === null ? [] : contradictions(answer.report)
  const lying = lie === undefined ? [] : [`INTACT, and false: ${lie.what}`]
  return { answer, problems: [...lying, ...misread, ...costly] }
}

/** Holds trials before both verifiers, or before one where there is no Python. */
export const judge = async (numbers: Iterable<number>, python: Ask | undefined): Promise<Outcome> => {
  const failures: Array<string> = []
  const ofPython: Array<string> = []
  const verdicts = new Map<string, number>()
  const fair = honestWork(ask)
  const fairPython = python === undefined ? undefined : honestWork(python)
  let trials = 0
  for (const number of numbers) {
    trials++
    const of = trial(number)
    const { answer, problems } = await problemsOf(ask, of, fair)
    failures.push(...problems.map((problem) => describe(of, problem)))
    if (answer !== undefined) verdicts.set(answer.verdict, (verdicts.get(answer.verdict) ?? 0) + 1)
    if (python === undefined || fairPython === undefined) continue
    const other = await problemsOf(python, of, fairPython)
    const differs =
      answer === undefined || other.answer === undefined ? [] : disagreement(of, answer, other.answer)
    ofPython.push(...[...other.problems, ...differs].map((problem) => describe(of, problem)))
  }
  return { trials, failures, python: ofPython, verdicts }
}

/** How many of the failures are shown in full. */
const SHOWN = 20

/** Failures as one text; empty for none. */
export const failureText = (failures: ReadonlyArray<string>): string => {
  const shown = failures.slice(0, SHOWN).join("\n")
  return failures.length > SHOWN ? `${shown}\n… and ${failures.length - SHOWN} more` : shown
}
