/** Two servers that are killed while viewers and people read at both of them. */
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, type Server } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import { startProxiedServer } from "../support/ProxiedServer.ts"
import {
  expectNothingForeign,
  type PeopleDatabase,
  peopleDatabases,
  plantLinks,
  postMember,
  signedInBy
} from "../support/SignInSteps.ts"
import { DATABASES } from "../support/TestDatabase.ts"

killLeftovers()

/** How often servers are killed: one of the two, or both. */
const ROUNDS = isEndurance() ? 100 : 2
/** Tenants that read in a round, each at both servers and twice. */
const TENANTS = 10
/** Milliseconds within which a round's requests are sent, and within which servers are killed. */
const SENT_WITHIN = 15
const KILLED_WITHIN = 25

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** A read of one kind by one reader. */
interface Read {
  readonly reader: string
  readonly action: string
  readonly send: () => Promise<number>
}

const readOf = ({ reader, action }: Pick<Read, "reader" | "action">): string => `${reader} ${action}`

const kill = async (random: SeededRandom, servers: ReadonlyArray<Server>): Promise<ReadonlyArray<number>> => {
  const victims = random.pick([[0], [1], [0, 1]])
  await Promise.all(
    victims.map(async (index) => {
      await pause(random.real() * KILLED_WITHIN)
      assert.strictEqual((await servers[index]?.kill())?.signal, "SIGKILL")
    })
  )
  return victims
}

/** The person of a round, in a browser that has signed in. */
const newPerson = async (people: PeopleDatabase, server: Server, key: string, round: number) => {
  const email = `reader-${round}@example.com`
  const { id } = await postMember(apiClient(server.baseUrl, key), email, "auditor")
  const [path = ""] = await plantLinks(people, [email])
  return { id, browser: await signedInBy(path, server.baseUrl, new HttpBrowser(`10.3.${round % 250}.1`)) }
}

describe.each(DATABASES)("two servers on one %s", (kind) => {
  const { newDatabase } = peopleDatabases(kind)

  it(
    "have the event of every read that was answered, once, whenever they are killed",
    { timeout: (ROUNDS * 15 + 120) * 1_000 },
    () =>
      seededTrial(import.meta.url, async (seed) => {
        const random = seededRandom(seed)
        const people = await newDatabase()
        const { database } = people
        const { workspaceId, key } = await makeTenant("Acme", { database })
        const start = () => startProxiedServer({ database })
        const servers: Array<Server> = [await start(), await start()]
        const answered = new Set<string>()
        const tally = { kills: 0, sent: 0, answered: 0, unanswered: 0 }

        const readsOf = async (round: number): Promise<ReadonlyArray<Read>> => {
          const [first] = servers
          assert.isDefined(first)
          const client = apiClient(first.baseUrl, key)
          const person = await newPerson(people, first, key, round)
          const tenants = Array.from({ length: TENANTS }, (_, index) => `tenant-${round}-${index}`)
          const tokens = await Promise.all(
            tenants.map(async (tenant) => {
              const made = await client.request("POST", "/api/v1/viewer-token", { tenant_id: tenant })
              return { tenant, token: String((made.body as { token: string }).token) }
            })
          )
          return servers.flatMap(({ baseUrl }) => [
            ...tokens.flatMap(({ tenant, token }): ReadonlyArray<Read> => {
              const send = async () => (await apiClient(baseUrl, token).get("/events")).status
              const read = { reader: tenant, action: "cairn.access.events", send }
              return [read, read]
            }),
            ...["alerts", "exports", "settings"].map((what): Read => {
              const path = what === "settings" ? "workspace" : what
              const send = async () =>
                (await person.browser.api(`${baseUrl}/api/v1/${path}`, { workspaceId })).status
              return { reader: person.id, action: `cairn.access.${what}`, send }
            })
          ])
        }

        for (let round = 0; round < ROUNDS; round++) {
          const reads = await readsOf(round)
          const sending = reads.map(async (read) => {
            await pause(random.real() * SENT_WITHIN)
            const status = await read.send().catch(() => undefined)
            tally.sent++
            if (status === undefined) tally.unanswered++
            else assert.strictEqual(status, 200)
            if (status === 200) tally.answered++
            if (status === 200) answered.add(readOf(read))
          })
          const [victims] = await Promise.all([kill(random, servers), ...sending])
          tally.kills += victims.length
          for (const index of victims) servers[index] = await start()
        }
        assert.isAbove(tally.answered, 0)
        if (isEndurance()) assert.isAbove(tally.unanswered, ROUNDS, "they were killed too late")

        // Who ends in order counts what it answered.
        for (const server of servers) assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
        const last = await start()
        const client = apiClient(last.baseUrl, key)
        await eventually("everything is in the log", async () => {
          const [row] = await people.rows("SELECT count(*) AS n FROM event")
          await pause(300)
          return (await client.verify()).events_checked === Number(row?.n) || undefined
        })
        const log = await client.list({ action: "cairn.access.*" })
        const facts = log.filter(({ action }) => !action.endsWith(".count"))
        const seen = new Set<string>()
        const recorded = new Set<string>()
        for (const { action, actor, metadata } of facts) {
          const reader = actor.type === "viewer" ? String(metadata?.tenant_id) : actor.id
          const once = `${readOf({ reader, action })} ${metadata?.hour}`
          assert.isFalse(seen.has(once), `twice: ${once}`)
          seen.add(once)
          recorded.add(readOf({ reader, action }))
        }
        for (const read of answered) assert.isTrue(recorded.has(read), `answered and not recorded: ${read}`)
        const further = log.reduce((sum, { metadata }) => sum + Number(metadata?.further_reads ?? 0), 0)
        assert.isAtMost(facts.length + further, tally.sent)
        if (isEndurance()) console.log(kind, { ...tally, facts: facts.length, further })
        await last.stop()
        await expectNothingForeign({ database }, workspaceId)
      })
  )
})
