/** People who have signed in, while the database takes no writes. */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { type ApiRequest, HttpBrowser, type PageAnswer, tokenIn } from "../support/HttpBrowser.ts"
import {
  expectUnavailable,
  type PeopleDatabase,
  plantLinks,
  postMember,
  signedInBy,
  statusOfEvents,
  statusOfMe,
  whoIs
} from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const disk = join(folder, "disk")
mkdirSync(disk)
/** A small disk of its own, which takes root on Linux. */
const isMounted =
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "cairn-test", disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk])
})

/** The service tries again to record what was read 30 s later at the latest. */
const MOST_PAUSE_MILLIS = 60_000

/** A database that can be kept from writing. */
interface Stoppable {
  readonly people: PeopleDatabase
  readonly stop: () => Promise<void>
  /** Runs before each request while it is stopped: what the service gives up meanwhile must not be enough. */
  readonly stillStop: () => void
  readonly goOn: () => Promise<void>
}

/** A database on the small disk, which is filled. */
const onFullDisk = async (): Promise<Stoppable> => {
  const database = join(disk, "cairn.db")
  const filler = join(disk, "filler")
  const open = <A>(use: (db: DatabaseSync) => A): A => {
    const db = new DatabaseSync(database, { timeout: 10_000 })
    try {
      return use(db)
    } finally {
      db.close()
    }
  }
  const fill = () => {
    for (let size = 2 ** 24; size > 0; size = Math.floor(size / 2)) {
      try {
        writeFileSync(filler, new Uint8Array(size), { flag: "a" })
      } catch {
        // What is left is less than that.
      }
    }
  }
  let reader: DatabaseSync | undefined
  return {
    people: {
      database,
      rows: async (statement) => open((db) => db.prepare(statement).all()),
      run: async (...statements) => open((db) => db.exec(`BEGIN IMMEDIATE; ${statements.join("; ")}; COMMIT`))
    },
    stop: async () => {
      // Who still reads keeps the write-ahead log from being used again from its beginning.
      reader = new DatabaseSync(database, { readOnly: true })
      reader.exec("BEGIN; SELECT count(*) FROM person")
      fill()
    },
    stillStop: fill,
    goOn: async () => {
      reader?.close()
      rmSync(filler)
    }
  }
}

