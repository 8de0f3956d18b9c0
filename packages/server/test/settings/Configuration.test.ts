import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfiguration } from "../../src/settings/Configuration.ts"
import { InvalidConfiguration } from "../../src/settings/SettingDeclaration.ts"
import { cairn } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const EX_CONFIG = 78

const wrong: ReadonlyArray<readonly [variable: string, value: string]> = [
  ["CAIRN_HOST", ""],
  ["CAIRN_HOST", "example.com"],
  ["CAIRN_HOST", "256.0.0.1"],
  ["CAIRN_PORT", ""],
  ["CAIRN_PORT", "65536"],
  ["CAIRN_PORT", "-1"],
  ["CAIRN_PORT", "80.5"],
  ["CAIRN_PORT", "0x50"],
  ["CAIRN_BASE_URL", "audit.example.com"],
  ["CAIRN_BASE_URL", "https://audit.example.com:99999"],
  ["CAIRN_BASE_URL", "ftp://audit.example.com"],
  ["CAIRN_BASE_URL", "https://audit.example.com/?a=b"],
  ["CAIRN_DATABASE_URL", ""],
  ["CAIRN_DATABASE_URL", "sqlite:"],
  ["CAIRN_DATABASE_URL", "mysql://localhost/cairn"],
  ["CAIRN_DATABASE_URL", "postgres://one,,two/cairn"],
  ["CAIRN_DATABASE_URL", "postgres://one,two/cairn?target_session_attrs=standby"],
  ["CAIRN_REDIS_URL", "localhost:6379"],
  ["CAIRN_TRUSTED_PROXIES", "10.0.0.0/33"],
  ["CAIRN_TRUSTED_PROXIES", "10.0.0.1, proxy"],
  ["CAIRN_SMTP_URL", "mail.example.com"],
  ["CAIRN_SMTP_URL", "http://mail.example.com"],
  ["CAIRN_MAIL_FROM", "nobody"],
  ["CAIRN_MAIL_FROM", "a@example.com, b@example.com"],
  ["CAIRN_OUTBOUND_ALLOW", "10.0.0.0/33"],
  ["CAIRN_OUTBOUND_ALLOW", "intranet"],
  ["CAIRN_OUTBOUND_HTTP", "yes"],
  ["CAIRN_LOG_LEVEL", "verbose"],
  ["CAIRN_INBOX_CAPACITY", "99"],
  ["CAIRN_INBOX_CAPACITY", "10000001"]
]

const right: ReadonlyArray<readonly [variable: string, value: string]> = [
  ["CAIRN_HOST", "::"],
  ["CAIRN_HOST", "localhost"],
  ["CAIRN_PORT", "0"],
  ["CAIRN_PORT", "65535"],
  ["CAIRN_BASE_URL", "https://audit.example.com/log/"],
  ["CAIRN_REDIS_URL", "rediss://:secret@redis.example.com:6380/1"],
  ["CAIRN_TRUSTED_PROXIES", " 10.0.0.0/8,192.0.2.1 ,2001:db8::/32,"],
  ["CAIRN_SECRET_KEY", Buffer.alloc(32, 3).toString("base64")],
  ["CAIRN_GEOIP_DB", "/data/v4.mmdb,/data/v6.mmdb"],
  ["CAIRN_MAIL_FROM", "Cairn <cairn@example.com>"],
  ["CAIRN_MAIL_FROM", "cairn@example.com"],
  ["CAIRN_OUTBOUND_ALLOW", "10.0.0.0/8, 192.0.2.1,fd00::/8"],
  ["CAIRN_OUTBOUND_HTTP", "true"],
  ["CAIRN_STREAM_FOLDER", "/var/log/cairn"],
  ["CAIRN_LOG_LEVEL", "none"],
  ["CAIRN_INBOX_CAPACITY", "100"],
  ["CAIRN_INBOX_CAPACITY", "10000000"]
]

const refusal = (variable: string, value: string) =>
  Effect.runSync(Effect.flip(readConfiguration({ [variable]: value })))

