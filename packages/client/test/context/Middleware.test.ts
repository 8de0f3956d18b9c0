/** Each framework, with real requests: what is logged deep in a call has its own request's context. */
import { EventEmitter } from "node:events"
import { createServer, type RequestListener, request, type Server } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it, vi } from "@effect/vitest"
import fastify from "fastify"
import { Hono } from "hono"
import { auditExpress } from "../../src/context/Express.ts"
import { auditFastify } from "../../src/context/Fastify.ts"
import { auditHono } from "../../src/context/Hono.ts"
import { auditContext, createAudit, setAuditContext, withAuditContext } from "../../src/context/index.ts"
import { withAudit } from "../../src/context/Next.ts"
import { RecordingCairn } from "../../src/testing/index.ts"

interface ExpressRequest extends EventEmitter {
  readonly ip?: string
  readonly body: { readonly name: string }
  readonly get: (name: string) => string | undefined
  user?: { readonly id: string; readonly name: string } | undefined
}

type ExpressHandler = (
  request: ExpressRequest,
  response: EventEmitter & { readonly end: () => void },
  next: () => void
) => unknown

/** Express comes without types: what of it is used here. */
interface Express extends RequestListener {
  readonly set: (name: string, value: unknown) => void
  readonly use: (handler: ExpressHandler) => void
  readonly post: (path: string, handler: ExpressHandler) => void
}

const express: { (): Express; json(): ExpressHandler } = createRequire(import.meta.url)("express")

const WAITING = { timeout: 20_000, interval: 5 }

/** A hundred requests at once, each with a user, a tenant and a request id of its own. */
const MANY = Array.from({ length: 100 }, (_, index) => index)

const user = (index: number) => ({
  "x-user": `user-${index}`,
  "x-tenant": `tenant-${index % 7}`,
  "x-request-id": `request-${index}`,
  "x-forwarded-for": `203.0.113.1, 198.51.100.${index}`,
  "content-type": "application/json"
})

/** Deep in a call chain: across awaits, timers, streams, emitters and callbacks. */
const deep = async (audit: ReturnType<typeof createAudit>, name: string): Promise<void> => {
  await turn()
  await audit("step.awaited", { resource_name: name })
  await new Promise<void>((resolve) =>
    setTimeout(() => resolve(audit("step.timed", { resource_name: name }).then(() => {})), 1)
  )
  for await (const part of Readable.from(["a"]))
    await audit("step.streamed", { resource_name: name, resource_id: part })
  const emitter = new EventEmitter()
  const emitted = new Promise<void>((resolve) =>
    emitter.on("go", () => resolve(audit("step.emitted", { resource_name: name }).then(() => {})))
  )
  queueMicrotask(() => emitter.emit("go"))
  await emitted
  await Promise.all([1, 2].map(() => audit("step.together", { resource_name: name, metadata: { step: 1 } })))
}

