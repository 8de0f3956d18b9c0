/** What may leave the machine: nothing that `cairn doctor` says and no file of a bundle holds a secret. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { secretKeyFile } from "@cairn/storage-sqlite"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Setting } from "../../src/settings/SettingDeclaration.ts"
import { SETTINGS } from "../../src/settings/Settings.ts"
import { cairn, killLeftovers, startServer, type Tenant } from "../support/CairnProcess.ts"
import { fillDatabase, newFolder, startPeer } from "./Ward.ts"

killLeftovers()

const root = newFolder()
let peer: Awaited<ReturnType<typeof startPeer>>
beforeAll(async () => {
  peer = await startPeer()
})
afterAll(async () => {
  await peer.stop()
  rmSync(root, { recursive: true, force: true })
})

/** A secret in every setting that may hold one; nothing is there where they lead to. */
const SECRETS: Readonly<Record<string, string>> = {
  CAIRN_METRICS_TOKEN: "metrics-token-SECRETSECRET",
  CAIRN_REDIS_URL: "redis://someone:redis-SECRETSECRET@127.0.0.1:1",
  CAIRN_SMTP_URL: "smtp://someone:smtp-SECRETSECRET@127.0.0.1:1",
  CAIRN_MAIL_FROM: "Someone <someone-SECRETSECRET@customer.example>",
  CAIRN_ANCHOR_RPC_URL: "http://127.0.0.1:1/rpc-SECRETSECRET,http://u:rpc2-SECRETSECRET@127.0.0.1:1/",
  CAIRN_ANCHOR_PRIVATE_KEY: "5ec2e75ec2e7".padEnd(64, "5ec2e7"),
  CAIRN_EXPORT_STORE: "s3://KEYID:s3%2FSECRETSECRET@bucket/x?endpoint=http%3A%2F%2F127.0.0.1%3A1",
  CAIRN_ARCHIVE_STORE: "s3://KEYID:archive-SECRETSECRET@bucket/x?endpoint=http%3A%2F%2F127.0.0.1%3A1",
  CAIRN_OIDC_ISSUER: "http://127.0.0.1:1",
  CAIRN_OIDC_CLIENT_ID: "cairn",
  CAIRN_OIDC_CLIENT_SECRET: "oidc-SECRETSECRET",
  CAIRN_OIDC_ROLES: "group:PEOPLEPEOPLE=owner@wsp_01900000000070008000000000000000",
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://someone:otlp-SECRETSECRET@127.0.0.1:1",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20otlp2-SECRETSECRET"
}

