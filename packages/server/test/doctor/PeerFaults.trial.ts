/** Faults of what the service talks to, each found by one check and by no other. */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { cityRecord, writeMmdb } from "../../../geo/test/MmdbWriter.ts"
import { startMailBox } from "../support/MailBox.ts"
import { inFile } from "./Planting.ts"
import {
  assertFound,
  assertHealthy,
  copyFiles,
  type Expected,
  examine,
  startPeer,
  useWard,
  type Variables
} from "./Ward.ts"

const ward = useWard()
const { root, original } = ward

const closing: Array<() => void> = []
afterAll(() => {
  for (const close of closing) close()
})

/** A web server that answers as it is told; returns its port. */
const serve = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  await once(server.listen(0, "127.0.0.1"), "listening")
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const LIST = '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'

/** An S3 store that answers each list with a status and a body. */
const store = async (status: number, body: string, headers: Record<string, string> = {}) => {
  const port = await serve((_, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.writeHead(status).end(body)
  })
  return `s3://AKIAKEYID:store-secret-key@bucket/x?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
}

const s3Error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`

/** A node of a chain, and what it says of itself. */
const node = async (chainId: number, balance: bigint): Promise<string> => {
  const port = await serve((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      if (chunks.length === 0) return response.end()
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
      const result = method === "eth_chainId" ? `0x${chainId.toString(16)}` : `0x${balance.toString(16)}`
      response.setHeader("content-type", "application/json")
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
    })
  })
  return `http://127.0.0.1:${port}/node-key-secret`
}

const anchoring = (url: string): Variables => ({
  CAIRN_ANCHOR_RPC_URL: url,
  CAIRN_ANCHOR_PRIVATE_KEY: "ab".repeat(32)
})

interface Fault extends Expected {
  readonly name: string
  readonly plant: (database: string) => Promise<Variables>
}

const NOWHERE = "http://127.0.0.1:1"

