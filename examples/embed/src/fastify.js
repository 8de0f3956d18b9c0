import { openAuditLog } from "@cairn/storage-sqlite"
import fastify from "fastify"

const log = await openAuditLog({ file: process.env.AUDIT_DB ?? "data/audit.db" })
const app = fastify({ logger: true })
app.post("/projects/:id/rename", ({ params: { id }, headers, body }) => {
  const event = { action: "project.renamed", resource_id: id, metadata: { name: body?.name } }
  return log.record({ actor_id: headers["x-user"] || "anonymous", ...event })
})
app.get("/audit", ({ query }) => Array.fromAsync(log.events({ ...query, limit: 100 })))
app.get("/audit/verify", () => log.verify())
app.setErrorHandler((error, request, reply) => {
  const status = { invalid_argument: 422, storage_unavailable: 503 }[error.code] ?? error.statusCode ?? 500
  if (status >= 500) request.log.error(error)
  reply.status(status).send({ error: status < 500 ? error.message : "try again later" })
})
app.addHook("onClose", () => log.close())
await app.listen({ port: Number(process.env.PORT ?? 3000) })
process.once("SIGTERM", () => app.close())