const QUIET = { CAIRN_PORT: "0", CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8", CAIRN_OUTBOUND_HTTP: "true" }

const LEAKS = /SECRETSECRET|5ec2e75ec2e7|only for tests|only%20for%20tests|stream-token-secret/i

/** Nothing of a customer. */
const assertAnonymous = (text: string, { workspaceId, keyId, key }: Tenant): void => {
  for (const own of [
    workspaceId,
    keyId,
    key,
    "Acme",
    "Confidential",
    "ada",
    "customer.example",
    "/hook",
    "invoice"
  ])
    assert.notMatch(text, new RegExp(`(?<![a-z])${own}(?![a-z])`, "i"))
  assert.notMatch(text, /\b(?:whk|str|wsp|evt|key)_[0-9a-f]{8}/)
}

const unpack = (file: string): Readonly<Record<string, string>> => {
  const names = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n")
  return Object.fromEntries(
    names.map((name) => [name, execFileSync("tar", ["-xzOf", file, name], { encoding: "utf8" })])
  )
}

const FILES = [
  "README.txt",
  "doctor.json",
  "machine.json",
  "settings.json",
  "database.json",
  "metrics.txt",
  "log.txt"
]

describe("cairn support-bundle", () => {
  it("tells of a running server what helps, and nothing of a customer", async () => {
    const database = join(root, "running", "cairn.db")
    const tenant = await fillDatabase(database, peer.url)
    // Answers as the port of a server that also writes its log to a file.
    const log = join(root, "server.log")
    const token = "metrics-token-of-the-test"
    const server = await startServer({ database, variables: { ...QUIET, CAIRN_METRICS_TOKEN: token } })
    writeFileSync(
      log,
      `${server.stderr()}${JSON.stringify({ message: `The log stream str_0190000000007000 of "Acme" began to fail: http://10.1.2.3/ada ada@customer.example`, level: "WARN", timestamp: "2026-01-01T00:00:00Z", annotations: { workspace: tenant.workspaceId } })}\nno JSON: ${tenant.key}\n`
    )
    const file = join(root, "bundle.tar.gz")
    const variables = {
      ...QUIET,
      CAIRN_METRICS_TOKEN: token,
      CAIRN_PORT: new URL(server.baseUrl).port,
      CAIRN_MAIL_FROM: "ada@customer.example"
    }
    const written = await cairn(["support-bundle", file, "--log", log], { database, variables })
    assert.strictEqual(written.code, 0, written.stderr)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    const files = unpack(file)
    assert.deepStrictEqual(Object.keys(files), FILES)
    for (const name of FILES.slice(1)) assert.include(files["README.txt"], `${name}: `)
    assert.match(execFileSync("tar", ["-tvzf", file], { encoding: "utf8" }), /^-rw------- 0\/0 +\d+ 20\d\d-/)

    assert.match(files["metrics.txt"] ?? "", /^cairn_events_accepted|^cairn_/m)
    const { counts, files: parts } = JSON.parse(files["database.json"] ?? "")
    assert.deepInclude(counts, { workspace: 1, webhook: 1, log_stream: 1, checkpoint: 1 })
    const event = parts[0].tables.find(({ name }: { name: string }) => name === "event")
    assert.isAtLeast(event.rows, 1_100)
    const checks = JSON.parse(files["doctor.json"] ?? "")
    assert.deepInclude(
      checks.find(({ id }: { id: string }) => id === "webhooks"),
      { status: "ok" }
    )
    const [first, ...lines] = (files["log.txt"] ?? "").trim().split("\n")
    assert.match(first ?? "", /^# \d+ lines, \d+ of the newest 2000 are included$/)
    assert.include(
      lines.at(-1) ?? "",
      'The log stream str_(id) of \\"(text)\\" began to fail: http://(address)'
    )
    const settings: ReadonlyArray<Record<string, string>> = JSON.parse(files["settings.json"] ?? "")
    assert.deepInclude(settings, { name: "CAIRN_METRICS_TOKEN", source: "environment", value: "set" })
    assert.deepInclude(settings, { name: "CAIRN_DRAIN_SECONDS", source: "environment", value: "0" })
    for (const [name, text] of Object.entries(files)) {
      assertAnonymous(text, tenant)
      assert.notInclude(text, token, name)
      assert.notInclude(text, readFileSync(secretKeyFile(database), "utf8").trim(), name)
    }

    const again = await cairn(["support-bundle", file], { database, variables })
    assert.strictEqual(again.code, 2)
    assert.match(again.stderr, /exists already; a support bundle never overwrites anything/)
    const nowhere = await cairn(["support-bundle", join(root, "nowhere", "x.tar.gz")], {
      database,
      variables
    })
    assert.strictEqual(nowhere.code, 4)
    assert.deepStrictEqual(
      readdirSync(root).filter((name) => name.includes("bundle")),
      ["bundle.tar.gz"]
    )
    await server.stop()
  })

  it("is written where the settings are wrong and the database is not there", async () => {
    const file = join(root, "wrong.tar.gz")
    const { code, stderr } = await cairn(["support-bundle", file], {
      database: "mysql://someone:mysql-SECRETSECRET@host/db",
      variables: { ...QUIET, CAIRN_DRAIN_SECONDS: "x" }
    })
    assert.strictEqual(code, 0, stderr)
    const files = unpack(file)
    assert.match(files["doctor.json"] ?? "", /CAIRN_DRAIN_SECONDS is/)
    assert.match(files["database.json"] ?? "", /^# Not there: there is no database yet/)
    for (const text of Object.values(files)) assert.notMatch(text, LEAKS)
  })
})

describe("a mark", () => {
  /** Settings whose paths errors of the system name: see the README of a bundle. */
  const PATHS = ["CAIRN_BACKUP_FOLDER", "CAIRN_DATABASE_URL", "CAIRN_GEOIP_DB", "CAIRN_SETUP_FILE"]

  /** Values that settings take, with a mark in them; others take no text of one's own. */
  const MARKED: Readonly<Record<string, string>> = {
    ...SECRETS,
    CAIRN_BASE_URL: "https://base-MARKMARK.example",
    CAIRN_LOG_ORIGIN: "MARKMARK.example/log",
    CAIRN_VIEWER_FRAME_ANCESTORS: "https://markmark.example",
    CAIRN_OIDC_NAME: "Name MARKMARK",
    CAIRN_OIDC_CLIENT_ID: "client-MARKMARK",
    CAIRN_OIDC_SCOPES: "openid MARKMARK",
    CAIRN_OIDC_GROUPS_CLAIM: "claim_MARKMARK",
    CAIRN_OIDC_ROLES: "group:MARKMARK=owner@wsp_01900000000070008000000000000000",
    OTEL_SERVICE_NAME: "service-MARKMARK",
    OTEL_RESOURCE_ATTRIBUTES: "customer=MARKMARK,other=value-MARKMARK"
  }

  const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)
  const all = (value: (setting: Setting<unknown>) => string | undefined) =>
    Object.fromEntries(
      settings.flatMap((setting) => {
        const text = setting.name === "CAIRN_DATABASE_URL" ? undefined : value(setting)
        return text === undefined ? [] : [[setting.name, text]]
      })
    )

  it("in any setting is not in the bundle, whether the setting takes it or not", async () => {
    const database = join(root, "marked", "cairn.db")
    for (const [name, variables] of [
      ["wrong", all(({ name }) => (PATHS.includes(name) ? undefined : `MARKMARK-${name}`))],
      [
        "url",
        all(({ name }) => (PATHS.includes(name) ? undefined : `x://markmark:MARKMARK@markmark/markmark`))
      ],
      ["valid", all(({ name }) => MARKED[name])]
    ] as const) {
      const file = join(root, `marked-${name}.tar.gz`)
      const written = await cairn(["support-bundle", file], {
        database,
        variables: { ...QUIET, ...variables }
      })
      assert.strictEqual(written.code, 0, written.stderr)
      for (const [part, text] of Object.entries(unpack(file))) {
        // Names of people and of the service stand in no cause either.
        assert.notMatch(text, /MARKMARK|SECRETSECRET/i, `${name}: ${part}`)
      }
    }
    const told: ReadonlyArray<Record<string, string>> = JSON.parse(
      unpack(join(root, "marked-valid.tar.gz"))["settings.json"] ?? ""
    )
    for (const name of [
      "CAIRN_OIDC_NAME",
      "CAIRN_OIDC_CLIENT_ID",
      "OTEL_SERVICE_NAME",
      "OTEL_RESOURCE_ATTRIBUTES"
    ]) {
      assert.deepInclude(told, { name, source: "environment", value: "set" })
    }
  })

  it("in a line of a log is not in the bundle, whatever it looks like", async () => {
    const file = join(root, "marked-log.tar.gz")
    const log = join(root, "marked.log")
    const line = { message: "ready", level: "INFO", timestamp: "2026-01-01T00:00:00.123456Z" }
    const base64 = Buffer.from("MARKMARK of a secret, long enough").toString("base64")
    const lines = [
      line,
      ...[
        `eyJhbGciOiJIUzI1NiJ9.${base64}.${base64}`,
        `Authorization: Bearer MARKMARK`,
        `amqp://u:MARKMARK@host/x is away`,
        `-----BEGIN PRIVATE KEY-----\nMARKMARK\n-----END PRIVATE KEY-----`,
        base64,
        Buffer.from("MARKMARK of a secret").toString("hex"),
        `password=MARKMARK`,
        `"MARKMARK"`,
        `markmark@customer.example`
      ].map((message) => ({ ...line, message })),
      { ...line, level: "MARKMARK" },
      { ...line, timestamp: "MARKMARK" },
      { ...line, annotations: { name: "MARKMARK" }, MARKMARK: 1 }
    ]
    writeFileSync(log, `${lines.map((one) => JSON.stringify(one)).join("\n")}\nMARKMARK\n`)
    const database = join(root, "marked", "cairn.db")
    const written = await cairn(["support-bundle", file, "--log", log], { database, variables: QUIET })
    assert.strictEqual(written.code, 0, written.stderr)
    const text = unpack(file)["log.txt"] ?? ""
    assert.match(text, /^# 14 lines, 11 of the newest 2000 are included$/m)
    assert.include(text, JSON.stringify({ timestamp: line.timestamp, level: "INFO", message: "ready" }))
    assert.notMatch(text, /MARKMARK/i)
    for (const secret of [base64, base64.slice(0, 12), Buffer.from("MARKMARK").toString("hex")])
      assert.notInclude(text, secret)
  })
})

describe("secrets", () => {
  const texts = async (name: string, database: string, variables: Record<string, string>) => {
    const inFiles = Object.keys(variables).map((variable) => variable.replace(/_FILE$/, ""))
    const secrets = Object.entries(SECRETS).filter(([variable]) => !inFiles.includes(variable))
    const all = { ...QUIET, ...Object.fromEntries(secrets), ...variables }
    const file = join(root, `${name}.tar.gz`)
    const [text, json, bundle] = await Promise.all([
      cairn(["doctor", "--all"], { database, variables: all }),
      cairn(["doctor", "--json"], { database, variables: all }),
      cairn(["support-bundle", file], { database, variables: all })
    ])
    assert.deepStrictEqual([text.code, json.code, bundle.code], [1, 1, 0], bundle.stderr)
    // Each that leads nowhere is found.
    for (const id of [
      "mail-server",
      "redis",
      "anchor-chain",
      "export-store",
      "archive-store",
      "identity-provider"
    ])
      assert.include(text.stdout, `(${id}):`)
    const said = [text, json, bundle].flatMap(({ stdout, stderr }) => [stdout, stderr])
    const files = Object.values(unpack(file))
    // The operator may see whom a wrong setting names; a maintainer does not.
    for (const part of files) assert.notMatch(part, /PEOPLEPEOPLE|someone-/)
    return [...said, ...files]
  }

  it("are in nothing that is said on SQLite, also where they are in files", async () => {
    const database = join(root, "secrets", "cairn.db")
    await fillDatabase(database, peer.url)
    const file = join(root, "token")
    writeFileSync(file, `${SECRETS.CAIRN_OIDC_CLIENT_SECRET}\n`, { mode: 0o600 })
    const key = readFileSync(secretKeyFile(database), "utf8").trim()
    for (const text of await texts("sqlite", database, { CAIRN_OIDC_CLIENT_SECRET_FILE: file })) {
      assert.notMatch(text, LEAKS)
      assert.notInclude(text, key)
    }
  })

  it("are in nothing that is said of a peer that repeats them", async () => {
    const database = join(root, "secrets", "cairn.db")
    const echo = createServer((request, response) => {
      const { url, headers } = request
      response
        .writeHead(403, "s3/SECRETSECRET")
        .end(`<Error><Code>${url} ${JSON.stringify(headers)}</Code></Error>`)
    })
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve))
    const address = echo.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const repeated = Object.fromEntries(
      Object.entries(SECRETS).map(([name, value]) => [
        name,
        /REDIS|SMTP/.test(name)
          ? value
          : value
              .replaceAll("127.0.0.1:1", `127.0.0.1:${port}`)
              .replaceAll("127.0.0.1%3A1", `127.0.0.1%3A${port}`)
      ])
    )
    for (const text of await texts("echo", database, repeated)) assert.notMatch(text, LEAKS, text)
    echo.closeAllConnections()
    echo.close()
  })

  describe("on PostgreSQL", () => {
    let postgres: TestPostgres
    beforeAll(async () => {
      postgres = await startPostgres()
    })
    afterAll(() => postgres.stop())

    it("are in nothing that is said", async () => {
      const url = await postgres.newDatabase()
      const tenant = await fillDatabase(url, peer.url)
      const key = Buffer.alloc(32, 1).toString("base64")
      for (const text of await texts("postgres", url, {})) {
        assert.notMatch(text, LEAKS)
        assert.notInclude(text, key)
      }
      const { tables, counts } = JSON.parse(unpack(join(root, "postgres.tar.gz"))["database.json"] ?? "")
      assert.deepInclude(counts, { workspace: 1, webhook: 1 })
      assert.isAbove(tables.find(({ name }: { name: string }) => name === "event").bytes, 100_000)
      for (const text of Object.values(unpack(join(root, "postgres.tar.gz")))) assertAnonymous(text, tenant)
    })

    it("finds a clock that differs from the database's", async () => {
      const url = await postgres.newDatabase()
      assert.strictEqual((await cairn(["migrate"], { database: url })).code, 0)
      const file = join(root, "shift")
      writeFileSync(file, "120")
      const { stdout } = await cairn(["doctor"], {
        database: url,
        variables: {
          ...QUIET,
          TEST_CLOCK_FILE: file,
          NODE_OPTIONS: `--import=${new URL("../support/ShiftedClock.mjs", import.meta.url).href}`
        }
      })
      assert.match(
        stdout,
        /^ERROR {2}Clock and database \(clock-database\): the clock of this machine is (?:119|120|121) seconds ahead of that of the database$/m
      )
      assert.match(stdout, /^1 check has found an error, 0 a reason for a warning/m)
    })
  })
})