/** A database of PostgreSQL that is made one to read alone, as by whoever makes a standby of it. */
const onReadOnly = async (): Promise<Stoppable> => {
  const { newDatabase, query } = await sharedPostgres()
  const database = await newDatabase()
  const { pathname } = new URL(database)
  // From another database, in which one can still write.
  const outside = Object.assign(new URL(database), { pathname: "/postgres" }).href
  const name = pathname.slice(1)
  const setReadOnly = async (value: "on" | "off") => {
    await query(outside, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
    // Those who are connected would not know of it.
    await query(outside, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  }
  return {
    people: {
      database,
      rows: (statement) => query(database, statement),
      run: async (...statements) => {
        await query(database, `BEGIN; ${statements.join("; ")}; COMMIT`)
      }
    },
    stop: () => setReadOnly("on"),
    stillStop: () => {},
    goOn: () => setReadOnly("off")
  }
}

const reason = isMounted ? "" : " (skipped: needs to mount a tmpfs: root on Linux)"

describe.each([
  { name: `a full disk under SQLite${reason}`, make: onFullDisk, isHere: isMounted },
  { name: "a PostgreSQL that is read-only", make: onReadOnly, isHere: true }
])("$name", ({ make, isHere }) => {
  it.skipIf(!isHere)("lets sessions read, and answers 503 to what they would change", async () => {
    const { people, stop, stillStop, goOn } = await make()
    const { database } = people
    const acme = await makeTenant("Acme", { database })
    const other = await makeTenant("Other", { database })
    const server = await startServer({ database })
    const { baseUrl } = server
    for (const { key } of [acme, other]) await postMember(apiClient(baseUrl, key), "ada@example.com", "owner")
    const [first = "", second = "", third = ""] = await plantLinks(
      people,
      Array.from({ length: 3 }, () => "ada@example.com")
    )
    const ada = await signedInBy(first, baseUrl)
    const elsewhere = await signedInBy(third, baseUrl)
    assert.strictEqual(await statusOfEvents(ada, baseUrl, acme.workspaceId), 200)
    const { session } = await whoIs(ada, baseUrl)
    const waiting = new HttpBrowser()
    const linkToken = tokenIn((await waiting.open(`${baseUrl}${second}`)).text)
    const made = await apiClient(baseUrl, acme.key).request("POST", "/api/v1/viewer-token", {
      tenant_id: "t"
    })
    const { token } = made.body as { readonly token: string }
    // Its last use is so long ago that the next one would be noted.
    await people.run("UPDATE session SET last_used_at = last_used_at - 120000000")

    await stop()
    const reads = () => statusOfEvents(ada, baseUrl, acme.workspaceId)
    await eventually("it reads", async () => (await reads()) === 200 || undefined)
    const api = (path: string, method = "GET", more: Omit<ApiRequest, "method"> = {}) =>
      ada.api(`${baseUrl}/api/v1${path}`, { method, ...more })
    const changes: ReadonlyArray<() => Promise<PageAnswer>> = [
      () => api(`/me/sessions/${session.id}`, "DELETE"),
      () => api("/me/sessions", "DELETE"),
      () =>
        api("/members", "POST", {
          workspaceId: acme.workspaceId,
          body: { email: "guest@example.com", role: "auditor" }
        }),
      () => ada.copy().submit(`${baseUrl}/sign-out`),
      () => ada.submit(`${baseUrl}/account/sessions/end`, { session: session.id }),
      () => ada.submit(`${baseUrl}/account/sessions/end-others`),
      () => waiting.submit(`${baseUrl}/sign-in/link`, { token: linkToken })
    ]
    for (const change of [...changes, ...changes]) {
      stillStop()
      expectUnavailable(await change())
      assert.strictEqual(await reads(), 200)
      assert.strictEqual(await statusOfMe(ada, baseUrl), 200)
      assert.strictEqual((await ada.open(`${baseUrl}/account`)).status, 200)
      assert.strictEqual(await statusOfMe(elsewhere, baseUrl), 200)
    }
    assert.isUndefined(waiting.session)
    // What is read now is recorded later, also in a workspace that has not seen the session before.
    const stopped = new Date().toISOString()
    for (let index = 0; index < 3; index++) {
      for (const { workspaceId } of [acme, other])
        assert.strictEqual((await api("/alerts", "GET", { workspaceId })).status, 200)
      const viewer = await fetch(`${baseUrl}/api/v1/events`, {
        headers: { authorization: `Bearer ${token}` }
      })
      assert.strictEqual(viewer.status, 200)
    }
    const wentOn = new Date().toISOString()

    await goOn()
    for (const { key, workspaceId } of [acme, other]) {
      const log = apiClient(baseUrl, key)
      const facts = await eventually(
        "what was read meanwhile is recorded",
        async () => {
          // Who is connected when the database goes on is disconnected once more.
          const found = await log.list({ action: "cairn.access.*" }).catch(() => [])
          const late = found.filter(({ occurred_at }) => occurred_at > stopped && occurred_at < wentOn)
          return late.length > 0 && late.length >= (workspaceId === acme.workspaceId ? 2 : 1)
            ? late
            : undefined
        },
        MOST_PAUSE_MILLIS
      )
      const expected = [
        ["cairn.access.alerts", "member"],
        ...(workspaceId === acme.workspaceId ? [["cairn.access.events", "viewer"]] : [])
      ]
      assert.sameDeepMembers(
        facts.map(({ action, actor }) => [action, actor.type]),
        expected
      )
    }
    // What was refused has not happened, and can be done now.
    await eventually(
      "the link signs in",
      async () =>
        (await waiting.submit(`${baseUrl}/sign-in/link`, { token: linkToken })).status === 303 || undefined
    )
    assert.strictEqual((await whoIs(waiting, baseUrl)).email, "ada@example.com")
    assert.strictEqual(await statusOfEvents(ada, baseUrl, other.workspaceId), 200)
    assert.strictEqual((await ada.copy().submit(`${baseUrl}/sign-out`)).status, 200)
    assert.strictEqual(await statusOfMe(ada, baseUrl), 401)
    assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
  })
})
