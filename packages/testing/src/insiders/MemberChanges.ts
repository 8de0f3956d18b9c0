/** The kinds of change to one member of a line, or to the line itself. */
import type { SeededRandom } from "../generators/SeededRandom.ts"
import type { BundleLine, BundleLines } from "./BundleLines.ts"
import { ITEM, type LineType, type MemberPath } from "./EvidenceMembers.ts"
import {
  isList,
  isObject,
  type Json,
  type Place,
  Spelled,
  Twice,
  valueAt,
  withValueAt,
  writeJson
} from "./JsonValues.ts"

/** The kinds of change. */
export const CHANGES = [
  "removed",
  "doubled",
  "emptied",
  "swapped",
  "of another bundle",
  "of another log",
  "moved",
  "off by one",
  "spelled otherwise"
] as const
export type Change = (typeof CHANGES)[number]

/** Honest lines that parts are copied from. */
export interface Donors {
  /** Of the same log. */
  readonly bundle: BundleLines
  /** Of another one. */
  readonly log: BundleLines
}

/** What is changed: a member, and the kind of change. */
export interface MemberChange {
  readonly type: LineType
  readonly member: MemberPath
  readonly change: Change
}

/** The place of a member in a value, with items picked at random; `undefined` if it has none. */
const placeOf = (value: Json, member: MemberPath, random: SeededRandom): Place | undefined => {
  const place: Array<string | number> = []
  for (const name of member) {
    const here = valueAt(value, place)
    if (name === ITEM) {
      if (!isList(here) || here.length === 0) return undefined
      place.push(random.below(here.length))
    } else place.push(name)
  }
  return valueAt(value, place) === undefined ? undefined : place
}

/** A line of a type that has a member, and where. */
interface Target {
  readonly index: number
  readonly line: BundleLine
  readonly place: Place
  readonly value: Json
}

const targetsIn = (
  lines: BundleLines,
  type: LineType,
  member: MemberPath,
  random: SeededRandom
): ReadonlyArray<Target> =>
  lines.flatMap((line, index) => {
    if (line.type !== type) return []
    const place = placeOf(line.value, member, random)
    const value = place === undefined ? undefined : valueAt(line.value, place)
    return place === undefined || value === undefined ? [] : [{ index, line, place, value }]
  })

const same = (one: Json, other: Json): boolean =>
  one === other ||
  (typeof one === "object" && typeof other === "object" && writeJson(one) === writeJson(other))

const emptied = (value: Json, random: SeededRandom): Json => {
  const empties: ReadonlyArray<Json> = [null, "", [], {}, 0]
  const like: Json = typeof value === "string" ? "" : isList(value) ? [] : isObject(value) ? {} : 0
  return random.chance(0.5) ? random.pick([null, like]) : random.pick(empties)
}

/** The value repeated within itself. */
const doubled = (value: Json): Json => {
  if (typeof value === "string") return value + value
  if (isList(value)) return [...value, ...value]
  if (typeof value === "number") return Number(`${value}${Math.abs(value)}`)
  return [value, value]
}

const nextCharacter = (character: string): string => {
  if (character === "9") return "8"
  if (character === "f") return "e"
  return String.fromCharCode(character.charCodeAt(0) + 1)
}

/** The text with one character, usually the last significant one, replaced by the next. */
const besideText = (text: string, random: SeededRandom): string => {
  if (text === "") return "0"
  // A time ends with its Z, and base64 with its padding.
  let last = text.length - 1
  while (text[last] === "Z" || text[last] === "=") last--
  const at = Math.max(0, random.chance(0.7) ? last : random.below(text.length))
  return text.slice(0, at) + nextCharacter(text.charAt(at)) + text.slice(at + 1)
}

const beside = (value: Json, random: SeededRandom): Json | undefined => {
  if (typeof value === "number") return value + (random.chance(0.5) ? 1 : -1)
  if (typeof value === "string") return besideText(value, random)
  if (isList(value)) {
    const last = value.at(-1)
    if (last === undefined) return [0]
    return random.chance(0.5) ? value.slice(0, -1) : [...value, last]
  }
  if (value === null) return random.pick<Json>([0, 1, "", "0".repeat(64), "0".repeat(32)])
  return undefined
}

