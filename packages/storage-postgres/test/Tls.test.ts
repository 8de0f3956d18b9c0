import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { PostgresClient, PostgresStorage, UnreadableCertificate } from "@cairn/storage-postgres"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Redacted } from "effect"

const folder = mkdtempSync(join(tmpdir(), "cairn-tls-"))

/** A certificate with its key. */
const pair = (name: string) => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`)
})
const { certificate, key } = pair("server")

/** A role that the server knows by a certificate, and by nothing else. */
const ROLE = "certified"
const client = pair("client")

const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** A certificate of its own authority, for a host or a role of this name. */
const makeCertificate = (name: string, { certificate, key }: ReturnType<typeof pair>) => {
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`].concat([
      "-addext",
      `subjectAltName=DNS:${name}`,
      "-keyout",
      key,
      "-out",
      certificate
    ]),
    { stdio: "ignore" }
  )
}

const listWorkspaces = (url: string) =>
  Effect.flatMap(ManagedWorkspaces, ({ list }) => list).pipe(
    Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })),
    Effect.exit,
    Effect.runPromise
  )

/** What the server says of the connection to itself that a URL makes. */
const connect = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [session] = yield* sql<{ readonly ssl: boolean; readonly role: string; readonly client: string }>`
      SELECT ssl, current_user::text AS role, coalesce(client_dn, '') AS client FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
    return session
  }).pipe(Effect.provide(PostgresClient.layer({ url: Redacted.make(url) })), Effect.exit, Effect.runPromise)

describe.skipIf(!hasOpenssl)(
  `TLS to PostgreSQL${hasOpenssl ? "" : " (skipped: there is no openssl)"}`,
  () => {
    let server: TestPostgres
    let url = ""
    beforeAll(async () => {
      makeCertificate("localhost", { certificate, key })
      makeCertificate(ROLE, client)
      chmodSync(folder, 0o755)
      chmodSync(key, 0o600)
      server = await startPostgres({
        settings: {
          ssl: "on",
          ssl_cert_file: certificate,
          ssl_key_file: key,
          ssl_ca_file: client.certificate
        },
        beforeStart: (dataFolder) => {
          const { uid, gid } = statSync(dataFolder)
          chownSync(key, uid, gid)
          const rules = join(dataFolder, "pg_hba.conf")
          writeFileSync(rules, `hostssl all ${ROLE} all cert\n${readFileSync(rules, "utf8")}`)
        }
      })
      url = await server.newDatabase()
      await server.query(url, `CREATE ROLE ${ROLE} LOGIN`)
    })
    afterAll(async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const isEncrypted = async () => {
      const rows = await server.query(
        url,
        "SELECT count(*)::int AS sessions FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE s.ssl AND a.application_name = 'cairn'"
      )
      return Number(rows[0]?.sessions) > 0
    }
    const withMode = (mode: string, more = "") => `${url}?sslmode=${mode}${more}`

    it("is used, with the certificate's authority from a file", async () => {
      const seen = Effect.flatMap(ManagedWorkspaces, ({ list }) =>
        Effect.andThen(list, Effect.promise(isEncrypted))
      )
      const secured = withMode("verify-ca", `&sslrootcert=${certificate}`)
      const encrypted = await Effect.runPromise(
        seen.pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(secured) })))
      )
      assert.isTrue(encrypted)
    })

    it("refuses a server whose authority is not known", async () => {
      assert.isTrue(Exit.isFailure(await listWorkspaces(withMode("require"))))
    })

    it("verify-full refuses a certificate for another host, and takes it for its own", async () => {
      const root = `&sslrootcert=${certificate}`
      assert.isTrue(Exit.isFailure(await listWorkspaces(withMode("verify-full", root))), "127.0.0.1")
      const byName = withMode("verify-full", root).replace("127.0.0.1", "localhost")
      assert.isTrue(Exit.isSuccess(await listWorkspaces(byName)), "localhost")
    })

    it("is as strict as verify-full where a URL names an authority and no mode", async () => {
      const named = `${url}?sslrootcert=${certificate}`
      assert.isTrue(Exit.isFailure(await connect(named)), "127.0.0.1")
      const session = await connect(named.replace("127.0.0.1", "localhost"))
      assert.deepInclude(Exit.isSuccess(session) ? session.value : undefined, { ssl: true })
      const off = await connect(`${named}&sslmode=disable`)
      assert.deepInclude(Exit.isSuccess(off) ? off.value : undefined, { ssl: false })
    })

    it("presents the client's certificate that a URL names, with a mode or without one", async () => {
      const byCertificate = new URL(url)
      byCertificate.username = ROLE
      byCertificate.password = ""
      byCertificate.hostname = "localhost"
      const own = `sslcert=${client.certificate}&sslkey=${client.key}`
      for (const parameters of [`sslmode=verify-full&${own}`, own]) {
        const session = await connect(`${byCertificate}?sslrootcert=${certificate}&${parameters}`)
        assert.deepStrictEqual(
          Exit.isSuccess(session) ? session.value : session,
          { ssl: true, role: ROLE, client: `/CN=${ROLE}` },
          parameters
        )
      }
      const without = await connect(`${byCertificate}?sslmode=verify-full&sslrootcert=${certificate}`)
      assert.isTrue(Exit.isFailure(without), "without a certificate")
    })

    it("refuses a server that is not known where a URL names a client's certificate and no mode", async () => {
      const byName = url.replace("127.0.0.1", "localhost")
      const session = await connect(`${byName}?sslcert=${client.certificate}&sslkey=${client.key}`)
      assert.isTrue(Exit.isFailure(session))
    })

    it("names the file of the URL that cannot be read", async () => {
      for (const parameter of ["sslrootcert", "sslcert", "sslkey"]) {
        for (const mode of ["sslmode=verify-full&", ""]) {
          const exit = await listWorkspaces(`${url}?${mode}${parameter}=/nowhere/file.pem`)
          const error = Exit.isFailure(exit)
            ? Option.getOrUndefined(Cause.findErrorOption(exit.cause))
            : undefined
          assert.instanceOf(error, UnreadableCertificate)
          assert.strictEqual(
            error.message,
            `${parameter} of the database's URL cannot be read: /nowhere/file.pem`
          )
        }
      }
    })
  }
)
