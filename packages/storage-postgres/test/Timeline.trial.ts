/**
 * A database that goes back in time under a process: by a real promotion, an old primary that comes back, a
 * copy put in its place.
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Checkpoints, TreeStore } from "@cairn/core/checkpoint"
import { type ConsumerPosition, Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Exports } from "@cairn/core/export"
import { Outbox } from "@cairn/core/outbound"
import { People, SignInLinks } from "@cairn/core/people"
import { ApiKeys, ManagedWorkspaces, Members, RateBuckets } from "@cairn/core/workspace"
import { testMember, testWorkspace } from "@cairn/testing"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { beforeAll } from "vitest"
import {
  append as appendTo,
  atEnd,
  type CairnProcess,
  length as lengthOf,
  look,
  makeProcesses,
  ok,
  patient,
  restorable,
  type Services
} from "./Processes.ts"
import { type SwitchedProxy, switchedProxy } from "./SwitchedProxy.ts"
import { accept, drain, makeWorkspace, verifyChain } from "./support.ts"

const WORKSPACE = "wsp_timeline"

const open = atEnd()
const folder = mkdtempSync(join(tmpdir(), "cairn-timeline-"))
chmodSync(folder, 0o755)
open.push(async () => rmSync(folder, { recursive: true, force: true }))
const processOn = makeProcesses(open)
const append = (count: number) => appendTo(WORKSPACE, count)
const length = lengthOf(WORKSPACE)

/**
 * Neither accepts nor appends, and is not ready: because of what it has seen, and not because nobody answers.
 */
const assertRefuses = async (process: CairnProcess) => {
  const { run } = process
  const message = await look(process)
  const before = await ok(run(length))
  assert.isTrue(Exit.isFailure(await run(patient(accept(WORKSPACE, [{ actor_id: "a", action: "b" }])))))
  await run(drain)
  assert.strictEqual(await ok(run(length)), before)
  return message ?? assert.fail("it is not behind")
}

const DELIVERY = {
  id: "dlv_1",
  workspaceId: WORKSPACE,
  channel: "webhook",
  target: "whk_1",
  type: "alert.triggered",
  payload: "{}",
  createdAt: 0
} as const

const position = Effect.flatMap(Consumers, ({ open }) =>
  open({ workspaceId: WORKSPACE, consumer: "streams" }, 0, 0)
)

/** A write by each port that writes, but those that accept and append. They may be done again. */
const writes = (
  at?: ConsumerPosition
): Readonly<Record<string, Effect.Effect<unknown, unknown, Services>>> => {
  const id = crypto.randomUUID()
  const settled = { sequence: 0, rows: [], raised: [], deliveries: [], expiredBy: null, at: 0 }
  const member = testMember({ id, workspace_id: WORKSPACE, email: id, created_at: 0 })
  const key = {
    name: null,
    scopes: [],
    hash: "x",
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    created_by: null
  }
  const claim = { claim: id, at: 0, until: 1 }
  const nowhere = { workspace_id: null, return_to: null }
  const link = { kind: "mail" as const, ...nowhere, created_at: 0, expires_at: 1, spent_at: null }
  return {
    workspace: Effect.flatMap(ManagedWorkspaces, ({ update }) => update(WORKSPACE, { name: id }, 0)),
    modify: Effect.flatMap(ManagedWorkspaces, ({ modify }) =>
      modify(WORKSPACE, () => Result.succeed({ name: id }), 0)
    ),
    create: Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id }))),
    people: Effect.flatMap(People, ({ ensure }) => ensure({ id, address: id, created_at: 0 })),
    links: Effect.flatMap(SignInLinks, ({ create }) =>
      create({ ...link, secret_hash: id, address: id }, { most: 1, mostOfWorkspace: 1, since: 0 })
    ),
    members: Effect.flatMap(Members, ({ create }) => create(member)),
    keys: Effect.flatMap(ApiKeys, ({ create }) =>
      create({ ...key, id, public_id: id, workspace_id: WORKSPACE, created_at: 0 })
    ),
    open: Effect.flatMap(Consumers, ({ open }) => open({ workspaceId: WORKSPACE, consumer: id }, 0, 0)),
    hold: Effect.flatMap(Consumers, ({ hold }) =>
      hold({ workspaceId: WORKSPACE, consumer: "streams" }, { holder: id, at: 0, until: 1 })
    ),
    commit: Effect.flatMap(Consumers, ({ commit }) =>
      Effect.flatMap(at === undefined ? position : Effect.succeed(at), (from) => commit(from, settled))
    ),
    put: Effect.flatMap(Outbox, ({ put }) => put([{ ...DELIVERY, id }])),
    claim: Effect.flatMap(Outbox, (outbox) =>
      outbox.claim({
        channel: "webhook",
        shares: [{ workspaceId: WORKSPACE, target: "whk_1", limit: 5 }],
        now: 10,
        until: 5,
        claim: id
      })
    ),
    export: Effect.flatMap(Exports, (exports) => exports.claim(claim)),
    tiles: Effect.flatMap(TreeStore, ({ write }) =>
      write(WORKSPACE, [{ level: 0, index: 0, hashes: new Uint8Array(32) }])
    ),
    published: Effect.flatMap(Checkpoints, ({ publish }) =>
      publish(WORKSPACE, { size: 1, root: "0".repeat(64), note: "", signedAt: 0 })
    ),
    rate: Effect.flatMap(RateBuckets, ({ settle }) =>
      settle({ key: id, process: id, used: 1, perMinute: 10 })
    )
  }
}

