/** Owners who are removed and lowered at two servers at once, and by the command: one always stays. */
import type { Event } from "@cairn/core/event"
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, makeTenant, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import { startProxiedServer } from "../support/ProxiedServer.ts"
import {
  expectNothingForeign,
  listMembers,
  type PeopleDatabase,
  peopleDatabases,
  plantLinks,
  postMember,
  type ShownMember,
  signedInBy,
  whoIs
} from "../support/SignInSteps.ts"
import { DATABASES } from "../support/TestDatabase.ts"

killLeftovers()

const ROUNDS = isEndurance() ? 150 : 3
const OWNERS = 5
/** Milliseconds within which all changes of a round are sent. */
const SENT_WITHIN = 4

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

type Change = "removed" | "admin" | "developer" | "owner"

/** A change of an owner, and what was answered. */
interface Tried {
  readonly id: string
  readonly change: Change
  readonly status: number
}

/** Who asks for changes. */
interface Asking {
  readonly clients: readonly [ApiClient, ApiClient]
  readonly owner: HttpBrowser
  readonly addresses: readonly [string, string]
  readonly tenant: Tenant
  readonly database: string
}

const PATH = "/api/v1/members"

/** Asks for a change by a key at either server, by an owner with a session, or by the command. */
const ask = async (
  { clients, owner, addresses, tenant, database }: Asking,
  random: SeededRandom,
  { id }: ShownMember,
  change: Change
): Promise<number> => {
  const { workspaceId } = tenant
  const body = change === "removed" ? undefined : { role: change }
  const method = body === undefined ? "DELETE" : "PATCH"
  const client = random.pick(clients)
  const address = random.pick(addresses)
  const way = random.real()
  await pause(random.real() * SENT_WITHIN)
  if (way < 0.6) return (await client.request(method, `${PATH}/${id}`, body)).status
  if (way < 0.9) return (await owner.api(`${address}${PATH}/${id}`, { method, body, workspaceId })).status
  const args = body === undefined ? ["remove", id, "--yes"] : ["update", id, "--role", body.role]
  const { code, stderr } = await cairn(["member", ...args, "-w", workspaceId], { database })
  if (code === 0) return 200
  assert.strictEqual(code, 2, stderr)
  return stderr.includes("last owner") ? 409 : 404
}

const isOwner = ({ role, confirmed_at }: ShownMember): boolean => role === "owner" && confirmed_at !== null

/** How often each action was recorded of a member, and how often its refusal. */
const countsOf = (log: ReadonlyArray<Event>, id: string) => {
  const count = (action: string) =>
    log.filter((event) => event.resource.id === id && event.action === `cairn.member.${action}`).length
  return {
    updated: count("updated") - count("update_refused"),
    deleted: count("deleted") - count("deletion_refused")
  }
}

describe.each(DATABASES)("two servers on one %s", (kind) => {
  const { newDatabase } = peopleDatabases(kind)

  /**
   * Makes every owner that was removed anew, who then signs in, and raises the others; gives those, whose
   * records are counted too.
   */
  const restore = async (client: ApiClient, people: PeopleDatabase, baseUrl: string, round: number) => {
    const there = await listMembers(client)
    const raised: Array<Tried> = []
    for (let index = 0; index < OWNERS; index++) {
      const email = `owner-${index}@example.com`
      const known = there.find((member) => member.email === email)
      if (known === undefined) {
        await postMember(client, email, "owner")
        const [path = ""] = await plantLinks(people, [email])
        await signedInBy(path, baseUrl, new HttpBrowser(`10.1.${round}.${index}`))
      } else if (known.role !== "owner") {
        const answer = await client.request("PATCH", `${PATH}/${known.id}`, { role: "owner" })
        assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
        raised.push({ id: known.id, change: "owner", status: 200 })
      }
    }
    return raised
  }

  it(
    "keep an owner who can sign in, and record what became of each change",
    { timeout: (ROUNDS * 10 + 120) * 1_000 },
    () =>
      seededTrial(import.meta.url, async (seed) => {
        const random = seededRandom(seed)
        const people = await newDatabase()
        const { database } = people
        const tenant = await makeTenant("Acme", { database })
        const start = () => startProxiedServer({ database })
        const [one, other] = await Promise.all([start(), start()])
        const addresses = [one.baseUrl, other.baseUrl] as const
        const clients = [apiClient(one.baseUrl, tenant.key), apiClient(other.baseUrl, tenant.key)] as const
        const [client] = clients
        const tried: Array<Tried> = await restore(client, people, one.baseUrl, 0)
        for (let round = 0; round < ROUNDS; round++) {
          const owners = (await listMembers(client)).filter(isOwner)
          assert.lengthOf(owners, OWNERS)
          const [path = ""] = await plantLinks(people, [random.pick(owners).email])
          const owner = await signedInBy(path, one.baseUrl, new HttpBrowser(`10.2.${round}.1`))
          for (const address of addresses) await whoIs(owner, address)
          const asking = { clients, owner, addresses, tenant, database }
          // All of them at once, and half of them twice.
          const wanted = owners.flatMap((member) => {
            const changes: ReadonlyArray<Change> = random.chance(0.5)
              ? [random.pick(["removed", "admin"]), random.pick(["removed", "developer"])]
              : [random.pick(["removed", "admin", "developer"])]
            return changes.map((change) => ({ member, change }))
          })
          const answers = await Promise.all(
            wanted.map(async ({ member, change }): Promise<Tried> => {
              const status = await ask(asking, random, member, change)
              return { id: member.id, change, status }
            })
          )
          for (const { status } of answers) assert.include([200, 401, 403, 404, 409], status)
          const left = (await listMembers(clients[1])).filter(isOwner)
          assert.isAbove(left.length, 0, "nobody is left who could make another owner")
          const done = new Set(answers.flatMap(({ id, status }) => (status === 200 ? [id] : [])))
          for (const { id } of left)
            assert.isFalse(done.has(id), "a change that was answered for was not made")
          tried.push(...answers, ...(await restore(client, people, one.baseUrl, round + 1)))
        }
        // A session whose owner was lowered first is refused for that.
        if (isEndurance())
          assert.isAbove(tried.filter(({ status }) => status === 409).length, 0, "nobody was the last owner")

        await eventually("everything is recorded", async () => {
          const [row] = await people.rows("SELECT count(*) AS n FROM event")
          await pause(200)
          return (await client.verify()).events_checked === Number(row?.n) || undefined
        })
        const log = await client.list({ action: "cairn.member.*" })
        const there = new Set((await listMembers(client)).map(({ id }) => id))
        for (const id of new Set(tried.map((one) => one.id))) {
          const made = tried.filter((one) => one.id === id && one.status === 200)
          const isRemoved = made.some(({ change }) => change === "removed")
          assert.strictEqual(there.has(id), !isRemoved)
          assert.deepStrictEqual(
            countsOf(log, id),
            {
              updated: made.filter(({ change }) => change !== "removed").length,
              deleted: isRemoved ? 1 : 0
            },
            `what is recorded of ${id} and not refused, beside what was answered: ${JSON.stringify(tried.filter((one) => one.id === id))}`
          )
        }
        await Promise.all([one.stop(), other.stop()])
        await expectNothingForeign({ database }, tenant.workspaceId)
      })
  )
})
