/**
 * The files of `ops/proxy` in the proxies that they are for: what they pass on, and what they must not
 * change. Only ports, names and certificates are those of the trial.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { authority, certificate } from "../../../delivery/test/peers/Certificates.ts"
import { because, findTool, root } from "../../../testing/test/shipping/Tools.ts"
import { cairn, killLeftovers, type Server, startProgram, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const LONG_ENOUGH = 120_000
const EMBEDDER = "https://app.example.com"
/** The client that the workspace lets in, and one that it does not; the proxy is at 127.0.0.1. */
const [ALLOWED, OTHER] = ["127.0.0.5", "127.0.0.6"]

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

/** Where a proxy of the trial listens, for whom it works, and a folder for its files. */
interface Place {
  readonly folder: string
  readonly http: number
  readonly https: number
  readonly upstream: string
}

/** A proxy, how it is started, and the file with the authority that its certificate is of. */
interface Proxy {
  readonly name: string
  readonly command: ReadonlyArray<string> | undefined
  readonly start: (place: Place) => string
}

const config = (name: string) => readFileSync(join(root, "ops/proxy", name), "utf8")

const startNginx = ({ folder, http, https, upstream }: Place): string => {
  const { cert, key } = certificate(["localhost"])
  const authorityFile = join(folder, "authority.pem")
  for (const [file, text] of [
    ["cert.pem", cert],
    ["key.pem", key],
    ["authority.pem", authority]
  ] as const) {
    writeFileSync(join(folder, file), text)
  }
  const site = config("nginx.conf")
    .replaceAll(/listen 80;/g, `listen 127.0.0.1:${http};`)
    .replaceAll(/listen 443 /g, `listen 127.0.0.1:${https} `)
    .replaceAll("audit.example.com;", "localhost;")
    .replaceAll("127.0.0.1:8787", upstream)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${folder}/key.pem;`)
  const user = process.getuid?.() === 0 ? "user root;" : ""
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n")
  const file = join(folder, "nginx.conf")
  writeFileSync(
    file,
    `${user}\npid ${folder}/pid;\nerror_log ${folder}/error.log;\ndaemon off;\nevents {}\n` +
      `http {\naccess_log off;\n${paths}\n${site}\n}\n`
  )
  startProgram("nginx", ["-e", `${folder}/error.log`, "-p", folder, "-c", file])
  return authorityFile
}

const startCaddy = ({ folder, http, https, upstream }: Place): string => {
  const file = join(folder, "Caddyfile")
  const options = `{\n\thttp_port ${http}\n\thttps_port ${https}\n\tadmin off\n\tskip_install_trust\n}\n`
  writeFileSync(file, options + config("Caddyfile"))
  startProgram("caddy", ["run", "--adapter", "caddyfile", "--config", file], {
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    CAIRN_DOMAIN: "localhost",
    CAIRN_SERVERS: upstream
  })
  return join(folder, "caddy/pki/authorities/local/root.crt")
}

const PROXIES: ReadonlyArray<Proxy> = [
  { name: "nginx", command: findTool([["nginx"]], "-v"), start: startNginx },
  { name: "Caddy", command: findTool([["caddy"]]), start: startCaddy }
]

describe.each(PROXIES)("$name", ({ name, command, start }) => {
  killLeftovers()
  const home = temporaryFolder()
  const database = join(home, "cairn.db")
  let server: Server
  /** Where the server itself listens. */
  let direct = ""
  let https = 0
  let authorityFile = ""

  interface Asked {
    readonly method?: string
    readonly from?: string
    readonly headers?: Record<string, string>
    readonly body?: string
    /** Gives the answer as soon as its body has this. */
    readonly until?: string
  }
  /** Asks the proxy over TLS, and checks its certificate. */
  const ask = (path: string, { method = "GET", from = ALLOWED, headers = {}, body, until }: Asked = {}) =>
    new Promise<{
      readonly status: number
      readonly headers: NodeJS.Dict<string | string[]>
      readonly text: string
    }>((resolve, reject) => {
      const sent = request(
        {
          ...{ host: "127.0.0.1", port: https, servername: "localhost", path, method, localAddress: from },
          ca: readFileSync(authorityFile),
          headers: { Host: `localhost:${https}`, Authorization: `Bearer ${server.key}`, ...headers }
        },
        (answer) => {
          let text = ""
          const done = () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
          answer.setEncoding("utf8").on("data", (part: string) => {
            text += part
            if (until === undefined || !text.includes(until)) return
            done()
            sent.destroy()
          })
          answer.on("end", done)
        }
      )
      sent.on("error", reject)
      sent.end(body)
    })
  const JSON_TYPE = { "Content-Type": "application/json" }

  beforeAll(async () => {
    if (command === undefined) return
    const port = await freePort()
    direct = `http://127.0.0.1:${port}`
    https = await freePort()
    const variables = {
      CAIRN_PORT: String(port),
      CAIRN_TRUSTED_PROXIES: "127.0.0.1",
      CAIRN_BASE_URL: `https://localhost:${https}`,
      CAIRN_VIEWER_FRAME_ANCESTORS: EMBEDDER
    }
    server = await startServer({ database, variables, tenant: true })
    const updated = ["workspace", "update", server.workspaceId, "--allow", ALLOWED]
    const { code, stderr } = await cairn(updated, { database })
    assert.strictEqual(code, 0, stderr)
    const folder = join(home, name)
    mkdirSync(folder)
    authorityFile = start({ folder, http: await freePort(), https, upstream: new URL(direct).host })
    await eventually("the proxy is ready", async () => {
      const status = await ask("/readyz").then(
        (answer) => answer.status,
        () => 0
      )
      return status === 200 ? true : undefined
    })
  }, LONG_ENOUGH)

  afterAll(async () => void (await server?.stop()))

  const run = it.skipIf(command === undefined)
  const skipped = because(command, name)

  run(`tells the service its client's address, whatever the client says of it${skipped}`, async () => {
    const statuses = await Promise.all(
      [
        { from: ALLOWED },
        { from: ALLOWED, headers: { "X-Forwarded-For": OTHER } },
        { from: OTHER },
        { from: OTHER, headers: { "X-Forwarded-For": ALLOWED } }
      ].map(async (asked) => (await ask("/api/v1/events", asked)).status)
    )
    assert.deepStrictEqual(statuses, [200, 200, 403, 403])
  })

  run(`passes the longest batch on, and nothing that is longer than its limit${skipped}`, async () => {
    const post = (bytes: number) => {
      const body = '{"events":[{"actor_id":"ada","action":"invoice.paid"}]}'.padEnd(bytes)
      return ask("/api/v1/events/batch", { method: "POST", headers: JSON_TYPE, body })
    }
    const longest = await post(8 * 1024 * 1024)
    assert.strictEqual(longest.status, 202, longest.text.slice(0, 300))
    const tooLong = await post(10_000_000).catch(() => undefined)
    // A proxy may end the connection while it is still sent to.
    if (tooLong !== undefined) assert.strictEqual(tooLong.status, 413)
  })

  run(
    `hands on each server-sent event when it comes${skipped}`,
    async () => {
      const stream = ask("/api/v1/events/live", { until: '{"new":' })
      const sending = setInterval(() => {
        const body = '{"actor_id":"ada","action":"invoice.paid"}'
        void ask("/api/v1/events", { method: "POST", headers: JSON_TYPE, body }).catch(() => {})
      }, 500)
      try {
        const { status, headers, text } = await stream
        assert.strictEqual(status, 200)
        assert.include(headers["content-type"], "text/event-stream")
        assert.include(text, "event: count")
      } finally {
        clearInterval(sending)
      }
    },
    30_000
  )

  run(`changes nothing of who may put the viewer into a frame${skipped}`, async () => {
    const served = await fetch(`${direct}/viewer`)
    const proxied = await ask("/viewer")
    assert.include(served.headers.get("content-security-policy"), `frame-ancestors ${EMBEDDER}`)
    assert.strictEqual(
      proxied.headers["content-security-policy"],
      served.headers.get("content-security-policy")
    )
    assert.isUndefined(proxied.headers["x-frame-options"])
  })
})
