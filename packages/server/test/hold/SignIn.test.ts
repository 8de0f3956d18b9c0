/** Two servers over one database: what one of them does to a session or a link, the other knows at once. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, type Server, type Tenant } from "../support/CairnProcess.ts"
import { HttpBrowser, tokenIn } from "../support/HttpBrowser.ts"
import { startProxiedServer } from "../support/ProxiedServer.ts"
import {
  addMember,
  expectNothingForeign,
  hashOf,
  memberCommand,
  operatorLink,
  type PeopleDatabase,
  peopleDatabases,
  plantLinks,
  postMember,
  type ShownMember,
  signedInBy,
  statusOfEvents,
  statusOfMe,
  useLink,
  whoIs
} from "../support/SignInSteps.ts"
import { DATABASES } from "../support/TestDatabase.ts"

killLeftovers()

/** Browsers that press the button of one link together. */
const BROWSERS = 20
/** How often they do. */
const LINKS = 3
/** Requests of each kind that a watched session makes before its end, and after it. */
const WATCHED = 4
/** Milliseconds from one to the next. */
const REST = 10

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** One request of a session that is watched. */
interface Seen {
  readonly begunAt: number
  readonly answeredAt: number
  readonly status: number
}

/** Asks again and again, until told to stop; gives what was answered. */
const watch = (ask: () => Promise<number>) => {
  const seen: Array<Seen> = []
  const state = { isOver: false }
  const asking = (async () => {
    while (!state.isOver) {
      const begunAt = performance.now()
      const status = await ask()
      seen.push({ begunAt, answeredAt: performance.now(), status })
      await pause(REST)
    }
  })()
  const answered = async (from: number, count: number) => {
    while (seen.filter(({ begunAt }) => begunAt >= from).length < count) await pause(REST)
  }
  const stop = async (): Promise<ReadonlyArray<Seen>> => {
    state.isOver = true
    await asking
    return seen
  }
  return { answered, stop }
}

/** What an end has to do with: the session is used at server B, and ended by something else. */
interface Ending {
  readonly member: ShownMember
  readonly sessionId: string
  /** The other server. */
  readonly at: string
  /** The same session in a browser of its own, and another of the same person. */
  readonly self: HttpBrowser
  readonly other: HttpBrowser
  readonly admin: HttpBrowser
  readonly workspaceId: string
  readonly database: string
}

/** A way to end a session, and what it is answered from then on. */
interface Way {
  readonly by: string
  readonly end: (ending: Ending) => Promise<unknown>
  readonly me: number
  readonly events: number
  /** What the workspace answers to the person's other session, which it has not seen before. */
  readonly unseen: number
}

const succeed = async (answer: ReturnType<HttpBrowser["api"]>, status = 200) => {
  const { status: found, text } = await answer
  assert.strictEqual(found, status, text)
}

const ONE = { me: 401, events: 401, unseen: 200 }
const ALL = { me: 401, events: 401, unseen: 401 }
const ONE_HERE = { me: 200, events: 401, unseen: 200 }
const ALL_HERE = { me: 200, events: 401, unseen: 401 }
const NO_MEMBER = { me: 200, events: 403, unseen: 403 }

const WAYS: ReadonlyArray<Way> = [
  {
    by: "its person, in another browser",
    end: ({ other, at, sessionId }) =>
      succeed(other.api(`${at}/api/v1/me/sessions/${sessionId}`, { method: "DELETE" })),
    ...ONE
  },
  {
    by: "its person, with all others, on the page",
    end: ({ other, at }) => succeed(other.submit(`${at}/account/sessions/end-others`), 303),
    ...ONE
  },
  {
    by: "signing out, on the page",
    end: ({ self, at }) => succeed(self.submit(`${at}/sign-out`)),
    ...ONE
  },
  {
    by: "cairn member sign-out",
    end: ({ member, database }) => memberCommand({ database }, "sign-out", member.email),
    ...ALL
  },
  {
    by: "cairn member forget",
    end: ({ member, database }) => memberCommand({ database }, "forget", member.email, "--yes"),
    ...ALL
  },
  {
    by: "an admin, who ends this one",
    end: ({ admin, at, workspaceId, sessionId }) =>
      succeed(admin.api(`${at}/api/v1/sessions/${sessionId}`, { method: "DELETE", workspaceId })),
    ...ONE_HERE
  },
  {
    by: "an admin, who ends all of the member's",
    end: ({ admin, at, workspaceId, member }) =>
      succeed(admin.api(`${at}/api/v1/members/${member.id}/sessions`, { method: "DELETE", workspaceId })),
    ...ALL_HERE
  },
  {
    by: "an admin, who gives a lower role",
    end: ({ admin, at, workspaceId, member }) =>
      succeed(
        admin.api(`${at}/api/v1/members/${member.id}`, {
          method: "PATCH",
          body: { role: "member" },
          workspaceId
        })
      ),
    ...ALL_HERE
  },
  {
    by: "cairn member update, which gives a lower role",
    end: ({ member, database, workspaceId }) =>
      memberCommand({ database }, "update", "-w", workspaceId, member.email, "--role", "auditor"),
    ...ALL_HERE
  },
  {
    by: "an admin, who removes the member",
    end: ({ admin, at, workspaceId, member }) =>
      succeed(admin.api(`${at}/api/v1/members/${member.id}`, { method: "DELETE", workspaceId })),
    ...NO_MEMBER
  },
  {
    by: "cairn member remove",
    end: ({ member, database, workspaceId }) =>
      memberCommand({ database }, "remove", "-w", workspaceId, member.email, "--yes"),
    ...NO_MEMBER
  }
]

