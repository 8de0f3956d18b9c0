/** Two copies of the package in one process, as where an application is bundled and its library is not. */
import { EventEmitter } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import type * as Express from "../../src/context/Express.ts"
import type * as Context from "../../src/context/index.ts"
import { RecordingCairn } from "../../src/testing/index.ts"

interface Copy {
  readonly context: typeof Context
  readonly express: typeof Express
}

/** Loads all modules of the entries again, whatever was loaded before. */
const load = async (): Promise<Copy> => {
  vi.resetModules()
  return {
    context: await import("../../src/context/index.ts"),
    express: await import("../../src/context/Express.ts")
  }
}

describe("two copies of the package", () => {
  it("share the context of a request, whichever has the middleware, sets members and logs", async () => {
    const [first, second] = [await load(), await load()]
    assert.notStrictEqual(first.context.auditContext, second.context.auditContext)
    for (const [outer, inner] of [
      [first, second],
      [second, first]
    ] as const) {
      const recorder = new RecordingCairn()
      const request = Object.assign(new EventEmitter(), { ip: "203.0.113.7", get: () => undefined })
      const middleware = outer.express.auditExpress({ actor: () => ({ id: "ada" }) })
      await new Promise<void>((resolve) =>
        middleware(request, new EventEmitter(), () => {
          inner.context.setAuditContext({ tenant_id: "acme" })
          const job = () => inner.context.createAudit(recorder)("invoice.paid")
          resolve(outer.context.withAuditContext({ session_id: "s1" }, job).then(() => {}))
        })
      )
      recorder.assertRecorded({
        actor_id: "ada",
        ip_address: "203.0.113.7",
        tenant_id: "acme",
        session_id: "s1"
      })
      assert.isUndefined(inner.context.auditContext())
    }
  })
})
