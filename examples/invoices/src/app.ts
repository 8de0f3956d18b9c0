/** The application: a page, a button, its audit log and the proof. */
import { readFile } from "node:fs/promises"
import { type Cairn, CairnConnectionError, CairnTimeoutError } from "@cairn/client"
import { auditFastify } from "@cairn/client/fastify"
import type { Relay } from "@cairn/client/outbox"
import fastify, { type FastifyInstance } from "fastify"
import type { makeInvoices } from "./invoices.ts"
import { type makeProofs, SOON } from "./proofs.ts"

/** In place of a sign-in: a real application has the user and their company in its session. */
const USER = { id: "ada", name: "Ada Lovelace", type: "user" }
const COMPANY = "acme"
/** Anything else in the place of an id is not found. */
const INVOICE = "/invoices/:id(^[0-9]{1,9}$)"
const UNKNOWN = { message: "There is no such invoice." }

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

  app.post<{ Params: { id: string } }>(`${INVOICE}/pay`, async ({ params: { id } }, reply) => {
    if (await invoices.pay(id)) {
      relay.notify()
      return { paid: id }
    }
    const invoice = await invoices.find(id)
    if (invoice === undefined) return reply.code(404).send(UNKNOWN)
    return reply.code(409).send({ message: "It is paid." })
  })

  app.get<{ Params: { id: string } }>(`${INVOICE}/proof`, async ({ params: { id } }, reply) => {
    const invoice = await invoices.find(id)
    if (invoice === undefined) return reply.code(404).send(UNKNOWN)
    if (!invoice.paid) return reply.code(409).send({ message: "It is not paid: there is nothing to prove." })
    if (invoice.waits) return reply.code(202).send({ message: "Its event waits in the outbox." })
    const proven = await proofs.prove(id)
    return proven ?? reply.code(202).send({ message: "The log does not have it yet." })
  })

  // Without the audit log invoices are paid as ever. What only it can tell has to wait.
  app.setErrorHandler((error, _request, reply) => {
    const isAway = error instanceof CairnTimeoutError || error instanceof CairnConnectionError
    return isAway ? reply.code(503).send({ message: "The audit log does not answer." }) : reply.send(error)
  })

  // The token shows this company's events and nothing else. The API key never leaves the server.
  app.get("/viewer", async () => {
    const { token } = await cairn.viewerTokens.create({ tenant_id: COMPANY }, SOON)
    return { url: `${viewerUrl}/viewer?token=${token}` }
  })

  return app
}
