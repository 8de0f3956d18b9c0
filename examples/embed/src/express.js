import { openAuditLog } from "@cairn/storage-sqlite"
import express from "express"

const log = await openAuditLog({ file: process.env.AUDIT_DB ?? "data/audit.db" })
const app = express()
app.post("/projects/:id/rename", express.json(), async ({ params: { id }, headers, body }, response) => {
  const event = { action: "project.renamed", resource_id: id, metadata: { name: body?.name } }
  response.json(await log.record({ actor_id: headers["x-user"] || "anonymous", ...event }))
})
const newest = (query) => Array.fromAsync(log.events({ ...query, limit: 100 }))
app.get("/audit", async ({ query }, response) => response.json(await newest(query)))
app.get("/audit/verify", async (_, response) => response.json(await log.verify()))
app.use((error, _request, response, _next) => {
  const status = { invalid_argument: 422, storage_unavailable: 503 }[error.code] ?? error.status ?? 500
  if (status >= 500) console.error(error)
  response.status(status).json({ error: status < 500 ? error.message : "try again later" })
})
const server = app.listen(process.env.PORT ?? 3000).once("listening", () => console.log(server.address()))
process.once("SIGTERM", () => server.close(() => log.close()))
