import { join } from "node:path"
import { ordinaryEvents, wholeVerification } from "@cairn/testing"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient, errorCode } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** The same events in both workspaces, so that every filter of the one has something to find in the other. */
const EVENTS = ordinaryEvents(60, { seed: 5, keyed: 0 })

describe("two workspaces in one database", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  let a: Tenant
  let b: Tenant
  let inA: ApiClient
  let inB: ApiClient
  let idsOfA: ReadonlyArray<string>
  let idsOfB: ReadonlyArray<string>

  beforeAll(async () => {
    a = await makeTenant("A", { database })
    b = await makeTenant("B", { database, plan: "free" })
    const { baseUrl } = await startServer({ database })
    inA = apiClient(baseUrl, a.key)
    inB = apiClient(baseUrl, b.key)
    // One after the other, so that their places in time alternate.
    for (let at = 0; at < EVENTS.length; at += 20) {
      await inA.acceptBatch(EVENTS.slice(at, at + 20))
      await inB.acceptBatch(EVENTS.slice(at, at + 20))
    }
    const idsOf = async (client: ApiClient) => (await client.list()).map(({ id }) => id)
    const all = (client: ApiClient) =>
      eventually("the events are sequenced", async () => {
        const ids = await idsOf(client)
        return ids.length === EVENTS.length + 2 ? ids : undefined
      })
    idsOfA = await all(inA)
    idsOfB = await all(inB)
  })

  it("share no event", () => {
    assert.strictEqual(new Set([...idsOfA, ...idsOfB]).size, idsOfA.length + idsOfB.length)
  })

  it("find, by whatever parameter, only their own events", async () => {
    const sample = (await inA.list()).filter(({ targets }) => targets.length > 0)[0]
    assert.isDefined(sample)
    const queries: ReadonlyArray<Record<string, string>> = [
      { action: sample?.action ?? "" },
      { action: "*" },
      { action: `${sample?.action.split(".")[0]}.*` },
      { actor_id: sample?.actor.id ?? "" },
      { resource: sample?.resource.type ?? "" },
      { resource_id: sample?.resource.id ?? "" },
      { tenant_id: sample?.tenant_id ?? "" },
      { search: "user_agent" },
      { search: "a" },
      { target_type: sample?.targets[0]?.type ?? "" },
      { target_id: sample?.targets[0]?.id ?? "" },
      { from: "2000-01-01" },
      { to: "2100-01-01" }
    ]
    const own = new Set(idsOfB)
    for (const query of queries) {
      const found = await inB.list(query)
      assert.isAbove(found.length, 0, JSON.stringify(query))
      assert.isTrue(
        found.every(({ id }) => own.has(id)),
        JSON.stringify(query)
      )
      const { pagination } = await inB.page({ ...query, limit: 1 })
      assert.strictEqual(pagination.total, found.length, JSON.stringify(query))
    }
  })

  it("are refused a parameter that would name the other", async () => {
    for (const name of ["workspace_id", "workspace"]) {
      const answer = await inB.get("/events", { [name]: a.workspaceId })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(errorCode(answer), "invalid_parameter")
    }
  })

  it("read their own events with a cursor of the other", async () => {
    const { pagination } = await inA.page({ limit: 5 })
    assert.isNotNull(pagination.next_cursor)
    const { data } = await inB.page({ limit: 100, cursor: pagination.next_cursor ?? "" })
    const own = new Set(idsOfB)
    assert.isAbove(data.length, 0)
    assert.isTrue(data.every(({ id }) => own.has(id)))
  })

  it("answer 404 for an event of the other, sequenced or waiting", async () => {
    for (const id of [idsOfA[0], idsOfA.at(-1)]) {
      assert.strictEqual((await inA.get(`/events/${id}`)).status, 200)
      const answer = await inB.get(`/events/${id}`)
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(errorCode(answer), "not_found")
    }
    const { id } = await inA.accept({ actor_id: "a", action: "just.now" })
    assert.strictEqual((await inB.get(`/events/${id}`)).status, 404)
  })

  it("verify their own chain only", async () => {
    const verification = await inB.verify()
    assert.deepStrictEqual(verification, wholeVerification(EVENTS.length + 2))
  })

  it("neither see nor revoke the keys of the other", async () => {
    assert.strictEqual((await inA.get(`/api-keys/${a.keyId}`)).status, 200)
    assert.strictEqual((await inB.get(`/api-keys/${a.keyId}`)).status, 404)
    assert.strictEqual((await inB.request("DELETE", `/api/v1/api-keys/${a.keyId}`)).status, 404)
    assert.strictEqual((await inA.get("/events")).status, 200)
    const listed = JSON.stringify((await inB.get("/api-keys")).body)
    assert.include(listed, b.keyId)
    assert.notInclude(listed, a.keyId)
    assert.notInclude(listed, a.workspaceId)
  })

  it("show and change their own settings only", async () => {
    const other = await inB.request("PATCH", "/api/v1/workspace", { name: "B again", id: a.workspaceId })
    assert.strictEqual(other.status, 422)
    const answer = await inB.request("PATCH", "/api/v1/workspace", { name: "B again" })
    assert.strictEqual(answer.status, 200)
    assert.include(JSON.stringify((await inB.get("/workspace")).body), '"name":"B again"')
    assert.include(JSON.stringify((await inA.get("/workspace")).body), '"name":"A"')
  })

  it("answer 405 to whoever would change an event, and leave it as it is", async () => {
    const [id = ""] = idsOfA
    const before = await inA.event(id)
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      for (const path of [`/api/v1/events/${id}`, "/api/v1/events"]) {
        const answer = await inA.request(method, path, method === "DELETE" ? undefined : { action: "x" })
        assert.strictEqual(answer.status, 405, `${method} ${path}`)
        assert.strictEqual(errorCode(answer), "method_not_allowed")
        assert.include(answer.headers.get("allow") ?? "", "GET")
      }
    }
    assert.deepStrictEqual(await inA.event(id), before)
  })

  it("use up their own rate limit only", async () => {
    let limited = await inB.get("/events", { limit: 1 })
    // One comes back each second: on a slow machine it takes more requests than the limit says.
    for (let count = 0; count < 1_000 && limited.status !== 429; count++) {
      limited = await inB.get("/events", { limit: 1 })
    }
    assert.strictEqual(limited.status, 429)
    assert.strictEqual(errorCode(limited), "rate_limited")
    assert.match(limited.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    const answer = await inA.get("/events")
    assert.strictEqual(answer.status, 200)
    assert.isNull(answer.headers.get("ratelimit"))
  })
})
