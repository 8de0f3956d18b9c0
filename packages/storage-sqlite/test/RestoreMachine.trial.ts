/**
 * Restores by chance: a database is used, its files are put away at random moments and put back, each from
 * another moment, some of them lost; then it is held against what its clients know. `CAIRN_RESTORE_TRIALS`
 * says how many databases, `CAIRN_SEED` which.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventIdOf, keyHash } from "@cairn/storage-sql"
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { bytesOf } from "../src/IdempotencyKeys.ts"
import {
  ask,
  expectValid,
  type FileName,
  fileOf,
  NAMES,
  putAway,
  putBack,
  remove,
  type Started,
  start
} from "./RestoredFiles.ts"

const TRIALS = Number(process.env.CAIRN_RESTORE_TRIALS ?? (isEndurance() ? 100 : 6))
const RESTORES = 5
const KEYS = 40

const folder = mkdtempSync(join(tmpdir(), "cairn-machine-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a client was told since the last start. */
interface Answer {
  readonly workspaceId: string
  readonly key: string | null
  readonly id: string
  readonly duplicate: boolean
}

/** What the clients, the operator and the consumer have seen since the last start. */
interface Seen {
  readonly answers: Array<Answer>
  readonly consumed: Set<string>
}

const use = async (random: SeededRandom, server: Started, workspaces: ReadonlyArray<string>, seen: Seen) => {
  const workspaceId = random.pick(workspaces)
  switch (random.pick(["accept", "accept", "accept", "sequence", "index", "consume"])) {
    case "accept": {
      const keys = Array.from({ length: 1 + random.below(4) }, () =>
        random.chance(1 / 4) ? null : `key ${random.below(KEYS)}`
      )
      const different = keys.filter((key, at) => key === null || keys.indexOf(key) === at)
      const outcomes = await server.accept(workspaceId, different)
      for (const [at, { id, duplicate }] of outcomes.entries())
        seen.answers.push({ workspaceId, key: different[at] ?? null, id, duplicate })
      return
    }
    case "sequence":
      return server.sequence()
    case "index":
      return server.index()
    case "consume":
      for (const id of await server.consume(workspaceId)) seen.consumed.add(id)
  }
}

const check = async (server: Started, workspaces: ReadonlyArray<string>, { answers, consumed }: Seen) => {
  await server.sequence()
  await server.index()
  for (const workspaceId of workspaces) {
    for (const id of await server.consume(workspaceId)) consumed.add(id)
    const log = await server.log(workspaceId)
    const times = new Map<string, number>()
    for (const { id } of log) times.set(id, (times.get(id) ?? 0) + 1)
    for (const answer of answers.filter((each) => each.workspaceId === workspaceId)) {
      assert.strictEqual(times.get(answer.id), 1, `${JSON.stringify(answer)} is in the log once`)
      if (!answer.duplicate) assert.isTrue(consumed.has(answer.id), `${answer.id} was consumed`)
    }
    const byKey = new Map<string, Array<string>>()
    for (const { id, content } of log) {
      const key: unknown = JSON.parse(content ?? "{}").idempotency_key
      if (typeof key === "string") byKey.set(key, [...(byKey.get(key) ?? []), id])
    }
    for (const [key, ids] of byKey) {
      const [outcome] = await server.accept(workspaceId, [key])
      assert.isTrue(outcome?.duplicate, `a retry of ${key} is a duplicate`)
      assert.include(ids, outcome?.id)
    }
    await expectValid(server, workspaceId, log.length)
    assert.strictEqual(await server.found(workspaceId, "needle"), log.length, "the index finds every event")
  }
  const [left] = ask(
    server.filename,
    "inbox",
    "SELECT (SELECT count(*) FROM parked) parked, (SELECT count(*) FROM inbox) inbox, (SELECT waiting FROM state) waiting"
  )
  assert.deepStrictEqual({ ...left }, { parked: 0, inbox: 0, waiting: 0 })
}

