import { InvalidArgument, openAuditLog } from "@cairn/storage-sqlite"
import fastify from "fastify"

const log = await openAuditLog({ file: process.env.AUDIT_DB ?? "data/audit.db" })
const app = fastify()
app.post("/projects/:id/rename", async ({ params: { id }, headers, body }) => {
  const event = { action: "project.renamed", resource_id: id, metadata: { name: body?.name } }
  await log.record({ actor_id: headers["x-user"] || "anonymous", ...event })
  return event
})
app.get("/audit", ({ query }) => Array.fromAsync(log.events(query)))
app.get("/audit/verify", () => log.verify())
app.setErrorHandler((error, _request, reply) => {
  const status = error instanceof InvalidArgument ? 422 : (error.statusCode ?? 500)
  reply.status(status).send({ error: status < 500 ? error.message : "try again later" })
})
app.addHook("onClose", () => log.close())
console.log(await app.listen({ port: Number(process.env.PORT ?? 3000) }))
process.once("SIGTERM", () => app.close())
