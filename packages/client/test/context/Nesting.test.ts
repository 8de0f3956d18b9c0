/** Contexts within contexts: middleware within middleware, and jobs within requests and within jobs. */
import { AsyncResource } from "node:async_hooks"
import { assert, describe, it } from "@effect/vitest"
import { auditExpress } from "../../src/context/Express.ts"
import { auditFastify, type FastifyRequestLike } from "../../src/context/Fastify.ts"
import { auditHono } from "../../src/context/Hono.ts"
import {
  auditContext,
  type ContextFields,
  createAudit,
  setAuditContext,
  withAuditContext
} from "../../src/context/index.ts"
import { withAudit } from "../../src/context/Next.ts"
import type { RequestOptions } from "../../src/context/RequestFields.ts"
import { RecordingCairn } from "../../src/testing/index.ts"

const USER = "203.0.113.7"
const PROXY = "127.0.0.1"

/** A middleware of each framework, whose own address is the proxy's, around what runs in it. */
type Middleware = <A>(options: RequestOptions<object>, run: () => A) => A

const noEmitter = () => ({ emit: () => true })

const middlewares: Readonly<Record<string, Middleware>> = {
  Express: (options, run) => {
    let result: unknown
    const request = { ...noEmitter(), ip: PROXY, get: () => undefined }
    auditExpress(options)(request, noEmitter(), () => {
      result = run()
    })
    return result as ReturnType<typeof run>
  },
  Fastify: (options, run) => {
    let result: unknown
    auditFastify<FastifyRequestLike>(
      {
        addHook: (_, hook) =>
          hook({ ip: PROXY, headers: {}, raw: noEmitter() }, { raw: noEmitter() }, () => {
            result = run()
          })
      },
      options
    )
    return result as ReturnType<typeof run>
  },
  Hono: (options, run) => {
    let result: unknown
    const env = { incoming: { socket: { remoteAddress: PROXY } } }
    void auditHono(options)({ req: { header: () => undefined }, env }, async () => {
      result = run()
    })
    return result as ReturnType<typeof run>
  },
  Next: (options, run) => withAudit({ address: () => PROXY, ...options }, run)({ headers: new Headers() })
}

for (const [name, middleware] of Object.entries(middlewares)) {
  describe(`middleware for ${name} within other`, () => {
    it("keeps the address of the end user, unless it is told another one", () => {
      const own = name === "Next" ? { address: () => undefined } : {}
      const inner = (options: RequestOptions<object>) =>
        middleware({ address: () => USER }, () => middleware(options, () => auditContext()?.ip_address))
      assert.strictEqual(inner({ tenant: () => "acme", ...own }), USER)
      assert.strictEqual(inner({ address: () => "203.0.113.8" }), "203.0.113.8")
    })

    it("sets members for the rest of the whole request", () => {
      const seen: Array<ContextFields | undefined> = []
      middleware({}, () => {
        middleware({ tenant: () => "acme" }, () => setAuditContext({ actor_id: "ada", session_id: "s1" }))
        seen.push(auditContext())
      })
      assert.deepInclude(seen[0], { actor_id: "ada", session_id: "s1" })
      assert.isUndefined(auditContext())
    })
  })
}

describe("a context of a job", () => {
  it("keeps to itself what is set in it", () => {
    middlewares.Hono?.({ actor: () => ({ id: "ada" }) }, () => {
      withAuditContext({ tenant_id: "a" }, () => {
        setAuditContext({ actor_id: "job" })
        assert.deepInclude(auditContext(), { actor_id: "job", tenant_id: "a" })
      })
      assert.strictEqual(auditContext()?.actor_id, "ada")
      assert.isUndefined(auditContext()?.tenant_id)
    })
  })

  it("that begins the next one within itself goes on for ever", async () => {
    const recorder = new RecordingCairn()
    const audit = createAudit(recorder)
    let next: (() => void) | undefined
    let last: Promise<unknown> | undefined
    // As a timer does that is set in a job: no call within a call.
    const begin = (left: number) =>
      withAuditContext({ actor_id: "cron", session_id: `${left}` }, () => {
        next = left > 0 ? AsyncResource.bind(() => begin(left - 1)) : undefined
        if (left === 0) last = audit("cron.ticked")
      })
    begin(20_000)
    while (next !== undefined) next()
    await last
    recorder.assertRecorded({ action: "cron.ticked", actor_id: "cron", session_id: "0" })
  })
})

describe("what an application says of a request", () => {
  const fieldsOf = (options: RequestOptions<object>) => middlewares.Express?.(options, auditContext)

  // As an application in JavaScript gives it.
  const says = (value: unknown) => () => value as never

  it("may have numbers for names, and is left out where it is no name", () => {
    const id = { actor: says({ id: 7 }), tenant: says(8), session: says(9n) }
    assert.deepInclude(fieldsOf(id), { actor_id: "7", tenant_id: "8", session_id: "9" })
    for (const wrong of [Promise.resolve("t"), {}, "", true, Number.NaN, Symbol("t"), []]) {
      const fields = fieldsOf({ tenant: says(wrong), session: says(wrong) })
      assert.deepStrictEqual([fields?.tenant_id, fields?.session_id], [undefined, undefined])
    }
    for (const wrong of [{}, { id: "" }, { id: {} }, Promise.resolve({ id: "a" }), [], true, "ada", 7]) {
      assert.deepInclude(fieldsOf({ actor: says(wrong) }), { actor_id: "unknown", actor_type: "unknown" })
    }
  })

  it("has names as long as the service takes them", () => {
    const long = "x".repeat(5000)
    const fields = fieldsOf({ actor: () => ({ id: "ada", name: long, type: long }) })
    assert.strictEqual(fields?.actor_name, long.slice(0, 1024))
    assert.strictEqual(fields?.actor_type, long.slice(0, 256))
    const beyond = "𝄞".repeat(1500)
    const name = fieldsOf({ actor: () => ({ id: "ada", name: beyond }) })?.actor_name
    assert.strictEqual(name, "𝄞".repeat(1024))
    assert.strictEqual(fieldsOf({ actor: says({ id: "ada", name: 7 }) })?.actor_name, "7")
  })

  it("counts proxies in whole numbers", () => {
    for (const proxies of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, says("1")()]) {
      assert.throws(() => auditHono({ proxies }), TypeError)
      assert.throws(() => withAudit({ proxies }, () => {}), TypeError)
    }
  })
})