describe("a setting", () => {
  it.each(wrong)("%s=%j is refused by its name, its value and what is allowed", (variable, value) => {
    const error = refusal(variable, value)
    assert.instanceOf(error, InvalidConfiguration)
    assert.strictEqual(error.variable, variable)
    assert.strictEqual(error.value, value)
    assert.isNotEmpty(error.allowed)
    assert.strictEqual(error.message, `${variable} is ${JSON.stringify(value)}, but must be ${error.allowed}`)
  })

  it.each(right)("%s=%j is taken", (variable, value) => {
    Effect.runSync(readConfiguration({ [variable]: value }))
  })

  it("that is secret is not shown when it is refused, nor is a password in a URL", () => {
    assert.notInclude(refusal("CAIRN_SECRET_KEY", "too short").message, "too short")
    for (const password of ["hunter2", "a/hunter2", "hunter2@a", "a:hunter2"]) {
      const { message } = refusal("CAIRN_DATABASE_URL", `mysql://cairn:${password}@localhost/cairn`)
      assert.include(message, '"mysql://cairn:***@localhost/cairn"')
    }
    const { message } = refusal("CAIRN_BASE_URL", "https://ada:hunter2@audit.example.com")
    assert.include(message, 'CAIRN_BASE_URL is "https://ada:***@audit.example.com", but must be ')
  })

  it("for files is no URL that was mistyped, and shows nothing of its secret", async () => {
    const s3 = "KEYKEY:SECRETSECRET@bucket/prefix?region=eu&endpoint=http://127.0.0.1:1"
    for (const variable of ["CAIRN_BACKUP_STORE", "CAIRN_EXPORT_STORE", "CAIRN_ARCHIVE_STORE"]) {
      for (const beginning of [
        "s3//",
        "s3:/",
        "s3:",
        "S3//",
        "s3;//",
        "s3:\\\\",
        "/s3://",
        "//",
        "",
        "s4://",
        "s3///"
      ]) {
        const error = await Effect.runPromise(Effect.flip(readConfiguration({ [variable]: beginning + s3 })))
        assert.instanceOf(error, InvalidConfiguration)
        assert.strictEqual(error.variable, variable, beginning)
        assert.notInclude(error.message, "SECRETSECRET", beginning)
      }
      for (const beginning of ["s3//bucket", "s3:/bucket/x", "file:/srv/x", "https:/x"])
        assert.strictEqual(
          (await Effect.runPromise(Effect.flip(readConfiguration({ [variable]: beginning })))).variable,
          variable
        )
      for (const folder of ["/srv/exports", "exports", "./a/b", "../a//b", "/a@b/c", "a.b/c-d"])
        await Effect.runPromise(readConfiguration({ [variable]: folder }))
    }
  })

  it("for mail goes with its sender, and its password is not shown", () => {
    const url = "smtps://cairn:hunter2@mail.example.com"
    const lonely = Effect.runSync(Effect.flip(readConfiguration({ CAIRN_SMTP_URL: url })))
    assert.strictEqual(lonely.variable, "CAIRN_MAIL_FROM")
    const { outbound } = Effect.runSync(
      readConfiguration({ CAIRN_SMTP_URL: url, CAIRN_MAIL_FROM: "cairn@example.com" })
    )
    assert.deepStrictEqual(outbound.mail, { url, from: "cairn@example.com" })
    assert.notInclude(refusal("CAIRN_SMTP_URL", "http://cairn:hunter2@mail.example.com").message, "hunter2")
  })

  it("has its path and its addresses in the form that the program uses", () => {
    const { baseUrl, trustedProxies, geoipFiles } = Effect.runSync(
      readConfiguration({
        CAIRN_BASE_URL: "https://audit.example.com/log//",
        CAIRN_TRUSTED_PROXIES: " 10.0.0.0/8, 192.0.2.1 ,",
        CAIRN_GEOIP_DB: "a.mmdb, b.mmdb"
      })
    )
    assert.strictEqual(baseUrl, "https://audit.example.com/log")
    assert.strictEqual(trustedProxies.length, 2)
    assert.deepStrictEqual(geoipFiles, ["a.mmdb", "b.mmdb"])
  })
})

describe("the server with a wrong setting", () => {
  const folder = temporaryFolder()

  it("exits with 78 before it listens, and says why in one line", async () => {
    const { code, stdout, stderr } = await cairn(["serve"], {
      database: join(folder, "cairn.db"),
      variables: { CAIRN_PORT: "http" }
    })
    assert.strictEqual(code, EX_CONFIG)
    assert.strictEqual(stdout, "")
    assert.strictEqual(stderr, 'cairn: CAIRN_PORT is "http", but must be an integer from 0 to 65535\n')
  })
})
