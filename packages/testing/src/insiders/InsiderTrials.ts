/**
 * The trials: every member of every type of line, every kind of change, in every shape, by one of the
 * insiders, who recomputes what is possible.
 *
 * A trial is generated from its number alone. The first trials go through every cell once. The later ones go
 * through the cells that hold a bundle together, except the members of contents, and equally often through
 * those that loosen it, again and again with other choices; each of these insiders also has a goal.
 */
import type { Ed25519SignerShape, Sha256Shape } from "@cairn/core/hashing"
import { type SeededRandom, seededRandom } from "../generators/SeededRandom.ts"
import { type BundleLines, writeLines } from "./BundleLines.ts"
import { mendCounts } from "./EventMending.ts"
import { LINE_TYPES, type LineType, type MemberPath, membersOf } from "./EvidenceMembers.ts"
import { type BundleFile, changeFile, FILE_PARTS, packed } from "./FileChanges.ts"
import { GOALS, type Goal, withGoal } from "./InsiderGoals.ts"
import { INSIDERS, type InsiderName, type MendPlan, mend, mendPlan, STEPS } from "./InsiderMending.ts"
import { type OlderBundle, SHAPES, type ShapeBundle, type ShapeName } from "./InsiderShapes.ts"
import { isObject } from "./JsonValues.ts"
import { fewerRecords, RECORD_PARTS } from "./KeptRecords.ts"
import { CHANGES, type Change, changeMember, type Donors } from "./MemberChanges.ts"

/** One combination of a trial. */
export interface Cell {
  readonly shape: ShapeName
  readonly type: LineType | "file" | "records"
  readonly member: MemberPath
  readonly change: Change
}

/** What the auditor brings. */
export interface Auditor {
  /** The key that signs checkpoints. */
  readonly key: boolean
  /**
   * The account that anchors, and the true hashes of the blocks of these anchors, by the last events of their
   * periods.
   */
  readonly anchors: ReadonlyArray<number> | null
  readonly older: OlderBundle | null
}

/** A bundle that was tampered with. */
export interface Trial {
  readonly number: number
  readonly cell: Cell
  readonly insider: InsiderName
  readonly auditor: Auditor
  /** The honest bundle that it was. */
  readonly honest: ShapeBundle
  readonly file: BundleFile
  /** What was done, for the reader of a failure. */
  readonly story: string
}

/** The name of a cell: `range: prefix.log, removed`. */
export const cellName = ({ shape, type, member, change }: Cell): string =>
  `${shape}: ${[type, ...member].join(".")}, ${change}`

/** What generating trials needs. */
export interface TrialTools {
  readonly sha256: Sha256Shape
  readonly signer: Ed25519SignerShape
  readonly shapes: ReadonlyMap<ShapeName, ReadonlyArray<ShapeBundle>>
}

const donorsOf = ({ others, strangers }: ShapeBundle, random: SeededRandom): Donors => ({
  bundle: random.pick(others),
  log: random.pick(strangers)
})

/** Attempts before a bundle counts as having nothing to change in this way. */
const TRIES = 8

/** The cells of some bundles: those in which something can be changed. */
export const cellsOf = ({ shapes }: TrialTools): ReadonlyArray<Cell> => {
  const exists = (cell: Cell, type: LineType, bundles: ReadonlyArray<ShapeBundle>) => {
    const random = seededRandom(1)
    const tries = bundles.flatMap((bundle) => Array<ShapeBundle>(TRIES).fill(bundle))
    return tries.some(
      (bundle) =>
        changeMember(bundle.lines, { ...cell, type }, donorsOf(bundle, random), random) !== undefined
    )
  }
  return SHAPES.flatMap((shape) => {
    const bundles = shapes.get(shape) ?? []
    const ofLines = LINE_TYPES.flatMap((type) =>
      membersOf(type).flatMap((member) =>
        CHANGES.map((change): Cell => ({ shape, type, member, change })).filter((cell) =>
          exists(cell, type, bundles)
        )
      )
    )
    const ofFile = FILE_PARTS.flatMap((part) =>
      CHANGES.map((change): Cell => ({ shape, type: "file", member: [part], change }))
    )
    const ofRecords = RECORD_PARTS.filter((part) =>
      bundles.some(({ lines }) => fewerRecords(lines, part, seededRandom(1)) !== lines)
    ).map((part): Cell => ({ shape, type: "records", member: [part], change: "removed" }))
    return [...ofLines, ...ofFile, ...ofRecords]
  })
}

const auditorOf = (insider: InsiderName, { lines, older }: ShapeBundle, random: SeededRandom): Auditor => {
  const confirmed = lines.flatMap(({ type, value }) =>
    type === "anchor" && isObject(value) ? [Number(value.last_sequence)] : []
  )
  const bringsOlder = random.chance(insider === "with the key" ? 0.5 : 0.2)
  const bringsAnchors = insider === "with the key" ? !bringsOlder || random.chance(0.2) : random.chance(0.3)
  const some = random.chance(0.75) ? confirmed : confirmed.filter(() => random.chance(0.5))
  return {
    key: insider === "without the key" || random.chance(0.5),
    anchors: bringsAnchors ? some : null,
    older: bringsOlder ? random.pick(older) : null
  }
}

/**
 * Which part of the lines is recomputed after the change if the goal was recomputed before: little, or the
 * change would be undone.
 */
