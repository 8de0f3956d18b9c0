/** Two servers that are killed while people sign in and out at both of them. */
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, type Server } from "../support/CairnProcess.ts"
import { HttpBrowser, type PageAnswer, tokenIn } from "../support/HttpBrowser.ts"
import { startProxiedServer } from "../support/ProxiedServer.ts"
import {
  expectNothingForeign,
  operatorLink,
  type PeopleDatabase,
  peopleDatabases,
  plantLinks,
  postMember,
  signedInBy,
  statusOfMe,
  useLink,
  whoIs
} from "../support/SignInSteps.ts"
import { DATABASES } from "../support/TestDatabase.ts"

killLeftovers()

/** How often servers are killed: one of the two, or both. */
const ROUNDS = isEndurance() ? 200 : 4
/** Links that are spent in a round, each by a browser at either server. */
const LINKS = 4
/** Sessions that are ended in a round. */
const ENDS = 4
/** A workspace has 200 members at most; later rounds use the same people again. */
const PEOPLE = Math.min(ROUNDS * LINKS, 180)
/** Milliseconds within which a round's requests are sent, and within which servers are killed. */
const SENT_WITHIN = 12
const KILLED_WITHIN = 20

const emailOf = (index: number): string => `crash-${index % PEOPLE}@example.com`

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** An answer; undefined if the server was killed before it gave one. */
type Outcome = PageAnswer | undefined

const unlessKilled = (request: Promise<PageAnswer>): Promise<Outcome> => request.catch(() => undefined)

/** A session as its browser has it, and its id. */
interface Held {
  readonly browser: HttpBrowser
  readonly id: string
}

/** What the crashes left. */
interface Tally {
  kills: number
  unanswered: number
  spentForNothing: number
  notSpent: number
  endsUnanswered: number
}

/** The trial on one database. */
class Crashes {
  readonly people: PeopleDatabase
  readonly random: SeededRandom
  readonly servers: Array<Server> = []
  /** Whose end was answered with 200. */
  readonly ended: Array<HttpBrowser> = []
  readonly alive: Array<Held> = []
  readonly tally: Tally = { kills: 0, unanswered: 0, spentForNothing: 0, notSpent: 0, endsUnanswered: 0 }

  constructor(people: PeopleDatabase, random: SeededRandom) {
    this.people = people
    this.random = random
  }

  start(): Promise<Server> {
    return startProxiedServer({ database: this.people.database })
  }

  at(index: number): string {
    return this.servers[index]?.baseUrl ?? ""
  }

  /** A browser in a network of its own: a round would be too much of one. */
  newBrowser(): HttpBrowser {
    const { random } = this
    return new HttpBrowser(`10.${random.below(250)}.${random.below(250)}.${random.below(250)}`)
  }

  async sessionsOf(email: string): Promise<number> {
    const [row] = await this.people.rows(
      `SELECT count(*) AS n FROM session s JOIN person p ON p.id = s.person_id WHERE p.address = '${email}'`
    )
    return Number(row?.n)
  }

  /** Who of both has a session; the statuses of every server must agree. */
  async isValid(browser: HttpBrowser): Promise<boolean> {
    const statuses = await Promise.all([0, 1].map((index) => statusOfMe(browser, this.at(index))))
    assert.strictEqual(statuses[0], statuses[1], "the servers do not agree")
    assert.include([200, 401], statuses[0])
    return statuses[0] === 200
  }

  async keep(browser: HttpBrowser): Promise<void> {
    const { session } = await whoIs(browser, this.at(this.random.below(2)))
    this.alive.push({ browser, id: session.id })
  }

  /** Kills one server or both, at moments of their own, and gives which. */
  kill(): ReadonlyArray<Promise<number>> {
    const victims = this.random.pick([[0], [1], [0, 1]])
    return victims.map(async (index) => {
      await pause(this.random.real() * KILLED_WITHIN)
      assert.strictEqual((await this.servers[index]?.kill())?.signal, "SIGKILL")
      this.tally.kills++
      return index
    })
  }

  async revive(indices: ReadonlyArray<number>): Promise<void> {
    await Promise.all(
      indices.map(async (index) => {
        this.servers[index] = await this.start()
      })
    )
  }

  /** Sends requests together, at a moment within the round's time. */
  async soon(requests: ReadonlyArray<() => Promise<PageAnswer>>): Promise<ReadonlyArray<Outcome>> {
    await pause(this.random.real() * SENT_WITHIN)
    return Promise.all(requests.map((request) => unlessKilled(request())))
  }