/** The same value in a spelling that is not canonical. */
const respelled = (value: Json, random: SeededRandom): Json | undefined => {
  const text = writeJson(value)
  if (typeof value === "number") {
    return new Spelled(
      random.pick([`0${text}`, `${text}.0`, `${text}e0`, `+${text}`, ` ${text}`, `-${text}`])
    )
  }
  if (typeof value === "string" && value !== "") {
    const code = value.charCodeAt(0).toString(16).padStart(4, "0")
    const upper = JSON.stringify(value.toUpperCase())
    const escaped = `"\\u${code}${JSON.stringify(value.slice(1)).slice(1)}`
    return new Spelled(random.pick(upper === text ? [escaped, ` ${text}`] : [escaped, upper, `${text} `]))
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`
    )
    return new Spelled(`{${members.toReversed().join(random.pick([",", ", "]))}}`)
  }
  return new Spelled(` ${text}`)
}

const put = (lines: BundleLines, { index, line }: Target, value: Json): BundleLines =>
  lines.with(index, { ...line, value })

/** Another target's value in place of this one. */
const taken = (
  lines: BundleLines,
  target: Target,
  from: ReadonlyArray<Target>,
  random: SeededRandom
): BundleLines | undefined => {
  const others = from.filter(({ value }) => !same(value, target.value))
  if (others.length === 0) return undefined
  return put(lines, target, withValueAt(target.line.value, target.place, random.pick(others).value))
}

/** Exchanges a member with the next one in its object or list, or with the same one of another line. */
const swapped = (
  lines: BundleLines,
  target: Target,
  targets: ReadonlyArray<Target>,
  random: SeededRandom
): BundleLines | undefined => {
  const { line, place, value, index } = target
  const name = place.at(-1)
  const parent = valueAt(line.value, place.slice(0, -1))
  const names: ReadonlyArray<string | number> = isList(parent)
    ? parent.map((_, at) => at)
    : isObject(parent)
      ? Object.keys(parent)
      : []
  const at = names.indexOf(name ?? "")
  const besides = [names[at + 1], names[at - 1]].flatMap((next) => {
    const other = next === undefined ? undefined : valueAt(line.value, [...place.slice(0, -1), next])
    return next === undefined || other === undefined || same(other, value) ? [] : [{ next, other }]
  })
  const elsewhere = targets.filter((other) => other.index !== index && !same(other.value, value))
  const choices = [...besides, ...elsewhere.slice(0, 2)]
  if (choices.length === 0) return undefined
  const choice = random.pick(choices)
  if ("next" in choice) {
    const exchanged = withValueAt(line.value, place, choice.other)
    return put(lines, target, withValueAt(exchanged, [...place.slice(0, -1), choice.next], value))
  }
  const here = put(lines, target, withValueAt(line.value, place, choice.value))
  return put(here, choice, withValueAt(choice.line.value, choice.place, value))
}

/** Moves a member elsewhere: into another line, up by a level, or along its list. */
const moved = (
  lines: BundleLines,
  target: Target,
  targets: ReadonlyArray<Target>,
  random: SeededRandom
): BundleLines | undefined => {
  const { line, place, value, index } = target
  const name = place.at(-1)
  const without = withValueAt(line.value, place, undefined)
  const ways: Array<() => BundleLines> = []
  const others = targets.filter((other) => other.index !== index)
  if (others.length > 0) {
    ways.push(() => {
      const other = random.pick(others)
      const there = withValueAt(other.line.value, other.place, value)
      return put(put(lines, target, without), other, there)
    })
  }
  const parent = valueAt(without, place.slice(0, -1))
  if (isList(parent) && parent.length > 0) {
    ways.push(() => {
      const list = parent.toSpliced((Number(name) + 1) % (parent.length + 1), 0, value)
      return put(lines, target, withValueAt(without, place.slice(0, -1), list))
    })
  }
  if (place.length > 1 && typeof name === "string") {
    ways.push(() => put(lines, target, withValueAt(without, [name], value)))
  }
  if (ways.length === 0 && typeof name === "string") {
    ways.push(() => put(lines, target, withValueAt(without, [`${name}_moved`], value)))
  }
  return ways.length === 0 ? undefined : random.pick(ways)()
}

/** A member that occurs twice in its object or list, or whose value does. */
const doubledMember = (lines: BundleLines, target: Target, random: SeededRandom): BundleLines => {
  const { line, place, value } = target
  const name = place.at(-1)
  const parent = valueAt(line.value, place.slice(0, -1))
  if (typeof name === "number" && isList(parent)) {
    return put(lines, target, withValueAt(line.value, place.slice(0, -1), parent.toSpliced(name, 0, value)))
  }
  const twice = random.chance(0.5) ? new Twice(value, value) : new Twice(emptied(value, random), value)
  return put(lines, target, withValueAt(line.value, place, random.chance(0.5) ? doubled(value) : twice))
}

/** A value with only a member of this name. */
const holding = (member: MemberPath, value: Json): Json => {
  const [first, ...rest] = member
  if (first === undefined) return value
  const inner = holding(rest, value)
  return first === ITEM ? [inner] : { [first]: inner }
}

/** Adds an empty, unknown member to a member that allows one. */
const added = (
  lines: BundleLines,
  type: LineType,
  member: MemberPath,
  random: SeededRandom
): BundleLines | undefined => {
  const empty = random.pick<Json>([null, "", 0, {}, []])
  for (let depth = member.length - 1; depth >= 0; depth--) {
    const [target] = targetsIn(lines, type, member.slice(0, depth), random)
    if (target === undefined) continue
    const { line, place, value } = target
    const rest = member.slice(depth)
    const [name = ""] = rest
    const hasRoom = value === null || (name === ITEM ? isList(value) : isObject(value))
    if (!hasRoom) return undefined
    const grown = isObject(value) ? { ...value, [name]: holding(rest.slice(1), empty) } : holding(rest, empty)
    return put(lines, target, withValueAt(line.value, place, grown))
  }
  return undefined
}

const changeValue = (
  lines: BundleLines,
  { type, member, change }: MemberChange,
  donors: Donors,
  random: SeededRandom
): BundleLines | undefined => {
  const targets = targetsIn(lines, type, member, random)
  if (targets.length === 0) return change === "emptied" ? added(lines, type, member, random) : undefined
  const target = random.pick(targets)
  const { line, place, value } = target
  const replaced = (other: Json | undefined) =>
    other === undefined || same(other, value)
      ? undefined
      : put(lines, target, withValueAt(line.value, place, other))
  switch (change) {
    case "removed":
      return put(lines, target, withValueAt(line.value, place, undefined))
    case "doubled":
      return doubledMember(lines, target, random)
    case "emptied":
      return replaced(emptied(value, random))
    case "swapped":
      return swapped(lines, target, targets, random)
    case "of another bundle":
      return taken(lines, target, targetsIn(donors.bundle, type, member, random), random)
    case "of another log":
      return taken(lines, target, targetsIn(donors.log, type, member, random), random)
    case "moved":
      return moved(lines, target, targets, random)
    case "off by one":
      return replaced(beside(value, random))
    case "spelled otherwise":
      return replaced(respelled(value, random))
  }
}

/** The line with each of its own numbers one larger, as in the next line of its kind. */
const nextLine = ({ type, value }: BundleLine): BundleLine => {
  if (!isObject(value)) return { type, value }
  const members = Object.entries(value).map(([name, member]): [string, Json] => [
    name,
    typeof member === "number" ? member + 1 : member
  ])
  return { type, value: Object.fromEntries(members) }
}

const changeLine = (
  lines: BundleLines,
  { type, change }: MemberChange,
  donors: Donors,
  random: SeededRandom
): BundleLines | undefined => {
  const indexes = lines.flatMap((line, index) => (line.type === type ? [index] : []))
  if (indexes.length === 0) return undefined
  const index = random.pick(indexes)
  const line = lines[index]
  if (line === undefined) return undefined
  const without = lines.toSpliced(index, 1)
  const takenFrom = (donor: BundleLines): BundleLines | undefined => {
    const found = donor.filter((other) => other.type === type && !same(other.value, line.value))
    if (found.length === 0) return undefined
    return random.chance(0.7)
      ? lines.with(index, random.pick(found))
      : lines.toSpliced(index, 0, random.pick(found))
  }
  switch (change) {
    case "removed":
      return random.chance(0.6) ? without : lines.filter((other) => other.type !== type)
    case "doubled":
      return lines.toSpliced(index, 0, line)
    case "emptied":
      return lines.with(index, { type, value: random.pick<Json>([{}, { type }, null, [], new Spelled("")]) })
    case "swapped": {
      const next = lines[index + 1]
      return next === undefined ? undefined : lines.with(index, next).with(index + 1, line)
    }
    case "of another bundle":
      return takenFrom(donors.bundle)
    case "of another log":
      return takenFrom(donors.log)
    case "moved":
      return without.toSpliced(random.below(lines.length), 0, line)
    case "off by one":
      return random.chance(0.5)
        ? lines.toSpliced(index + 1, 0, nextLine(line))
        : lines.with(index, nextLine(line))
    case "spelled otherwise": {
      const spelled = respelled(line.value, random)
      return spelled === undefined ? undefined : lines.with(index, { type, value: spelled })
    }
  }
}

/**
 * Makes a change to one member of a bundle, at a place picked at random; `undefined` if the bundle has
 * nothing to change in this way.
 */
export const changeMember = (
  lines: BundleLines,
  change: MemberChange,
  donors: Donors,
  random: SeededRandom
): BundleLines | undefined =>
  (change.member.length === 0 ? changeLine : changeValue)(lines, change, donors, random)