/** Those of them that are refused because the database is behind. */
const refusedWrites = async ({ run }: CairnProcess, at?: ConsumerPosition) => {
  const refused: Array<string> = []
  for (const [name, write] of Object.entries(writes(at))) {
    const exit = await run(patient(write))
    if (Exit.isFailure(exit)) refused.push(name)
  }
  return refused
}

/** What is in each table of a database, but what is noted of losses. */
const contentsOf = async (server: TestPostgres, url: string) => {
  const tables = await server.query(
    url,
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'log_loss' ORDER BY 1"
  )
  const contents: Record<string, unknown> = {}
  for (const { relname } of tables) {
    const [row] = await server.query(
      url,
      `SELECT md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS digest FROM "${relname}" t`
    )
    contents[String(relname)] = row?.digest
  }
  return contents
}

/**
 * A crash-consistent copy of a primary's data, as a disk's snapshot is one, and a standby made of it that is
 * promoted.
 */
const snapshot = (primary: TestPostgres, data: string): string => {
  const copy = join(mkdtempSync(join(folder, "copy-")), "data")
  primary.freeze()
  execFileSync("cp", ["-a", data, copy])
  primary.thaw()
  return copy
}

/** Starts a standby on a copy and promotes it, as `pg_ctl promote` does: by a file and a signal. */
const promoted = async (copy: string): Promise<TestPostgres> => {
  let data = ""
  const started = startPostgres({
    beforeStart: (path) => {
      const { uid, gid } = statSync(path)
      rmSync(path, { recursive: true })
      execFileSync("cp", ["-a", copy, path])
      for (const file of ["postmaster.pid", "postmaster.opts"]) rmSync(join(path, file), { force: true })
      writeFileSync(join(path, "standby.signal"), "")
      chownSync(join(path, "standby.signal"), uid, gid)
      data = path
    }
  })
  let isThere = false
  const standby = started.finally(() => {
    isThere = true
  })
  while (!isThere) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const pid = join(data, "postmaster.pid")
    if (data === "" || !existsSync(pid)) continue
    const lines = readFileSync(pid, "utf8").split("\n")
    // Its eighth line says what it is.
    if (!["standby", "ready"].includes(lines[7]?.trim() ?? "")) continue
    writeFileSync(join(data, "promote"), "")
    process.kill(Number(lines[0]), "SIGUSR1")
  }
  open.push(async () => (await standby).stop())
  return standby
}