/** Whether the files, as they lie there, do not fit each other in what clients and consumers would notice. */
const doNotFit = (filename: string): ReadonlyArray<string> => {
  const numbers = new Map(
    ask(filename, "log", "SELECT number, id FROM workspace").map(({ number, id }) => [
      String(id),
      Number(number)
    ])
  )
  const events = ask(filename, "log", "SELECT workspace, sequence, id, content FROM event")
  const ids = new Set(events.map(({ id }) => String(id)))
  const waiting = ask(filename, "inbox", "SELECT events FROM inbox")
    .map(({ events }) => String(events))
    .join("\n")
  const keys = ask(filename, "inbox", "SELECT workspace, hash, event_id FROM idempotency_key").map(
    ({ workspace, hash, event_id }) => ({
      held: `${workspace} ${bytesOf(hash)}`,
      eventId: eventIdOf(bytesOf(event_id))
    })
  )
  const held = new Set(keys.map((key) => key.held))
  const last = new Map<number, number>()
  for (const { workspace, sequence } of events)
    last.set(Number(workspace), Math.max(last.get(Number(workspace)) ?? 0, Number(sequence)))
  const misfits: Array<string> = []
  if (keys.some(({ eventId }) => !ids.has(eventId) && !waiting.includes(eventId)))
    misfits.push("a key names an event that is nowhere")
  for (const { workspace, content } of events) {
    const key: unknown = JSON.parse(String(content)).idempotency_key
    if (typeof key === "string" && !held.has(`${workspace} ${keyHash(key)}`))
      misfits.push(`nobody has ${key}`)
  }
  for (const { workspace, sequence } of ask(
    filename,
    "search",
    "SELECT workspace, coalesce(seen, sequence) AS sequence FROM search_position"
  ))
    if (Number(sequence) > (last.get(Number(workspace)) ?? 0)) misfits.push("the index is ahead")
  for (const { workspace_id, sequence } of ask(
    filename,
    "consumers",
    // What was signed is no position.
    "SELECT workspace_id, sequence FROM consumer WHERE name <> 'signed'"
  ))
    if (Number(sequence) > (last.get(numbers.get(String(workspace_id)) ?? 0) ?? 0))
      misfits.push("a consumer is ahead")
  return misfits
}

/** Puts some of the files back from some moment, or loses them; returns which. */
const restore = (
  random: SeededRandom,
  filename: string,
  copies: ReadonlyMap<FileName, ReadonlyArray<string>>
) => {
  const done: Array<string> = []
  for (const name of NAMES) {
    if (random.chance(1 / 2)) continue
    const of = copies.get(name) ?? []
    // Without the log there is no database.
    if (name !== "log" && random.chance(1 / 6)) {
      remove(filename, name)
      done.push(`${name} lost`)
    } else if (of.length > 0) {
      const from = random.pick(of)
      putBack(filename, name, from)
      done.push(`${name} from ${from.split("/").at(-1)}`)
    }
  }
  return done
}

const trial = async (seed: number) => {
  const random = seededRandom(seed)
  const filename = join(folder, `${seed}`, "cairn.db")
  const copies = new Map<FileName, Array<string>>(NAMES.map((name) => [name, []]))
  const story: Array<string> = []
  let server = await start(filename)
  const workspaces = [await server.newWorkspace(), await server.newWorkspace()]
  let moment = 0
  try {
    for (let restores = 0; ; restores++) {
      const seen: Seen = { answers: [], consumed: new Set() }
      const acts = 10 + random.below(25)
      for (let act = 0; act < acts; act++) {
        await use(random, server, workspaces, seen)
        if (!random.chance(1 / 5)) continue
        const name = random.pick(NAMES)
        const to = `${filename}.away/${moment++}-${name}.db`
        await putAway(filename, name, to)
        copies.get(name)?.push(to)
      }
      if (restores === RESTORES || random.chance(1 / 2)) await check(server, workspaces, seen)
      await server.stop()
      if (restores === RESTORES) return
      // As it is, it is well.
      server = await start(filename)
      assert.deepStrictEqual(server.told, [], "a restart tells of nothing")
      await server.stop()
      story.push(restore(random, filename, copies).join(", "))
      const misfits = doNotFit(filename)
      server = await start(filename)
      if (misfits.length > 0) assert.isNotEmpty(server.told, `is told of: ${misfits.join(", ")}`)
    }
  } catch (error) {
    await server.stop()
    throw new Error(`seed ${seed}, ${fileOf(filename, "log")}: ${story.join("; ")}`, { cause: error })
  }
}

describe("whatever of its files is put back from whatever moment", () => {
  it(
    "no new event is lost or doubled, no retry is told of one that is nowhere, and the operator knows",
    {
      timeout: 60_000 * Math.max(5, TRIALS)
    },
    () =>
      seededTrial(import.meta.url, async (first) => {
        for (let seed = first; seed < first + TRIALS; seed++) await trial(seed)
      })
  )
})
