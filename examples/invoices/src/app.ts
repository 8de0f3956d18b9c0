/** The application: a page, a button, its audit log and the proof. */
import { readFile } from "node:fs/promises"
import type { Cairn } from "@cairn/client"
import { auditFastify } from "@cairn/client/fastify"
import type { Relay } from "@cairn/client/outbox"
import fastify, { type FastifyInstance } from "fastify"
import type { makeInvoices } from "./invoices.ts"
import type { makeProofs } from "./proofs.ts"

/** In place of a sign-in: a real application has the user and their company in its session. */
const USER = { id: "ada", name: "Ada Lovelace", type: "user" }
const COMPANY = "acme"

/** What the application works with. */
export interface Parts {
  readonly invoices: ReturnType<typeof makeInvoices>
  readonly proofs: ReturnType<typeof makeProofs>
  readonly cairn: Cairn
  readonly relay: Relay
  /** Where browsers reach Cairn. */
  readonly viewerUrl: string
}

/** Makes it; nothing listens yet. */
export const makeApp = ({ invoices, proofs, cairn, relay, viewerUrl }: Parts): FastifyInstance => {
  const app = fastify()
  auditFastify(app, { actor: () => USER, tenant: () => COMPANY })

  app.get("/", async (_request, reply) => {
    const page = await readFile(new URL("page.html", import.meta.url))
    return reply.type("text/html; charset=utf-8").send(page)
  })

  app.get("/invoices", () => invoices.list())

  app.post<{ Params: { id: string } }>("/invoices/:id/pay", async ({ params }, reply) => {
    if (!(await invoices.pay(params.id))) return reply.code(409).send({ error: "there is nothing to pay" })
    relay.notify()
    return { paid: params.id }
  })

  app.get<{ Params: { id: string } }>("/invoices/:id/proof", async ({ params }, reply) => {
    const proven = await proofs.prove(params.id)
    return proven ?? reply.code(202).send({ message: "The log does not have it yet." })
  })

  // The token shows this company's events and nothing else. The API key never leaves the server.
  app.get("/viewer", async () => {
    const { token } = await cairn.viewerTokens.create({ tenant_id: COMPANY })
    return { url: `${viewerUrl}/viewer?token=${token}` }
  })

  return app
}
