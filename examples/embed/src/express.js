import { InvalidArgument, openAuditLog } from "@cairn/storage-sqlite"
import express from "express"

const log = await openAuditLog({ file: process.env.AUDIT_DB ?? "data/audit.db" })
const app = express()
app.post("/projects/:id/rename", express.json(), async ({ params: { id }, headers, body }, response) => {
  const event = { action: "project.renamed", resource_id: id, metadata: { name: body?.name } }
  await log.record({ actor_id: headers["x-user"] || "anonymous", ...event })
  response.json(event)
})
app.get("/audit", async ({ query }, response) => response.json(await Array.fromAsync(log.events(query))))
app.get("/audit/verify", async (_, response) => response.json(await log.verify()))
app.use((error, _request, response, _next) => {
  const status = error instanceof InvalidArgument ? 422 : (error.status ?? 500)
  response.status(status).json({ error: status < 500 ? error.message : "try again later" })
})
const server = app.listen(process.env.PORT ?? 3000)
server.once("listening", () => console.log("port", server.address().port))
process.once("SIGTERM", () => server.close(() => log.close()))