/** Sends a request whose body comes in two parts, which a framework reads by events of a stream. */
const post = (url: string, index: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/invoices/${index}`, { method: "POST", headers: user(index) }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode))
    })
    sent.on("error", reject)
    sent.write(`{"name":`)
    setTimeout(() => sent.end(`"n-${index}"}`), 5)
  })

/** Sends all requests at once, and looks at what was recorded. */
const assertApart = async (
  recorder: RecordingCairn,
  url: string,
  addressOf: (index: number) => string | undefined
) => {
  const statuses = await Promise.all(MANY.map((index) => post(url, index)))
  assert.deepStrictEqual(
    statuses,
    MANY.map(() => 200)
  )
  for (const index of MANY) {
    const events = recorder.find({ resource_name: `n-${index}` })
    assert.lengthOf(events, 6)
    for (const event of events) {
      assert.deepInclude(event, {
        actor_id: `user-${index}`,
        actor_name: `User ${index}`,
        tenant_id: `tenant-${index % 7}`
      })
      assert.strictEqual(event.ip_address, addressOf(index))
      assert.strictEqual(event.metadata?.request_id, `request-${index}`)
    }
  }
}

const listening = async (server: Server, use: (url: string) => Promise<void>) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** What an authentication behind the middleware knows. */
const userOf = (id: string | undefined) =>
  id === undefined ? undefined : { id, name: id.replace("user-", "User ") }

describe("middleware keeps two requests apart, however deep a call is", () => {
  it("in Express", async () => {
    const recorder = new RecordingCairn()
    const audit = createAudit(recorder)
    const app = express()
    app.set("trust proxy", 1)
    const options = {
      actor: ({ user }: ExpressRequest) => user,
      tenant: (request: ExpressRequest) => request.get("x-tenant")
    }
    app.use(auditExpress(options))
    app.use(express.json())
    app.use((request, _response, next) => {
      request.user = userOf(request.get("x-user"))
      next()
    })
    app.post("/invoices/:id", async (request, response) => {
      await deep(audit, request.body.name)
      response.end()
    })
    await listening(createServer(app), (url) => assertApart(recorder, url, (index) => `198.51.100.${index}`))
  })

  it("in Fastify", async () => {
    const recorder = new RecordingCairn()
    const audit = createAudit(recorder)
    const app = fastify({ trustProxy: "127.0.0.1" })
    auditFastify(app, {
      actor: (request) => userOf(String(request.headers["x-user"])),
      tenant: (request) => String(request.headers["x-tenant"])
    })
    app.post<{ Body: { name: string } }>("/invoices/:id", async (request) => {
      await deep(audit, request.body.name)
      return {}
    })
    try {
      await assertApart(
        recorder,
        await app.listen({ port: 0, host: "127.0.0.1" }),
        (index) => `198.51.100.${index}`
      )
    } finally {
      await app.close()
    }
  })

  /** Logs from listeners of a request and its response, whose events come from the connection. */
  const listen = (audit: ReturnType<typeof createAudit>, request: EventEmitter, response: EventEmitter) => {
    void audit("request.began")
    for (const [emitter, name] of [
      [request, "end"],
      [request, "close"],
      [response, "finish"],
      [response, "close"]
    ] as const) {
      const side = emitter === request ? "request" : "response"
      // What is recorded of it is looked at below.
      emitter.on(name, () => void audit(`${side}.${name}`))
    }
  }

  const assertHeard = async (recorder: RecordingCairn, url: string) => {
    const heard = (index: number) =>
      recorder.events
        .filter(({ metadata }) => metadata?.request_id === `request-${index}`)
        .map(({ action }) => action)
        .sort()
        .join()
    const aborted = request(`${url}/invoices/1`, { method: "POST", headers: user(1) })
    aborted.on("error", () => {})
    aborted.write("{")
    await post(url, 0)
    await vi.waitFor(
      () =>
        assert.strictEqual(
          heard(0),
          "request.began,request.close,request.end,response.close,response.finish"
        ),
      WAITING
    )
    await vi.waitFor(() => assert.strictEqual(heard(1), "request.began"), WAITING)
    aborted.destroy()
    await vi.waitFor(() => assert.match(heard(1), /^request.began,request.close,response.close/), WAITING)
  }

  it("in Express, also in listeners, and when the client has gone", async () => {
    const recorder = new RecordingCairn()
    const app = express()
    app.use(auditExpress<ExpressRequest>())
    app.use((request, response, next) => {
      listen(createAudit(recorder), request, response)
      next()
    })
    app.use(express.json())
    app.post("/invoices/:id", (_request, response) => response.end())
    await listening(createServer(app), (url) => assertHeard(recorder, url))
  })

  it("in Fastify, also in listeners, and when the client has gone", async () => {
    const recorder = new RecordingCairn()
    const app = fastify({ forceCloseConnections: true })
    auditFastify(app)
    app.addHook("onRequest", async (request, reply) => {
      listen(createAudit(recorder), request.raw, reply.raw)
    })
    app.post("/invoices/:id", async () => ({}))
    try {
      await assertHeard(recorder, await app.listen({ port: 0, host: "127.0.0.1" }))
    } finally {
      await app.close()
    }
  })

  /** Node's server before a function of Request and Response, as the adapters of Hono and Next have it. */
  const serving = (handle: (request: Request, env: object) => Response | Promise<Response>) =>
    createServer(async (incoming, outgoing) => {
      const body = await new Response(Readable.toWeb(incoming) as ReadableStream).text()
      const headers = new Headers(
        Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
      )
      const request = new Request(`http://test${incoming.url}`, { method: "POST", headers, body })
      const response = await handle(request, { incoming })
      outgoing.writeHead(response.status).end(await response.text())
    })

  it("in Hono", async () => {
    const recorder = new RecordingCairn()
    const audit = createAudit(recorder)
    const app = new Hono<{ Variables: { user: { id: string; name: string } | undefined } }>()
    app.use(
      auditHono({
        tenant: (c) => c.req.header("x-tenant"),
        actor: (c) => userOf(c.req.header("x-user")),
        proxies: 1
      })
    )
    app.post("/invoices/:id", async (c) => {
      const { name } = await c.req.json()
      await deep(audit, name)
      return c.text("")
    })
    await listening(
      serving((request, env) => app.fetch(request, env)),
      (url) => assertApart(recorder, url, (index) => `198.51.100.${index}`)
    )
  })

  it("in Hono, with the connection's address where no proxy is trusted", async () => {
    const recorder = new RecordingCairn()
    const audit = createAudit(recorder)
    const app = new Hono()
    app.use(
      auditHono({ tenant: (c) => c.req.header("x-tenant"), actor: (c) => userOf(c.req.header("x-user")) })
    )
    app.post("/invoices/:id", async (c) => {
      const { name } = await c.req.json()
      await deep(audit, name)
      return c.text("")
    })
    await listening(
      serving((request, env) => app.fetch(request, env)),
      (url) => assertApart(recorder, url, () => "127.0.0.1")
    )
  })

  it("in route handlers of Next", async () => {
    const recorder = new RecordingCairn()
    const audit = createAudit(recorder)
    const POST = withAudit(
      {
        tenant: (request) => request.headers.get("x-tenant"),
        actor: (request) => userOf(request.headers.get("x-user") ?? undefined),
        proxies: 1
      },
      async (request: Request, _context: { params: Promise<{ id: string }> }) => {
        const { name } = (await request.json()) as { name: string }
        await deep(audit, name)
        return new Response("")
      }
    )
    await listening(
      serving((request) => POST(request, { params: Promise.resolve({ id: "1" }) })),
      (url) => assertApart(recorder, url, (index) => `198.51.100.${index}`)
    )
  })
})

