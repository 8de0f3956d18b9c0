/**
 * Bundles that were changed, for both verifiers to judge: a line or a member of one removed, doubled,
 * emptied, moved, taken from elsewhere or off by one, up to three such changes in one bundle, and what
 * follows from them mended as far as someone could.
 */
import { canonicalize, Micros } from "@cairn/core/encoding"
import { contentHash, eventHash } from "@cairn/core/event"
import { Result } from "effect"
import { sha256 } from "../../../packages/verifier/test/Bundles.ts"

/** Numbers that only look random: the same seed gives the same ones. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  of<A>(items: ReadonlyArray<A>): A {
    const item = items[this.below(items.length)]
    if (item === undefined && items.length === 0) throw new RangeError("nothing to choose from")
    return item as A
  }
}

type Lines = ReadonlyArray<string>
type Path = ReadonlyArray<string | number>
type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const canonical = (value: unknown): string =>
  Result.getOrElse(canonicalize(value), () => JSON.stringify(value) ?? "null")

/** The ways to every value within a value. */
const paths = (value: unknown, path: Path = []): ReadonlyArray<Path> => {
  const inner = Array.isArray(value)
    ? value.slice(0, 4).flatMap((item, index) => paths(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, item]) => paths(item, [...path, name]))
      : []
  return path.length === 0 ? inner : [path, ...inner]
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Json | undefined)?.[step as string], value)

/** The value with another one at the end of the way; `undefined` takes it out. */
const put = (value: unknown, [step, ...rest]: Path, other: unknown): unknown => {
  if (step === undefined) return other
  const changed = put(at(value, [step]), rest, other)
  if (Array.isArray(value)) {
    return changed === undefined
      ? value.filter((_, index) => index !== step)
      : value.with(Number(step), changed)
  }
  const { [step]: _, ...others } = value as Json
  return changed === undefined ? others : { ...others, [step]: changed }
}

const STRANGERS: ReadonlyArray<unknown> = [
  ...[
    null,
    "",
    0,
    -1,
    1,
    0.5,
    2 ** 53,
    Number.MAX_SAFE_INTEGER,
    true,
    [],
    {},
    "x",
    "0x",
    "0x0",
    "ab".repeat(32)
  ],
  ...["AB".repeat(32), "2024-05-01T12:00:00Z", "2024-02-30T12:00:00Z", "2024-05-01T12:00:05.000000Z", "null"],
  ...[
    ["ab".repeat(32)],
    [[]],
    [null],
    "\u0000",
    "\u{1f600}",
    "confirmed",
    "pending",
    "submitted",
    "base",
    "1"
  ]
]

const HEXADECIMAL = "0123456789abcdef"

/** A value that is nearly the same. */
const near = (dice: Dice, value: unknown): unknown => {
  if (typeof value === "number") return value + dice.of([-1, 1, 2, -2, 10])
  if (Array.isArray(value)) {
    return dice.of([
      value.slice(1),
      value.slice(0, -1),
      [...value, ...value.slice(-1)],
      value.toReversed(),
      []
    ])
  }
  if (typeof value !== "string" || value === "") return dice.of(STRANGERS)
  const place = dice.below(value.length)
  const moment = Micros.parse(value)
  if (moment !== undefined && dice.below(2) === 0) {
    const moved = Micros.format(moment + dice.of([-1, 1, 1_000_000, -1_000_000, 60_000_000]))
    return value.includes(".") ? moved : `${moved.slice(0, 19)}Z`
  }
  const other = dice.of([...HEXADECIMAL, "Z", " ", "\n", "é", ""])
  return value.slice(0, place) + other + value.slice(place + 1)
}

/** Another bundle that parts can be taken from. */
const foreignLine = (dice: Dice, others: ReadonlyArray<Lines>, like: string): string => {
  const type = (line: string) => /"type":"(\w+)"\}\n$/.exec(line)?.[1] ?? /"type":"(\w+)"/.exec(line)?.[1]
  const lines = dice.of(others)
  const same = lines.filter((line) => type(line) === type(like))
  return dice.of(same.length > 0 && dice.below(5) > 0 ? same : lines)
}

/** Changes a line as a whole. */
const changeLines = (dice: Dice, lines: Lines, others: ReadonlyArray<Lines>): Lines => {
  const from = dice.below(lines.length)
  const line = lines[from] ?? ""
  const without = lines.filter((_, index) => index !== from)
  const to = dice.below(lines.length)
  switch (dice.below(6)) {
    case 0:
      return without
    case 1:
      return lines.toSpliced(dice.of([from, to]), 0, line)
    case 2:
      return without.toSpliced(to, 0, line)
    case 3:
      return lines.with(from, lines[to] ?? "").with(to, line)
    case 4:
      return lines.with(from, foreignLine(dice, others, line))
    default:
      return lines.toSpliced(to, 0, foreignLine(dice, others, line))
  }
}

