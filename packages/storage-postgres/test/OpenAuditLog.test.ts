import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  AuditLogError,
  AuditLogUnavailable,
  openAuditLog,
  type PostgresAuditLogOptions
} from "@cairn/storage-postgres"
import { auditLogContract, killedProgram, verdictOf } from "@cairn/testing/AuditLogContract"
import { assert, describe, it } from "@effect/vitest"
import { sharedServer } from "./support.ts"

const server = sharedServer()
const databases = new Map<string, Promise<string>>()

/** The URL of a database of this name, or of a new one. */
const urlOf = (name?: string): Promise<string> => {
  const url = (name === undefined ? undefined : databases.get(name)) ?? server().newDatabase()
  if (name !== undefined) databases.set(name, url)
  return url
}

const secretKey = Buffer.alloc(32, 1).toString("base64")

auditLogContract("PostgreSQL", {
  open: async (name, options) => openAuditLog({ url: await urlOf(name), secretKey, ...options }),
  recordAndDie: async (name, events) =>
    killedProgram(new URL("RecordingProcess.ts", import.meta.url), await urlOf(name), String(events)),
  tamper: async (name, statements) => {
    await server().query(await urlOf(name), `SET session_replication_role = replica; ${statements}`)
  },
  verdict: verdictOf
})

const failure = async (promise: Promise<unknown>): Promise<AuditLogError> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => {
      assert.instanceOf(error, AuditLogError)
      return error
    }
  )

describe("openAuditLog on PostgreSQL", () => {
  it("needs a URL, and does not show it when it is wrong", async () => {
    for (const url of [undefined, "", "mysql://ada:hidden@host/x", "hidden"]) {
      const error = await failure(openAuditLog({ url } as PostgresAuditLogOptions))
      assert.strictEqual(error.code, "invalid_argument")
      assert.notInclude(error.message, "hidden")
    }
    for (const maxConnections of [1, 2.5, "4"]) {
      const options = { url: "postgres://localhost/x", maxConnections } as PostgresAuditLogOptions
      assert.strictEqual((await failure(openAuditLog(options))).code, "invalid_argument")
    }
  })

  it("names what is wrong with a URL of several servers", async () => {
    const error = await failure(
      openAuditLog({ url: "postgres://a:hidden@b,c/x?target_session_attrs=standby" })
    )
    assert.include(error.message, "target_session_attrs")
    assert.notInclude(error.message, "hidden")
  })

  it("rejects when nothing answers there", async () => {
    const error = await failure(openAuditLog({ url: "postgres://ada:hidden@127.0.0.1:1/x" }))
    assert.strictEqual(error.code, "storage_unavailable")
    assert.notInclude(error.message, "hidden")
  })

  it.each<readonly [string, (url: URL) => void]>([
    [
      "there is no such database",
      (url) => {
        url.pathname = "/nowhere"
      }
    ],
    [
      "there is no such role",
      (url) => {
        url.username = "nobody"
      }
    ],
    [
      "the password is wrong",
      (url) => {
        url.password = "hidden"
      }
    ]
  ])("says that the server refuses it when %s", async (_, change) => {
    const url = new URL(await urlOf("refused"))
    change(url)
    const error = await failure(openAuditLog({ url: url.href }))
    assert.strictEqual(error.code, "storage_refused", error.message)
    assert.notInstanceOf(error, AuditLogUnavailable)
    assert.notInclude(error.message, "hidden")
  })

  it("makes no evidence without a secret key", async () => {
    const log = await openAuditLog({ url: await urlOf() })
    const error = await failure(log.evidence(join(tmpdir(), "never.gz")))
    assert.strictEqual(error.code, "secret_key_needed")
    await log.close()
  })
})
