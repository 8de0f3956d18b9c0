import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Workspaces } from "@cairn/core"
import { PostgresStorage, UnreadableCertificate } from "@cairn/storage-postgres"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Redacted } from "effect"

const folder = mkdtempSync(join(tmpdir(), "cairn-tls-"))
const certificate = join(folder, "server.crt")
const key = join(folder, "server.key")

const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** A certificate of its own authority, for a host of this name. */
const makeCertificate = (host: string) => {
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${host}`].concat([
      "-addext",
      `subjectAltName=DNS:${host}`,
      "-keyout",
      key,
      "-out",
      certificate
    ]),
    { stdio: "ignore" }
  )
}

const listWorkspaces = (url: string) =>
  Effect.flatMap(Workspaces, ({ list }) => list).pipe(
    Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })),
    Effect.exit,
    Effect.runPromise
  )

describe.skipIf(!hasOpenssl)(
  `TLS to PostgreSQL${hasOpenssl ? "" : " (skipped: there is no openssl)"}`,
  () => {
    let server: TestPostgres
    let url = ""
    beforeAll(async () => {
      makeCertificate("localhost")
      chmodSync(folder, 0o755)
      chmodSync(key, 0o600)
      server = await startPostgres({
        settings: { ssl: "on", ssl_cert_file: certificate, ssl_key_file: key },
        beforeStart: (dataFolder) => {
          const { uid, gid } = statSync(dataFolder)
          chownSync(key, uid, gid)
        }
      })
      url = await server.newDatabase()
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
      const seen = Effect.flatMap(Workspaces, ({ list }) => Effect.andThen(list, Effect.promise(isEncrypted)))
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

    it("names the file of the URL that cannot be read", async () => {
      const exit = await listWorkspaces(withMode("verify-full", "&sslrootcert=/nowhere/ca.pem"))
      const error = Exit.isFailure(exit)
        ? Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        : undefined
      assert.instanceOf(error, UnreadableCertificate)
      assert.include(String(error), "sslrootcert")
    })
  }
)