const UNCOMMON = /"type":"(?:header|prefix|anchor|checkpoint|removal|end)"/

/** Changes a member of a line; of lines that there are many of less often. */
const changeMember = (dice: Dice, lines: Lines, others: ReadonlyArray<Lines>): Lines => {
  const few = lines.flatMap((line, index) => (UNCOMMON.test(line.slice(-60)) || index === 0 ? [index] : []))
  const place = dice.below(4) > 0 && few.length > 0 ? dice.of(few) : dice.below(lines.length)
  const line = lines[place] ?? ""
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return lines
  }
  const ways = paths(value)
  if (ways.length === 0) return lines
  const way = dice.of(ways)
  const before = at(value, way)
  const other = () => {
    switch (dice.below(6)) {
      case 0:
        return undefined
      case 1:
        return dice.of(STRANGERS)
      case 2:
        return at(value, dice.of(ways))
      case 3: {
        const foreign = foreignLine(dice, others, line)
        return at(JSON.parse(foreign), way)
      }
      default:
        return near(dice, before)
    }
  }
  const changed = isObject(before) && dice.below(8) === 0 ? { ...before, more: 1 } : other()
  return lines.with(place, `${canonical(put(value, way, changed))}\n`)
}

/** Changes the text, mostly into something that nobody can read. */
const changeText = (dice: Dice, lines: Lines): Lines => {
  const text = lines.join("")
  const place = dice.below(text.length)
  const other = dice.of([...' \n\t"\\{}[],:019aez.-', "", "\\u0041", '"type":', "é", "\u2028"])
  return [text.slice(0, place) + other + text.slice(place + dice.below(2))]
}

/** Makes the closing line count what is there. */
const recount = (lines: Lines): Lines => {
  const count = (type: string) => lines.filter((line) => line.endsWith(`"type":"${type}"}\n`)).length
  const starting = (name: string) => lines.filter((line) => line.startsWith(name)).length
  const end = {
    anchors: lines.filter((line) => line.includes('"type":"anchor"}')).length,
    events: count("event"),
    legacy: count("legacy"),
    removals: starting('{"event":{"anchored"'),
    type: "end"
  }
  return lines.map((line) => (line.startsWith('{"anchors":') ? `${canonical(end)}\n` : line))
}

/** Gives events, from the first one that was changed on, the hashes that follow from what they say. */
const rehash = (lines: Lines): Lines => {
  const workspace: unknown = /"workspace_id":"([^"]*)"/.exec(lines[0] ?? "")?.[1]
  if (typeof workspace !== "string") return lines
  let last: string | null | undefined
  return lines.map((line) => {
    if (!line.endsWith('"type":"event"}\n')) return line
    let value: Json
    try {
      value = JSON.parse(line)
    } catch {
      return line
    }
    const createdAt = Micros.parse(String(value.created_at))
    if (createdAt === undefined) return line
    const hash =
      isObject(value.content) && typeof value.salt === "string"
        ? contentHash(sha256, value.salt, canonical(value.content))
        : String(value.content_hash)
    const previous = last ?? (value.previous_event_hash === null ? null : String(value.previous_event_hash))
    const hashed = eventHash(sha256, {
      contentHash: hash,
      createdAt,
      id: String(value.id),
      previousEventHash: previous,
      sequence: Number(value.sequence),
      workspaceId: workspace
    })
    last = hashed
    return `${canonical({ ...value, content_hash: hash, previous_event_hash: previous, event_hash: hashed })}\n`
  })
}

/** A bundle that was changed; mostly in one place, and in most that follows from it mended. */
export const mutated = (dice: Dice, lines: Lines, others: ReadonlyArray<Lines>): Lines => {
  let changed = lines
  for (let times = dice.of([1, 1, 1, 2, 3]); times > 0; times--) {
    const kind = dice.below(10)
    changed =
      kind < 3
        ? changeLines(dice, changed, others)
        : kind < 9
          ? changeMember(dice, changed, others)
          : changeText(dice, changed)
    if (changed.length === 0) return lines.slice(0, 1)
  }
  if (dice.below(3) === 0) changed = rehash(changed)
  return dice.below(3) > 0 ? recount(changed) : changed
}
