/** The limit of row 1: `node:http` that parses the same JSON and returns 202, and does nothing else. */
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

const self = fileURLToPath(import.meta.url)

/** Starts it in a process of its own. */
export const startBareServer = async () => {
  const child = spawn(process.execPath, [self, "serve"])
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()))
  )
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0, stop: () => child.kill() }
}

if (process.argv[1] === self && process.argv[2] === "serve") {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString())
      response.writeHead(202, { "Content-Type": "application/json" })
      response.end('{"id":"00000000-0000-4000-8000-000000000000","status":"queued"}')
    })
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`)
  })
}