  /** A link of which two browsers press the button; what they were answered, and what has become of it. */
  async useLinkTwice(
    email: string,
    path: string,
    before: number,
    outcomes: ReadonlyArray<Outcome>,
    pair: ReadonlyArray<HttpBrowser>
  ) {
    const { tally } = this
    const statuses = outcomes.map((outcome) => outcome?.status)
    tally.unanswered += statuses.filter((status) => status === undefined).length
    const opened = (await this.sessionsOf(email)) - before
    assert.isAtMost(opened, 1, `two sessions by one link: ${statuses.join(" ")}`)
    for (const status of statuses) assert.include([303, 410, undefined], status)
    const winners = pair.filter((_, index) => statuses[index] === 303)
    assert.isAtMost(winners.length, 1)
    const [winner] = winners
    if (winner !== undefined) {
      assert.strictEqual(opened, 1, "a session that was answered for is not there")
      assert.isTrue(await this.isValid(winner), "a session that was answered for is not valid")
      return this.keep(winner)
    }
    // Nobody was answered that it worked: it is spent or not, and both servers say the same.
    const looks = await Promise.all([0, 1].map((index) => this.newBrowser().open(`${this.at(index)}${path}`)))
    assert.strictEqual(looks[0]?.status, looks[1]?.status)
    if (looks[0]?.status === 200) {
      tally.notSpent++
      assert.strictEqual(opened, 0, "a session by a link that is not spent")
      assert.isFalse(statuses.includes(410), "answered as spent, and it is not")
      const late = await signedInBy(path, this.at(this.random.below(2)), this.newBrowser())
      assert.strictEqual((await this.sessionsOf(email)) - before, 1)
      return this.keep(late)
    }
    assert.strictEqual(looks[0]?.status, 410)
    if (opened === 0) tally.spentForNothing++
    const again = await useLink(this.newBrowser(), path, this.at(this.random.below(2)))
    assert.strictEqual(again.status, 410)
    assert.strictEqual((await this.sessionsOf(email)) - before, opened)
    // A new link always gets the person in.
    const [fresh = ""] = await plantLinks(this.people, [email])
    return this.keep(await signedInBy(fresh, this.at(this.random.below(2)), this.newBrowser()))
  }

  /** A session whose end was asked for: it has ended if that was answered, and for both or none otherwise. */
  async checkEnd({ browser, id }: Held, outcome: Outcome): Promise<void> {
    if (outcome !== undefined) {
      assert.strictEqual(outcome.status, 200, outcome.text)
      assert.isFalse(await this.isValid(browser), "a session that was ended is valid")
    } else {
      this.tally.endsUnanswered++
      if (await this.isValid(browser)) {
        const url = `${this.at(this.random.below(2))}/api/v1/me/sessions/${id}`
        assert.strictEqual((await browser.api(url, { method: "DELETE" })).status, 200)
        assert.isFalse(await this.isValid(browser))
      }
    }
    this.ended.push(browser)
  }

  async round(number: number): Promise<void> {
    const { random } = this
    const emails = Array.from({ length: LINKS }, (_, index) => emailOf(number * LINKS + index))
    const before = await Promise.all(emails.map((email) => this.sessionsOf(email)))
    const paths = await plantLinks(this.people, emails)
    const pairs = paths.map(() => [this.newBrowser(), this.newBrowser()])
    const tokens = await Promise.all(
      pairs.map((pair, index) =>
        Promise.all(
          pair.map(async (browser, server) =>
            tokenIn((await browser.open(`${this.at(server)}${paths[index]}`)).text)
          )
        )
      )
    )
    const leaving = this.alive.splice(0, ENDS)
    const using = pairs.map((pair, index) =>
      this.soon(
        pair.map((browser, server) => () => {
          const token = tokens[index]?.[server] ?? ""
          return browser.submit(`${this.at(server)}/sign-in/link`, { token })
        })
      )
    )
    const ending = leaving.map(({ browser, id }) => {
      const url = `${this.at(random.below(2))}/api/v1/me/sessions/${id}`
      return this.soon([() => browser.api(url, { method: "DELETE" })])
    })
    const killed = await Promise.all(this.kill())
    const outcomes = await Promise.all(using)
    const ends = (await Promise.all(ending)).flat()
    await this.revive(killed)
    for (const [index, email] of emails.entries()) {
      await this.useLinkTwice(
        email,
        paths[index] ?? "",
        before[index] ?? 0,
        outcomes[index] ?? [],
        pairs[index] ?? []
      )
    }
    for (const [index, held] of leaving.entries()) await this.checkEnd(held, ends[index])
  }
}

describe.each(DATABASES)("two servers on one %s", (kind) => {
  const { newDatabase } = peopleDatabases(kind)

  it(
    "give a link's session once and no ended one again, whenever they are killed",
    { timeout: (ROUNDS * 10 + 120) * 1_000 },
    () =>
      seededTrial(import.meta.url, async (seed) => {
        const crashes = new Crashes(await newDatabase(), seededRandom(seed))
        const { people, tally } = crashes
        const { database } = people
        const tenant = await makeTenant("Acme", { database })
        crashes.servers.push(...(await Promise.all([crashes.start(), crashes.start()])))
        const client = apiClient(crashes.at(0), tenant.key)
        for (let index = 0; index < PEOPLE; index++) await postMember(client, emailOf(index), "member")
        for (let round = 0; round < ROUNDS; round++) await crashes.round(round)

        console.info(kind, tally)
        assert.isAtLeast(tally.kills, ROUNDS)
        // Few kills may all fall between two requests.
        if (isEndurance())
          assert.isAbove(tally.unanswered + tally.endsUnanswered, 0, "no request was interrupted")
        assert.isAbove(crashes.ended.length, 0)
        for (const browser of crashes.ended) assert.isFalse(await crashes.isValid(browser))
        for (const { browser } of crashes.alive) assert.isTrue(await crashes.isValid(browser))
        const path = await operatorLink({ database }, emailOf(0))
        await signedInBy(path, crashes.at(1))
        await Promise.all(crashes.servers.map((server) => server.stop()))
        await expectNothingForeign({ database }, tenant.workspaceId)
      })
  )
})