describe.each(DATABASES)("two servers on one %s", (kind) => {
  const { newDatabase } = peopleDatabases(kind)
  let people: PeopleDatabase
  let tenant: Tenant
  /** Where the same people are members, and nobody ends anything. */
  let elsewhere: Tenant
  let servers: ReadonlyArray<Server> = []
  let client: ApiClient
  let elsewhereClient: ApiClient

  const at = (index: number): string => servers[index % servers.length]?.baseUrl ?? ""

  beforeAll(async () => {
    people = await newDatabase()
    const { database } = people
    tenant = await makeTenant("Acme", { database })
    elsewhere = await makeTenant("Elsewhere", { database })
    const start = () => startProxiedServer({ database })
    servers = await Promise.all([start(), start()])
    client = apiClient(at(0), tenant.key)
    elsewhereClient = apiClient(at(1), elsewhere.key)
  })

  it("sign the first owner in by what the command prints, and know the session at both", async () => {
    const { database } = people
    await addMember({ database }, tenant.workspaceId, "owner@example.com", "owner")
    const path = await operatorLink({ database }, "OWNER@example.com")
    const owner = await signedInBy(path, at(0))
    assert.strictEqual((await whoIs(owner, at(1))).email, "owner@example.com")
    const made = await owner.api(`${at(1)}/api/v1/api-keys`, {
      method: "POST",
      body: {},
      workspaceId: tenant.workspaceId
    })
    assert.strictEqual(made.status, 201, made.text)
  })

  /** Watches a session at one server while it is ended by a way that has to do with the other. */
  const tryWay = async ({ by, end, ...refused }: Way, index: number, admin: HttpBrowser) => {
    const { database } = people
    const { workspaceId } = tenant
    const [there, here] = [at(index), at(index + 1)]
    const email = `ended-${index}@example.com`
    const member = await postMember(client, email, "developer")
    await postMember(elsewhereClient, email, "developer")
    const [path = "", otherPath = ""] = await plantLinks(people, [email, email])
    const session = await signedInBy(path, there)
    const other = await signedInBy(otherPath, there)
    const { session: own } = await whoIs(session, here)
    const reads = (id: string) => () => statusOfEvents(session, here, id)
    const watched = {
      me: watch(() => statusOfMe(session, here)),
      events: watch(reads(workspaceId)),
      elsewhere: watch(reads(elsewhere.workspaceId))
    }
    const all = Object.values(watched)
    const everywhere = (from: number) => Promise.all(all.map(({ answered }) => answered(from, WATCHED)))
    await everywhere(0)
    const begunAt = performance.now()
    const self = session.copy()
    const ended = end({ member, sessionId: own.id, at: there, self, other, admin, workspaceId, database })
    await ended.catch(() => Promise.all(all.map(({ stop }) => stop())))
    await ended
    const endedAt = performance.now()
    await everywhere(endedAt)
    const expected = { me: refused.me, events: refused.events, elsewhere: refused.me }
    for (const [name, status] of Object.entries(expected)) {
      const seen = await watched[name as keyof typeof watched].stop()
      // What is asked too often is refused for that, which says nothing.
      const statuses = (isWanted: (one: Seen) => boolean) => [
        ...new Set(seen.filter((one) => one.status !== 429 && isWanted(one)).map((one) => one.status))
      ]
      assert.deepStrictEqual(
        statuses((one) => one.answeredAt < begunAt),
        [200],
        `${name}, before the end by ${by}`
      )
      assert.deepStrictEqual(
        statuses((one) => one.begunAt >= endedAt),
        [status],
        `${name}, after the end by ${by}`
      )
    }
    // So does the server that it was ended at.
    assert.strictEqual(await statusOfMe(session, there), refused.me, by)
    assert.strictEqual(await statusOfEvents(session, there, workspaceId), refused.events, by)
    for (const address of [here, there])
      assert.strictEqual(await statusOfEvents(other, address, workspaceId), refused.unseen, `unseen, ${by}`)
  }

  it("refuse the very next request of a session that was ended, whoever ended it and at which of them", async () => {
    await postMember(client, "admin@example.com", "admin")
    const [path = ""] = await plantLinks(people, ["admin@example.com"])
    const admin = await signedInBy(path, at(0))
    for (const server of servers) await whoIs(admin, server.baseUrl)
    await Promise.all(WAYS.map((way, index) => tryWay(way, index, admin)))
  })

  it("open a link at one and spend it at the other, once of twenty times", async () => {
    for (let round = 0; round < LINKS; round++) {
      const email = `once-${round}@example.com`
      await postMember(client, email, "member")
      const [path = ""] = await plantLinks(people, [email])
      const browsers = Array.from(
        { length: BROWSERS },
        (_, index) => new HttpBrowser(`10.0.${round}.${index}`)
      )
      const tokens = await Promise.all(
        browsers.map(async (browser, index) => tokenIn((await browser.open(`${at(index)}${path}`)).text))
      )
      const answers = await Promise.all(
        browsers.map((browser, index) =>
          browser.submit(`${at(index + 1)}/sign-in/link`, { token: tokens[index] ?? "" })
        )
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepStrictEqual(statuses, [303, ...Array.from({ length: BROWSERS - 1 }, () => 410)])
      const winners = browsers.filter(({ session }) => session !== undefined)
      assert.lengthOf(winners, 1)
      assert.strictEqual((await whoIs(winners[0] as HttpBrowser, at(round))).email, email)
      const [count] = await people.rows(
        `SELECT count(*) AS n FROM session s JOIN person p ON p.id = s.person_id WHERE p.address = '${email}'`
      )
      assert.strictEqual(Number(count?.n), 1)
      for (const index of [0, 1]) {
        const again = await useLink(new HttpBrowser(), path, at(index))
        assert.strictEqual(again.status, 410)
      }
    }
  })

  it("make one person of an address that signs in for the first time at both", async () => {
    const email = "first@example.com"
    await postMember(client, email, "member")
    const paths = await plantLinks(
      people,
      Array.from({ length: 8 }, () => email)
    )
    const browsers = await Promise.all(paths.map((path, index) => signedInBy(path, at(index))))
    const ids = await Promise.all(
      browsers.map(async (browser, index) => (await whoIs(browser, at(index + 1))).id)
    )
    assert.lengthOf(new Set(ids), 1)
  })

  it("store no secret of a session or a link, and record nothing that is not the service's own", async () => {
    const email = "secret@example.com"
    await postMember(client, email, "owner")
    const { database } = people
    const path = await operatorLink({ database }, email)
    const browser = await signedInBy(path, at(1))
    const secret = browser.session ?? ""
    const token = new URL(path, at(0)).searchParams.get("token") ?? ""
    const stored = async (table: string, text: string) => {
      const rows = await people.rows(`SELECT * FROM ${table}`)
      return rows.filter((row) => Object.values(row).some((value) => String(value).includes(text))).length
    }
    assert.strictEqual(await stored("session", hashOf(secret)), 1)
    assert.strictEqual(await stored("sign_in_link", hashOf(token)), 1)
    for (const table of ["session", "sign_in_link"])
      for (const text of [secret, token]) assert.strictEqual(await stored(table, text), 0)
    // A change by a member, so that there is a record of one.
    const body = { email: "guest@example.com", role: "auditor" }
    const added = await browser.api(`${at(0)}/api/v1/members`, {
      method: "POST",
      body,
      workspaceId: tenant.workspaceId
    })
    assert.strictEqual(added.status, 201, added.text)
    await Promise.all(servers.map((server) => server.stop()))
    await expectNothingForeign({ database }, tenant.workspaceId)
  })
})