describe("a PostgreSQL that fails over", () => {
  let data = ""
  let primary: TestPostgres
  let url = ""
  let proxy: SwitchedProxy
  beforeAll(async () => {
    primary = await startPostgres({
      beforeStart: (path) => {
        data = path
      }
    })
    open.push(() => primary.stop())
  })

  const begin = async () => {
    url = await primary.newDatabase()
    proxy = await switchedProxy(url)
    open.push(() => proxy.close())
    const one = await processOn(proxy.url)
    await ok(one.run(makeWorkspace(WORKSPACE)))
    assert.strictEqual(await ok(one.run(append(10))), 10)
    return one
  }
  const pathOf = () => new URL(url).pathname

  it("is gone on with on the new timeline, and the old primary is refused by whoever has seen the new one", {
    timeout: 300_000
  }, async () => {
    const one = await begin()
    const [first] = await primary.query(url, "SELECT timeline FROM head")
    assert.strictEqual(String(first?.timeline), "1")
    assert.deepStrictEqual(await refusedWrites(one), [])
    const standby = await promoted(snapshot(primary, data))
    proxy.switchTo(standby.port)
    assert.strictEqual(await ok(one.run(append(5))), 5)
    assert.deepStrictEqual(await refusedWrites(one), [])
    const there = `postgres://cairn:${encodeURIComponent("only for tests")}@127.0.0.1:${standby.port}${pathOf()}`
    const [second] = await standby.query(
      there,
      "SELECT timeline, sequence FROM head ORDER BY sequence DESC LIMIT 1"
    )
    assert.deepStrictEqual([String(second?.timeline), String(second?.sequence)], ["2", "15"])
    // The operator is notified, with both heads.
    const line = one.lines.find((each) => each.includes("A log continues on another timeline")) ?? ""
    assert.include(line, "event 10 on timeline 1")
    assert.include(line, "on timeline 2")

    const consumer = await ok(one.run(patient(position)))

    // The old primary comes back, and the name leads to it.
    const untouched = await contentsOf(primary, url)
    proxy.switchTo(primary.port)
    // Nothing that writes does so, whatever it is; what reads is answered.
    assert.deepStrictEqual(await refusedWrites(one, consumer), Object.keys(writes()))
    assert.strictEqual(await ok(one.run(length)), 10)
    assert.deepStrictEqual(await contentsOf(primary, url), untouched)
    assert.match(await assertRefuses(one), /timeline 2.*timeline 1|was seen at event 15/)
    // A process that has seen neither is told by the one that has, and so is one that starts later.
    await assertRefuses(await processOn(url))

    // The right one again: nothing need be accepted.
    proxy.switchTo(standby.port)
    assert.strictEqual(await ok(one.run(append(5))), 5)
    assert.deepInclude(await ok(one.run(verifyChain(WORKSPACE))), { valid: true, events_checked: 20 })
  })

  it("and has lost its end is refused by whoever has seen it, until the loss is accepted", {
    timeout: 300_000
  }, async () => {
    const one = await begin()
    const copy = snapshot(primary, data)
    assert.strictEqual(await ok(one.run(append(5))), 5)
    const standby = await promoted(copy)
    proxy.switchTo(standby.port)
    // It has seen neither, and cannot know.
    const other = await processOn(proxy.url)
    assert.strictEqual(await ok(other.run(append(7))), 7)
    assert.match(await assertRefuses(one), /seen at event 15 .* is now at event 17/)
    await assertRefuses(other)
    const losses = await ok(
      other.run(Effect.flatMap(Effect.succeed(other.continuity), (c) => c.accept(Micros.fromMillis(0))))
    )
    assert.lengthOf(losses, 1)
    for (const each of [one, other]) assert.strictEqual(await ok(each.run(append(2))), 2)
    assert.deepInclude(await ok(one.run(verifyChain(WORKSPACE))), { valid: true, events_checked: 21 })
  })

  it("or is put back to an earlier copy on the same timeline is refused too, also once that has grown further", {
    timeout: 300_000
  }, async () => {
    const { url, copy } = await restorable(primary)
    const one = await processOn(url)
    await ok(one.run(makeWorkspace(WORKSPACE)))
    assert.strictEqual(await ok(one.run(append(10))), 10)
    const putBack = await copy()
    assert.strictEqual(await ok(one.run(append(10))), 10)
    await putBack()
    const other = await processOn(url)
    assert.strictEqual(await ok(other.run(length)), 10)
    assert.strictEqual(await ok(other.run(append(15))), 15)
    assert.match(await assertRefuses(one), /seen at event 20 .* is now at event 25/)
    await assertRefuses(other)
  })

  it("tells whoever starts on another timeline than a log was written on", { timeout: 300_000 }, async () => {
    await begin()
    await primary.query(url, "UPDATE head SET timeline = 7")
    const late = await processOn(url)
    assert.strictEqual(await ok(late.run(append(1))), 1)
    assert.isTrue(
      late.lines.some((each) => each.includes("event 10 on timeline 7") && each.includes("on timeline 1"))
    )
  })
})
