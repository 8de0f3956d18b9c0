/**
 * A real Next application, built and started with the package compiled as it is published: what is logged
 * deep in a call has its own request's context, in route handlers on Node and on the edge, after the answer
 * and in server actions.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { shellEnvironment } from "@cairn/testing/OldestNode"
import { assert, describe, it } from "@effect/vitest"
import { npmToolsOf, run } from "../../../server/test/contract/Tools.ts"
import { eventually } from "../../../server/test/support/Eventually.ts"

const packageFolder = fileURLToPath(new URL("../../", import.meta.url))
const tsc = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url))
const source = fileURLToPath(new URL("next/", import.meta.url))

interface Recorded {
  readonly action: string
  readonly actor_id: string
  readonly resource_name: string
  readonly ip_address?: string
  readonly tenant_id?: string
  readonly metadata: { readonly request_id: string; readonly password?: string }
}

/** Takes events as the service does. */
const service = async () => {
  const events: Array<Recorded> = []
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const part of request.setEncoding("utf8")) text += part
    const body: Recorded | { readonly events: ReadonlyArray<Recorded> } = JSON.parse(text)
    const isBatch = "events" in body
    const taken = isBatch ? body.events : [body]
    events.push(...taken)
    const items = taken.map((_, index) => ({ id: `id-${index}`, status: "queued" }))
    const batch = { accepted: items.length, duplicates: 0, rejected: 0, events: items }
    response.writeHead(202, { "content-type": "application/json" })
    response.end(JSON.stringify(isBatch ? batch : items[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { events, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The application in a folder of its own below the one that has Next. */
const built = async (next: string, folder: string, url: string) => {
  const published = join(folder, "node_modules/@cairn/client")
  const env = { NEXT_ROOT: next, NEXT_TELEMETRY_DISABLED: "1", CAIRN_URL: url }
  const program = join(next, "node_modules/next/dist/bin/next")
  await cp(source, folder, { recursive: true })
  await mkdir(published, { recursive: true })
  await cp(join(packageFolder, "package.json"), join(published, "package.json"))
  const config = join(published, "tsconfig.json")
  const compilerOptions = { rootDir: join(packageFolder, "src"), outDir: join(published, "dist") }
  const files = ["index.ts", "context/index.ts", "context/Next.ts"].map((file) =>
    join(packageFolder, "src", file)
  )
  const extended = join(packageFolder, "tsconfig.build.json")
  await writeFile(config, JSON.stringify({ extends: extended, compilerOptions, files, include: [] }))
  const compiling = [tsc, "-p", config]
  for (const args of [compiling, [program, "build"]]) {
    const { code, said } = await run(process.execPath, args, { cwd: folder, env })
    assert.strictEqual(code, 0, said)
  }
  return { folder, env, program }
}

const started = async ({ folder, env, program }: Awaited<ReturnType<typeof built>>) => {
  const args = [program, "start", "--port", "0", "--hostname", "127.0.0.1"]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...shellEnvironment, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
  }
  let said = ""
  for await (const part of child.stdout.setEncoding("utf8")) {
    said += part
    const [, url] = /Local: +(http:\S+)/.exec(said) ?? []
    if (url !== undefined && said.includes("Ready")) return { url, stop }
  }
  await stop()
  throw new Error(`Next did not start: ${said}`)
}

/** Requests at once, of each kind. */
const MANY = Array.from({ length: 100 }, (_, index) => index)

const headersOf = (index: number) => ({
  cookie: `user=user-${index}`,
  "x-request-id": `request-${index}`,
  // The left one was written by the client.
  "x-forwarded-for": `203.0.113.1, 198.51.100.${index}`
})

const post = async (url: string, index: number, body: string | FormData): Promise<void> => {
  const headers = { ...headersOf(index), origin: new URL(url).origin }
  const response = await fetch(url, { method: "POST", headers, body })
  assert.strictEqual(response.status, 200, `${url}: ${await response.text()}`)
}

/** A form without JavaScript: Next's name of the action is in a hidden field. */
const actionForm = async (url: string) => {
  const page = await (await fetch(url)).text()
  const [, name = ""] = /name="(\$ACTION_[^"]+)"/.exec(page) ?? []
  return (index: number) => {
    const form = new FormData()
    form.set(name, "")
    form.set("name", `action-${index}`)
    return form
  }
}

describe("middleware in a Next application", () => {
  it("keeps requests apart in route handlers, after the answer, on the edge and in actions", async ({
    skip
  }) => {
    const next = await npmToolsOf("next", fileURLToPath(new URL("tools/next/", import.meta.url)))
    if ("missing" in next) return skip(next.missing)
    const { events, server, url } = await service()
    const folder = await mkdtemp(join(next.folder, "application-"))
    try {
      const { url: site, stop } = await started(await built(next.folder, folder, url))
      try {
        const form = await actionForm(`${site}/action`)
        await Promise.all(
          MANY.flatMap((index) => [
            post(`${site}/invoices/node-${index}?tenant=tenant-${index}`, index, "{}"),
            post(`${site}/edge/edge-${index}`, index, "{}"),
            post(`${site}/action`, index, form(index))
          ])
        )
        await eventually("all events", () => (events.length >= 4 * MANY.length ? true : undefined))
      } finally {
        await stop()
      }
    } finally {
      server.close()
      server.closeAllConnections()
      await rm(folder, { recursive: true, force: true })
    }
    const expected = MANY.flatMap((index) => {
      const of = (action: string, kind: string, actor_id: string, tenant_id?: string) =>
        [action, `${kind}-${index}`, actor_id, tenant_id, `198.51.100.${index}`, `request-${index}`].join()
      return [
        of("invoice.paid", "node", `user-${index}`, `tenant-${index}`),
        of("invoice.sent", "node", `user-${index}`, `tenant-${index}`),
        of("invoice.paid", "edge", `user-${index}`),
        of("invoice.paid", "action", "grace")
      ]
    })
    const recorded = events.map(({ action, resource_name, actor_id, tenant_id, ip_address, metadata }) =>
      [action, resource_name, actor_id, tenant_id, ip_address, metadata.request_id].join()
    )
    assert.deepStrictEqual(recorded.sort(), expected.sort())
    assert.isFalse(JSON.stringify(events).includes("secret"))
  })
})