describe("an event of a request", () => {
  const requestWith = (headers: Record<string, string> = {}) => new Request("http://test", { headers })

  const recorded = async (
    options: Parameters<typeof withAudit<Request, [], Promise<unknown>>>[0],
    headers?: Record<string, string>,
    run: (audit: ReturnType<typeof createAudit>) => Promise<unknown> = (audit) => audit("a.b")
  ) => {
    const recorder = new RecordingCairn({ context: auditContext })
    await withAudit(options, () => run(createAudit(recorder)))(requestWith(headers))
    return recorder.events
  }

  it("is anonymous where nobody is known, and of somebody unknown where the application's function throws", async () => {
    const broken = () => {
      throw new Error("no session store")
    }
    for (const options of [{}, { actor: () => null }]) {
      const [event] = await recorded(options)
      assert.deepInclude(event, { actor_id: "anonymous", actor_type: "anonymous", action: "a.b" })
    }
    const [event] = await recorded({
      actor: broken,
      tenant: broken,
      session: broken,
      address: broken,
      metadata: broken
    })
    assert.deepInclude(event, { actor_id: "unknown", actor_type: "unknown", action: "a.b" })
  })

  it("within two middlewares has what either knows", async () => {
    const within = (actor?: () => { readonly id: string }) =>
      recorded({ actor: () => ({ id: "ada" }) }, { "x-request-id": "one" }, (audit) =>
        withAudit({ actor, tenant: () => "t" }, () => audit("a.b"))(requestWith({ "x-request-id": "two" }))
      )
    const broken = () => {
      throw new Error("no session store")
    }
    for (const [actor, id] of [
      [undefined, "ada"],
      [broken, "ada"],
      [() => ({ id: "eve" }), "eve"]
    ] as const) {
      const [event] = await within(actor)
      assert.deepInclude(event, { actor_id: id, tenant_id: "t", metadata: { request_id: "one" } })
    }
  })

  it("has the actor that is set later, and nothing of the one before", async () => {
    const [before, after] = await recorded(
      { actor: () => ({ id: "one", name: "One", type: "user" }) },
      {},
      async (audit) => {
        await audit("a.b")
        assert.isTrue(setAuditContext({ actor_id: "two", metadata: { login: true } }))
        await audit("a.c", { metadata: { more: 1 } })
      }
    )
    assert.deepInclude(before, { actor_id: "one", actor_name: "One", actor_type: "user" })
    assert.deepInclude(after, { actor_id: "two" })
    assert.notProperty(after, "actor_name")
    assert.deepInclude(after?.metadata, { login: true, more: 1 })
  })

  it("of another actor has nothing of the request's", async () => {
    const [event] = await recorded({ actor: () => ({ id: "ada", name: "Ada" }) }, {}, (audit) =>
      audit("a.b", { actor_id: "system" })
    )
    assert.strictEqual(event?.actor_id, "system")
    assert.notProperty(event, "actor_name")
  })

  it("has a request id that is short and visible, the trace's, or one of its own", async () => {
    const idOf = async (headers: Record<string, string>) =>
      String((await recorded({}, headers))[0]?.metadata?.request_id)
    assert.strictEqual(await idOf({ "x-request-id": "abc" }), "abc")
    assert.lengthOf(await idOf({ "x-request-id": "x".repeat(129) }), 36)
    assert.lengthOf(await idOf({ "x-request-id": "a b" }), 36)
    assert.strictEqual(
      await idOf({ traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }),
      "0af7651916cd43dd8448eb211c80319c"
    )
    const [first, second] = await recorded({}, {}, async (audit) => {
      await audit("a.b")
      await audit("a.c")
    })
    assert.strictEqual(first?.metadata?.request_id, second?.metadata?.request_id)
  })

  it("has no address that is none", async () => {
    const [event] = await recorded({ proxies: 1 }, { "x-forwarded-for": "<script>" })
    assert.notProperty(event, "ip_address")
  })

  it("outside of a request has what is given, and contexts lie within each other", async () => {
    const recorder = new RecordingCairn()
    const audit = createAudit(recorder)
    assert.isUndefined(auditContext())
    assert.isFalse(setAuditContext({ tenant_id: "t" }))
    await withAuditContext({ actor_id: "job", tenant_id: "outer" }, () =>
      withAuditContext({ tenant_id: "inner" }, () => audit("job.ran"))
    )
    recorder.assertRecorded({ actor_id: "job", tenant_id: "inner" })
  })
})
