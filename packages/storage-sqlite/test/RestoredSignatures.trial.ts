/**
 * Whatever of its files is put back, a service signs no size with two roots as long as one of the files
 * remembers that the log was longer: every combination of older, newer and lost files, signed for at each
 * moment or not.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { connections, faults } from "./FaultyConnections.ts"
import { type FileName, NAMES, putAway, putBack, remove, type Started, start } from "./RestoredFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-signed-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What became of a file: put back from before, as it was, or lost. */
type Fate = "older" | "newer" | "lost"
type Fates = Readonly<Record<FileName, Fate>>

/** Events before the first copy, and between it and the second. */
const EVENTS = 2

/** The roots that were signed, by their size. */
class Signed {
  readonly #roots: Map<number, string>
  constructor(before?: Signed) {
    this.#roots = new Map(before === undefined ? [] : before.#roots)
  }
  /** Asks for a checkpoint; returns whether there is one. */
  async sign(server: Started, workspaceId: string, story: string): Promise<boolean> {
    const checkpoint = await server.sign(workspaceId)
    if (checkpoint === undefined) return false
    const { size, root } = checkpoint
    assert.strictEqual(this.#roots.get(size) ?? root, root, `${story}: ${size} is signed with one root`)
    this.#roots.set(size, root)
    return true
  }
}

/** A database of two moments, its copies, and what was signed. */
const makeCopies = async (name: string, signs: ReadonlyArray<boolean>) => {
  const filename = join(folder, name, "cairn.db")
  const signed = new Signed()
  const server = await start(filename)
  const workspaceId = await server.newWorkspace()
  for (const [moment, isSigned] of signs.entries()) {
    for (let event = 0; event < EVENTS; event++) {
      await server.accept(workspaceId, [`${moment} ${event}`])
      await server.sequence()
    }
    await server.index()
    await server.consume(workspaceId)
    if (isSigned) assert.isTrue(await signed.sign(server, workspaceId, name))
    for (const file of NAMES) await putAway(filename, file, join(folder, name, `${moment} ${file}`))
  }
  await server.stop()
  const put = (to: string, fates: Fates) => {
    const own = join(folder, name, to, "cairn.db")
    mkdirSync(dirname(own), { recursive: true })
    for (const file of NAMES) {
      if (fates[file] === "lost") remove(own, file)
      else putBack(own, file, join(folder, name, `${fates[file] === "older" ? 0 : 1} ${file}`))
    }
    return own
  }
  return { workspaceId, signed, put }
}

const FATES: ReadonlyArray<Fate> = ["older", "newer", "lost"]
const combinations = FATES.slice(0, 2).flatMap((log) =>
  FATES.flatMap((inbox) =>
    FATES.flatMap((consumers) => FATES.map((search): Fates => ({ log, inbox, consumers, search })))
  )
)

const isForgotten = ({ log, inbox, consumers, search }: Fates): boolean =>
  log === "older" && ![inbox, consumers, search].includes("newer")

/** Goes on for as long as the log was longer, and asks for a checkpoint of every size. */
const goOn = async (server: Started, workspaceId: string, signed: Signed, story: string) => {
  let answered = 0
  for (let event = 0; event <= EVENTS; event++) {
    if (await signed.sign(server, workspaceId, story)) answered++
    await server.accept(workspaceId, [`${story} ${event} ${answered}`])
    await server.sequence()
  }
  return answered
}

const hold = async (server: Started, workspaceId: string, signed: Signed, fates: Fates) => {
  const story = JSON.stringify(fates)
  const hasFallen = fates.log === "older"
  const answered = await goOn(server, workspaceId, signed, story)
  const { valid } = await server.verify(workspaceId)
  const lost = await server.lost(workspaceId)
  if (!hasFallen) {
    assert.strictEqual(answered, EVENTS + 1, `${story}: it is signed`)
    assert.isUndefined(lost, story)
    assert.isTrue(valid, story)
    return
  }
  assert.strictEqual(answered, 0, `${story}: it is not signed`)
  assert.strictEqual(lost?.size, 2 * EVENTS, `${story}: the operator is told how far it went`)
  assert.isFalse(valid, `${story}: verifications say that its end is missing`)
  await server.acceptLoss(workspaceId)
  assert.isUndefined(await server.lost(workspaceId), story)
  assert.isAbove(await goOn(server, workspaceId, signed, story), 0, `${story}: it is signed beyond`)
  assert.isTrue((await server.verify(workspaceId)).valid, story)
}

describe("a log whose files are put back", () => {
  for (const signs of [
    [false, false],
    [false, true],
    [true, true]
  ]) {
    it(`is signed with one root at each size, if it was signed before at its moments ${signs.join(", ")}`, {
      timeout: 300_000
    }, async () => {
      const { workspaceId, signed, put } = await makeCopies(signs.join(), signs)
      for (const [number, fates] of combinations.entries()) {
        if (isForgotten(fates)) continue
        const filename = put(`${number}`, fates)
        const own = new Signed(signed)
        // What is found at the first start is known to the second.
        await (await start(filename)).stop()
        const server = await start(filename)
        assert.deepStrictEqual(server.told, [], "it is told once")
        await hold(server, workspaceId, own, fates)
        await server.stop()
      }
    })
  }

  it("is so too when whoever finds that it fell back is killed at any of its commits", {
    timeout: 300_000
  }, async () => {
    const { workspaceId, signed, put } = await makeCopies("killed", [true, true])
    const fates: Fates = { log: "older", inbox: "newer", consumers: "older", search: "newer" }
    for (let later = 0, before = -1; before !== faults(); later++) {
      before = faults()
      for (const isAfterwards of [false, true]) {
        const filename = put(`${later} ${isAfterwards}`, fates)
        const killed = connections()
        killed.arm("crash", later, isAfterwards)
        await killed
          .open(() => start(filename))
          .then(
            (server) => server.stop(),
            () => undefined
          )
        const server = await start(filename)
        await hold(server, workspaceId, new Signed(signed), fates)
        await server.stop()
      }
    }
    assert.isAbove(faults(), 6)
  })

  it("is signed again when the right files are put in place after all", async () => {
    const { workspaceId, signed, put } = await makeCopies("back", [true, true])
    const [log, inbox, search] = ["older", "newer", "newer"] as const
    const filename = put("wrong", { log, inbox, consumers: "older", search })
    const wrong = await start(filename)
    assert.isUndefined(await wrong.sign(workspaceId))
    await wrong.stop()
    remove(filename, "log")
    putBack(filename, "log", join(folder, "back", "1 log"))
    const right = await start(filename)
    assert.isTrue(await signed.sign(right, workspaceId, "back"))
    assert.isTrue((await right.verify(workspaceId)).valid)
    await right.stop()
  })
})