const touchUp = (random: SeededRandom, plan: MendPlan): MendPlan => ({
  ...plan,
  note: "kept",
  steps: new Set(STEPS.filter((step) => random.chance(step === "counts" ? 0.9 : 0.08)))
})

const describePlan = ({ steps, resend, note }: MendPlan): string =>
  `${STEPS.filter((step) => steps.has(step)).join(" ")} (checkpoint ${note}, anchors ${resend})`

const goalsOf = (random: SeededRandom): ReadonlyArray<Goal> =>
  random.chance(0.3) ? [random.pick(GOALS), random.pick(GOALS)] : [random.pick(GOALS)]

/** The lines of a trial, and its description. */
interface Told {
  readonly lines: BundleLines
  readonly story: ReadonlyArray<string>
}

const tamperedLines = (
  { sha256, signer }: TrialTools,
  { cell, wantsSomething }: Assignment,
  insider: InsiderName,
  honest: ShapeBundle,
  donors: Donors,
  random: SeededRandom
): Told | undefined => {
  const { truth, lines } = honest
  const tools = { sha256, signer, truth, random }
  const plan = mendPlan(insider, random)
  const { type } = cell
  if (type === "records") {
    const part = RECORD_PARTS.find((one) => one === cell.member[0]) ?? "one"
    const left = fewerRecords(lines, part, random)
    // Nothing else depends on a content: its hash stays.
    return left === lines
      ? undefined
      : { lines: mendCounts(left), story: ["leaves out contents of records that are kept", "mends counts"] }
  }
  const change = (before: BundleLines) =>
    type === "file" ? before : changeMember(before, { ...cell, type }, donors, random)
  const order = wantsSomething ? 0.35 + 0.65 * random.real() : random.real()
  const goals = order < 0.35 ? [] : goalsOf(random)
  const wanted = goals.reduce((before, goal) => withGoal(before, goal, random), lines)
  const told = goals.map((goal) => `wants ${goal}`)
  if (order < 0.55) {
    const changed = change(wanted)
    if (changed === undefined) return undefined
    return {
      lines: mend(changed, plan, tools),
      story: [...told, "changes it", `mends ${describePlan(plan)}`]
    }
  }
  const whole: MendPlan = {
    ...plan,
    steps: new Set(STEPS.filter((step) => step !== "sequences" || plan.steps.has(step)))
  }
  const after = touchUp(random, plan)
  const changed = change(mend(wanted, whole, tools))
  if (changed === undefined) return undefined
  return {
    lines: mend(changed, after, tools),
    story: [...told, `mends ${describePlan(whole)}`, "changes it", `mends ${describePlan(after)}`]
  }
}

/** The choices that a number stands for. */
interface Assignment {
  readonly cell: Cell
  readonly wantsSomething: boolean
}

/** Whether a cell concerns what holds a bundle together, and not the contents of an event. */
const isStructural = ({ type, member }: Cell): boolean =>
  !member.includes("content") ||
  member.at(-1) === "content" ||
  member.includes("sequences") ||
  type === "removal"

/**
 * Whether a change leaves a bundle that can be read and has one check less to fail: a missing line, an empty
 * list, a null, another range.
 */
const isLoosening = (cell: Cell): boolean => {
  const { type, member, change } = cell
  if (!isStructural(cell) || type === "file") return false
  if (type === "records") return true
  if (member.length === 0) return change === "removed" || change === "of another bundle"
  return change === "emptied" || (type !== "removal" && member.length === 1 && change === "off by one")
}

/** The trial with a number, for a given cell. */
const makeTrial = (tools: TrialTools, assignment: Assignment, number: number): Trial => {
  const { cell } = assignment
  const bundles = tools.shapes.get(cell.shape) ?? []
  const random = seededRandom(number + 1)
  for (let tries = 0; ; tries++) {
    if (tries > 200) throw new Error(`trial ${number} finds nothing to change: ${cellName(cell)}`)
    const insider = random.pick(INSIDERS)
    const honest = random.pick(bundles)
    const auditor = auditorOf(insider, honest, random)
    const donors = donorsOf(honest, random)
    const told = tamperedLines(tools, assignment, insider, honest, donors, random)
    if (told === undefined) continue
    const text = writeLines(told.lines)
    const texts = { bundle: writeLines(donors.bundle), log: writeLines(donors.log) }
    const [part] = cell.member
    const file =
      cell.type === "file"
        ? changeFile(text, part === "gzip" ? "gzip" : "text", cell.change, texts, random)
        : packed(text)
    return { number, cell, insider, auditor, honest, file, story: told.story.join("; ") }
  }
}

/** The trials of some bundles: their cells, and each trial by its number, from 0. */
export const insiderTrials = (tools: TrialTools) => {
  const cells = cellsOf(tools)
  const again = [cells.filter(isStructural), cells.filter(isLoosening)]
  return {
    cells,
    trial: (number: number): Trial => {
      const wantsSomething = number >= cells.length
      const list = again[number % again.length] ?? cells
      const turn = Math.floor((number - cells.length) / again.length)
      const cell = wantsSomething ? list[turn % list.length] : cells[number]
      if (cell === undefined) throw new Error("there are no cells")
      return makeTrial(tools, { cell, wantsSomething }, number)
    }
  }
}
