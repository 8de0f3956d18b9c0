import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { contentSize, Micros } from "@cairn/core/encoding"
import { type EventFilter, type EventInput, matches, parseContent, searchTexts } from "@cairn/core/event"
import {
  ENOUGH_TO_LIST,
  EventLog,
  GROUP_FRAMES,
  type LogEntry,
  SearchIndexer,
  type SequenceRange,
  upToEnough
} from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { FrameEvents } from "@cairn/storage-sql"
import { SqliteStorage } from "@cairn/storage-sqlite"
import {
  acceptEvents,
  importHistory,
  makeWorkspace,
  type SeededRandom,
  sequenceAll,
  useCases
} from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import { assertExactIndex } from "./ExactIndex.ts"

const generated = generatedTests(import.meta.url)
const folder = quickFolder("cairn-agreement-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0

/** Complete groups that a log has at least, of frames of two events. */
const GROUPS = 2
const FRAMES = GROUPS * GROUP_FRAMES + GROUP_FRAMES / 2
const HISTORY_AT = 1_714_000_000_000_000
const STARTED_AT = HISTORY_AT + Micros.DAY

const ACTIONS = ["a", "a.", "a.b", "a.b.c", "ab.c", ".b", "ä.b", "A.B", "*", "a.*"]
const WORDS = ["", "a", "ab", "abab", "Ünder", "ünder", "u\u0308nder", "文件", "İ", "ſ", '"\\', "_%"]

const word = (random: SeededRandom): string => random.pick(WORDS)
const text = (random: SeededRandom): string =>
  Array.from({ length: 1 + random.below(4) }, () => word(random)).join(" ")

const randomTarget = (random: SeededRandom) => ({
  type: word(random) || "a",
  ...(random.chance(0.7) ? { id: word(random) } : {})
})

/** As large as an event may be: in a frame by itself. */
const LARGE: EventInput = {
  actor_id: "a",
  action: "a.b",
  targets: Array.from({ length: 4 }, () => ({ type: "large", metadata: { p: "x".repeat(65_450) } }))
}

/** An event of few different values, or a large one. */
const randomEvent = (random: SeededRandom): EventInput => {
  if (random.chance(0.03)) return LARGE
  const optional = {
    resource: word(random),
    resource_id: word(random),
    resource_name: `${text(random)}\0`,
    action_category: word(random),
    ip_address: random.pick(["203.0.113.9", "198.51.100.9", "192.0.2.9"]),
    actor_name: text(random),
    tenant_id: word(random),
    session_id: word(random),
    metadata: { [word(random)]: text(random) }
  }
  return {
    actor_id: word(random) || "a",
    action: random.pick(ACTIONS),
    ...Object.fromEntries(Object.entries(optional).filter(() => random.chance(0.6))),
    targets: Array.from({ length: random.below(4) }, () => randomTarget(random))
  }
}

/** The text, or some texts with it, of which one has half of a surrogate pair. */
const several = (random: SeededRandom, text: string): string | ReadonlyArray<string> => {
  if (random.chance(0.5)) return text
  const others = [word(random), word(random), "\uD800", text]
  return [text, ...others.slice(random.below(4))].toSorted()
}

/** A condition on what one event has, or nearly. */
const randomFilter = (random: SeededRandom, known: ReadonlyArray<LogEntry>): EventFilter => {
  const one = random.pick(known)
  const content = one.content === null ? undefined : parseContent(one.content)
  const [target] = content?.targets ?? []
  const term = random.pick(content === undefined ? WORDS : searchTexts(content))
  const at = random.below(Math.min(term.length, 40) + 1)
  const part = term.slice(at, at + 1 + random.below(8))
  const search = random.pick([part, part, [part, "a"], [part, part.slice(1, 5)]])
  const other = word(random)
  const action = content?.action ?? "a.b"
  const parts = action.split(".")
  const some = (text: string | null | undefined) => several(random, text ?? other)
  const conditions: EventFilter = {
    action: several(random, random.pick([action, action, `${parts[0]}.*`, `*.${parts.at(-1)}`])),
    category: some(content?.action_category),
    actorId: some(content?.actor.id),
    resource: some(content?.resource.type),
    resourceId: some(content?.resource.id),
    resourceName: some(content?.resource.name),
    tenantId: some(content?.tenant_id),
    sessionId: some(content?.session_id),
    country: some(content?.ip_country),
    targetType: some(target?.type),
    targetId: some(target?.id),
    search: isWellFormed(search) ? search : "a",
    from: one.createdAt - random.below(2),
    to: one.createdAt + random.below(Micros.MINUTE)
  }
  const share = random.pick([0.1, 0.2, 0.4])
  return Object.fromEntries(Object.entries(conditions).filter(() => random.chance(share)))
}

const isWellFormed = (search: string | ReadonlyArray<string>): boolean =>
  (typeof search === "string" ? [search] : search).every((text) => text.isWellFormed())

const readLog = (workspaceId: string) =>
  Effect.flatMap(EventLog, ({ entries }) =>
    Effect.gen(function* () {
      const found: Array<LogEntry> = []
      for (let from = Number.MIN_SAFE_INTEGER, size = 1; size > 0; from = (found.at(-1)?.sequence ?? 0) + 1) {
        const chunk = yield* entries(workspaceId, from, 10_000)
        found.push(...chunk)
        size = chunk.length
      }
      return found
    })
  )

/** Asks for what a filter selects in every way, and holds it against the log; returns how many it selects. */
const agree = Effect.fnUntraced(function* (
  random: SeededRandom,
  workspaceId: string,
  known: ReadonlyArray<LogEntry>
) {
  const log = yield* EventLog
  const filter = randomFilter(random, known)
  const selected = known
    .filter(({ content, createdAt }) => {
      const parsed = content === null ? undefined : parseContent(content)
      return parsed !== undefined && matches(filter, parsed, createdAt)
    })
    .toReversed()
  const what = JSON.stringify(filter)
  const before = random.chance(0.5) ? null : random.pick(known).createdAt
  const limit = random.pick([1, 3, 7, 50, 1_000])
  const older = selected.filter(({ createdAt }) => before === null || createdAt < before).slice(0, limit)
  const asked = { filter, before, limit }
  const page = yield* log.page(workspaceId, asked)
  assert.deepStrictEqual(
    page.map(({ sequence }) => sequence),
    upToEnough(older, contentSize, ENOUGH_TO_LIST).map(({ sequence }) => sequence),
    `the page of ${JSON.stringify(asked)}`
  )
  assert.deepStrictEqual(
    yield* log.moments(workspaceId, asked),
    older.map(({ createdAt }) => createdAt),
    `the moments of ${JSON.stringify(asked)}`
  )
  const [from, to] = [random.pick(known).sequence, random.pick(known).sequence]
  const ranges: ReadonlyArray<SequenceRange> = [
    { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER },
    { from: Math.min(from, to), to: Math.max(from, to) }
  ]
  for (const range of ranges)
    assert.strictEqual(
      yield* log.count(workspaceId, filter, range),
      selected.filter(({ sequence }) => sequence >= range.from && sequence <= range.to).length,
      `the count of ${what} from ${range.from} to ${range.to}`
    )
  return selected.length
})

/** Removes a run of events, or some here and there. */
const removeSome = Effect.fnUntraced(function* (
  random: SeededRandom,
  workspaceId: string,
  known: ReadonlyArray<LogEntry>
) {
  const start = random.below(known.length)
  const some = random.chance(0.5)
    ? known.slice(start, start + 1 + random.below(40))
    : known.filter(() => random.chance(0.05))
  const events = some.flatMap(({ sequence, id, content, contentHash }) =>
    content === null ? [] : [{ sequence, id, content, contentHash: contentHash ?? "0".repeat(64) }]
  )
  yield* (yield* ContentRemoval).remove(workspaceId, events, null)
})

/** Lets the sequences jump, as they do nowhere but from the history to the chain. */
const jump = (filename: string, by: number) =>
  Effect.sync(() => {
    const db = new DatabaseSync(filename)
    db.exec(`UPDATE head SET sequence = sequence + ${by} WHERE sequence > 0`)
    db.close()
  })

const story = (random: SeededRandom) => {
  const filename = join(folder, `${databases++}`, "cairn.db")
  return Effect.gen(function* () {
    const workspaceId = yield* makeWorkspace
    const { advance } = yield* SearchIndexer
    const many = (most: number) => Array.from({ length: 1 + random.below(most) }, () => randomEvent(random))
    if (random.chance(0.7)) yield* importHistory(workspaceId, many(90), HISTORY_AT)
    let [frames, found, requests] = [0, 0, 0]
    while (frames < FRAMES) {
      yield* acceptEvents(workspaceId, many(60), { acceptedAt: STARTED_AT + requests++ * Micros.SECOND })
      yield* sequenceAll
      // Not always as far as it can come.
      for (let left = random.pick([1, 5, 1_000]); left > 0 && (yield* advance) > 0; left--) frames++
      if (random.chance(0.3)) yield* jump(filename, 1 + random.below(300))
      if (random.chance(0.3)) yield* removeSome(random, workspaceId, yield* readLog(workspaceId))
      const known = yield* readLog(workspaceId)
      for (let times = 0; times < 6; times++) found += yield* agree(random, workspaceId, known)
    }
    const { complete } = yield* assertExactIndex(filename, 1)
    assert.isAtLeast(complete, GROUPS * GROUP_FRAMES)
    const known = yield* readLog(workspaceId)
    for (let times = 0; times < 40; times++) found += yield* agree(random, workspaceId, known)
    assert.isAbove(found, 100)
  }).pipe(
    Effect.provide(
      useCases<SearchIndexer | ContentRemoval>(
        SqliteStorage.layer({ filename }).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))
      )
    )
  )
}

describe("lists, counts and moments", { timeout: 240_000 }, () => {
  it.live("of any filter are what matches selects, however far the index has come", () =>
    generated.effects({ count: isEndurance() ? 20 : 2 }, story)
  )
})