const FAULTS: ReadonlyArray<Fault> = [
  {
    name: "a mail server that is not there",
    plant: async () => ({ CAIRN_SMTP_URL: "smtp://127.0.0.1:1", CAIRN_MAIL_FROM: "cairn@example.com" }),
    check: "mail-server",
    cause: /refuses, or cannot be reached: .*ECONNREFUSED/,
    mend: /^correct host and port in CAIRN_SMTP_URL/
  },
  {
    name: "a mail server that refuses the login",
    plant: async () => {
      const box = await startMailBox({
        disabledCommands: [],
        secure: false,
        hideSTARTTLS: true,
        allowInsecureAuth: true,
        onAuth: (_, __, done) => done(new Error("no such user"))
      })
      const url = new URL(box.variables.CAIRN_SMTP_URL ?? "")
      return {
        CAIRN_SMTP_URL: `smtp://ada:mail-secret@127.0.0.1:${url.port}`,
        CAIRN_MAIL_FROM: "cairn@example.com"
      }
    },
    check: "mail-server",
    // With a user TLS is required, which this server does not have.
    cause: /refuses, or cannot be reached/,
    mend: /^correct (?:user and password|the scheme and the port) in CAIRN_SMTP_URL/
  },
  {
    name: "a store that is not there",
    plant: async () => ({
      CAIRN_EXPORT_STORE: `s3://AKIAKEYID:store-secret-key@bucket/x?endpoint=${encodeURIComponent(NOWHERE)}`
    }),
    check: "export-store",
    cause: /does not let its files be listed/,
    mend: /^correct &endpoint= in CAIRN_EXPORT_STORE, start the store/
  },
  {
    name: "a store that does not know the key",
    plant: async () => ({ CAIRN_EXPORT_STORE: await store(403, s3Error("InvalidAccessKeyId")) }),
    check: "export-store",
    cause: /S3 returned 403 InvalidAccessKeyId/,
    mend: /^correct key and secret in CAIRN_EXPORT_STORE/
  },
  {
    name: "a store without the bucket",
    plant: async () => ({ CAIRN_ARCHIVE_STORE: await store(404, s3Error("NoSuchBucket")) }),
    check: "archive-store",
    cause: /S3 returned 404 NoSuchBucket/,
    mend: /^make the bucket, or correct its name in CAIRN_ARCHIVE_STORE$/
  },
  {
    name: "a store of backups without the bucket",
    plant: async () => ({ CAIRN_BACKUP_STORE: await store(404, s3Error("NoSuchBucket")) }),
    check: "backup-store",
    cause: /S3 returned 404 NoSuchBucket/,
    mend: /^make the bucket, or correct its name in CAIRN_BACKUP_STORE$/
  },
  {
    name: "a clock that differs from a store's",
    plant: async () => ({
      CAIRN_EXPORT_STORE: await store(200, LIST, { date: new Date(Date.now() - 3_600_000).toUTCString() })
    }),
    check: "clock-services",
    cause: /clock of this machine is 3(?:600|601) seconds ahead of that of the store of exports/,
    mend: /timedatectl set-ntp true/
  },
  {
    name: "a node of another chain",
    plant: async () => anchoring(await node(1, 10n ** 18n)),
    check: "anchor-chain",
    cause: /the node of the chain cannot be used: a node is on chain 1 instead of 8453/,
    mend: /^let CAIRN_ANCHOR_RPC_URL name a node of that chain/
  },
  {
    name: "a node that is not there",
    plant: async () => anchoring(`${NOWHERE}/node-key-secret`),
    check: "anchor-chain",
    cause: /the node of the chain cannot be used/,
    mend: /^correct CAIRN_ANCHOR_RPC_URL, start the node/
  },
  {
    name: "one of two nodes that is not there",
    plant: async () => anchoring(`${NOWHERE}/node-key-secret,${await node(8_453, 10n ** 18n)}`),
    check: "anchor-chain",
    severity: "warning",
    cause: /node 1 of 2 of the chain cannot be used/,
    mend: /^correct CAIRN_ANCHOR_RPC_URL/
  },
  {
    name: "an account without funds",
    plant: async () => anchoring(await node(8_453, 0n)),
    check: "anchor-chain",
    cause: /^the anchoring account has 0 ETH left$/,
    mend: /^send some ETH on chain 8453/
  },
  {
    name: "an identity provider that is not there",
    plant: async () => ({ CAIRN_OIDC_ISSUER: NOWHERE, CAIRN_OIDC_CLIENT_ID: "cairn" }),
    check: "identity-provider",
    cause: /^nobody can sign in at the identity provider/,
    mend: /^correct CAIRN_OIDC_ISSUER/
  },
  {
    name: "a Redis that is not there",
    plant: async () => ({ CAIRN_REDIS_URL: "redis://:redis-secret@127.0.0.1:1" }),
    check: "redis",
    cause: /^Redis cannot be reached/,
    mend: /^correct CAIRN_REDIS_URL/
  },
  {
    name: "a file of places that is missing",
    plant: async () => ({ CAIRN_GEOIP_DB: "/nowhere/places.mmdb" }),
    check: "geoip",
    severity: "warning",
    cause: /^\/nowhere\/places\.mmdb is missing/,
    mend: /^let CAIRN_GEOIP_DB name/
  },
  {
    name: "a file of places that is none",
    plant: async (database) => {
      const file = join(dirname(database), "places.mmdb")
      writeFileSync(file, "no places here")
      return { CAIRN_GEOIP_DB: file }
    },
    check: "geoip",
    severity: "warning",
    cause: /places\.mmdb is no MaxMind database/,
    mend: /download it again$/
  },
  {
    name: "a file of places that is old",
    plant: async (database) => {
      const file = join(dirname(database), "old.mmdb")
      const build_epoch = Math.floor(Date.now() / 1_000) - 184 * 86_400
      writeFileSync(
        file,
        writeMmdb({ "1.2.3.0/24": cityRecord("DE", "Berlin") }, { metadata: { build_epoch } })
      )
      return { CAIRN_GEOIP_DB: file }
    },
    check: "geoip",
    severity: "warning",
    cause: /old\.mmdb is of \d{4}-\d\d-\d\d: addresses have moved since$/,
    mend: /^download a newer one to the same path/
  },
  {
    name: "a collector that is not there",
    plant: async () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: NOWHERE }),
    check: "otlp-collector",
    severity: "warning",
    cause: /^the collector of metrics and traces does not answer/,
    mend: /^correct OTEL_EXPORTER_OTLP_ENDPOINT/
  },
  {
    name: "a collector of traces that is not there, beside one of metrics that is",
    plant: async () => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: ward.peer.url,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${NOWHERE}/v1/traces`
    }),
    check: "otlp-collector",
    severity: "warning",
    cause: /^the collector of traces does not answer/,
    mend: /^correct OTEL_EXPORTER_OTLP_ENDPOINT/
  },
  {
    name: "a webhook whose receiver is gone",
    plant: async (database) => {
      inFile(database, `UPDATE webhook SET body = replace(body, '${ward.peer.url}', '${NOWHERE}')`)
      return {}
    },
    check: "webhooks",
    severity: "warning",
    cause: /^1 of the webhooks refuse a connection$/,
    mend: /open the way out of this machine/
  },
  {
    name: "a log stream whose destination is gone",
    plant: async (database) => {
      inFile(database, `UPDATE log_stream SET body = replace(body, '${ward.peer.url}', '${NOWHERE}')`)
      return {}
    },
    check: "log-streams",
    severity: "warning",
    cause: /^1 of the log streams refuse a connection$/,
    mend: /open the way out of this machine/
  },
  {
    name: "a webhook that leads to the machine itself, which it may not",
    plant: async (database) => {
      inFile(database, "DELETE FROM log_stream")
      return { CAIRN_OUTBOUND_ALLOW: "" }
    },
    check: "webhooks",
    severity: "warning",
    cause: /^1 of the webhooks lead to an address that is not public/,
    mend: /CAIRN_OUTBOUND_ALLOW/
  }
]

let copies = 0
const newCopy = (): string => copyFiles(original, join(root, `copy ${++copies}`))

describe("cairn doctor, of peers", () => {
  it("finds nothing where all of them answer, and sends them nothing", async () => {
    const box = await startMailBox()
    const collector = await startPeer()
    const requests = ward.peer.requests()
    assertHealthy(
      await examine({
        CAIRN_DATABASE_URL: `sqlite:${newCopy()}`,
        CAIRN_EXPORT_STORE: await store(200, LIST),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        ...anchoring(await node(8_453, 10n ** 18n)),
        ...box.variables
      })
    )
    assert.strictEqual(ward.peer.requests(), requests)
    assert.deepStrictEqual(box.delivered(), [])
    await collector.stop()
  })

  for (const { name, plant, ...expected } of FAULTS) {
    it(`finds ${name}`, async () => {
      const database = newCopy()
      const variables = await plant(database)
      const results = await examine({ CAIRN_DATABASE_URL: `sqlite:${database}`, ...variables })
      assertFound(results, expected)
      assert.notMatch(JSON.stringify(results), /node-key-secret|store-secret-key|redis-secret|mail-secret/)
    })
  }

  it("names a webhook by its id, apart from what is wrong with it", async () => {
    const database = newCopy()
    inFile(database, `UPDATE webhook SET body = replace(body, '${ward.peer.url}', '${NOWHERE}')`)
    const results = await examine({ CAIRN_DATABASE_URL: `sqlite:${database}` })
    const [finding] = results.find(({ id }) => id === "webhooks")?.findings ?? []
    assert.match(finding?.about.join() ?? "", /^whk_/)
    assert.notMatch(finding?.cause ?? "", /whk_|127\.0\.0\.1/)
  })

  it("connects to nothing that the guard refuses", async () => {
    const database = newCopy()
    let connections = 0
    const port = await serve((_, response) => response.end())
    const watch = createServer()
    watch.on("connection", () => connections++)
    await once(watch.listen(0, "127.0.0.1"), "listening")
    const address = watch.address()
    const inside = typeof address === "object" && address !== null ? address.port : port
    inFile(
      database,
      `UPDATE webhook SET body = replace(body, '${ward.peer.url}', 'http://localhost:${inside}')`
    )
    inFile(
      database,
      `UPDATE log_stream SET body = replace(body, '${ward.peer.url}', 'http://127.0.0.1:${inside}')`
    )
    const results = await examine({ CAIRN_DATABASE_URL: `sqlite:${database}`, CAIRN_OUTBOUND_ALLOW: "" })
    assert.deepStrictEqual(
      results.filter(({ status }) => status === "warning").map(({ id }) => id),
      ["webhooks", "log-streams"]
    )
    assert.strictEqual(connections, 0)
    watch.close()
  })

  it("compares the clock with a time server, when it is asked to", async () => {
    const database = newCopy()
    let aheadSeconds = 0
    const server = createSocket("udp4")
    server.on("message", (_, { port, address }) => {
      const answer = Buffer.alloc(48)
      answer[0] = 0x24
      answer.writeUInt32BE(Math.floor(Date.now() / 1_000) + 2_208_988_800 + aheadSeconds, 40)
      server.send(answer, port, address)
    })
    server.bind(0, "127.0.0.1")
    await once(server, "listening")
    const ntp = `127.0.0.1:${server.address().port}`
    const all = { CAIRN_DATABASE_URL: `sqlite:${database}` }
    assertHealthy(await examine(all, { ntp }))
    aheadSeconds = 600
    assertFound(await examine(all, { ntp }), {
      check: "clock-ntp",
      cause: /^the clock of this machine is (?:599|600) seconds behind that of the time server$/,
      mend: /timedatectl/
    })
    server.close()
    assertFound(await examine(all, { ntp: "127.0.0.1:9" }), {
      check: "clock-ntp",
      severity: "warning",
      cause: /the time server does not answer/,
      mend: /--ntp/
    })
  })
})
