import { assert, describe, it } from "@effect/vitest"
import { anonymous, anonymousLine } from "../../src/doctor/support/Anonymous.ts"

describe("a text without what belongs to a customer", () => {
  it("has no ids, addresses of mails and machines, and nothing quoted", () => {
    for (const [text, expected] of [
      ["wsp_01900000000070008000 is closed", "wsp_(id) is closed"],
      ["key 0190aaaa-0000-7000-8000-0123456789ab", "key (id)"],
      ["to <ada@customer.example>: ada.l+x@a.b.example.", "to <(address)>: (address)"],
      ["postgres://cairn@one:5432,two:5432/cairn is away", "postgres://(address) is away"],
      ["at 10.1.2.3, 127.0.0.1 and fe80::1", "at (address), 127.0.0.1 and (address)"],
      ["the index event_created_at is missing", "the index event_created_at is missing"],
      ["a@b and @cairn/core", "a@b and @cairn/core"],
      ["connect ECONNREFUSED ::1:6379", "connect ECONNREFUSED (address)"],
      ["from [2001:db8::5]:5432 to 2001:db8::5.", "from [(address)]:5432 to (address)."],
      ["at fe80::1%eth0, fe80::1%br-1a2b:53", "at (address), (address):53"],
      ["::ffff:10.1.2.3 and ::FFFF:127.0.0.1", "(address) and (address)"],
      ["2001:db8:0:0:0:0:0:5 2001:db8:0:0:0:0:0:5:5432", "(address) (address):5432"],
      ["peer:2001:db8::5/64, ip=fe80::", "peer:(address)/64, ip=(address)"],
      ["fe80::1-fe80::5 02:42:ac:11:00:02", "(address)-(address) (address)"],
      ["at 12:34:56 on ::", "at 12:34:56 on ::"],
      ["error:0A000086:SSL routines::certificate", "error:0A000086:SSL routines::certificate"],
      ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]
    ] as const) {
      assert.strictEqual(anonymous(text), expected)
    }
    assert.strictEqual(anonymousLine('of "Ac\\"me" began, “Ada”'), 'of "(text)" began, "(text)"')
    // What is quoted may have been cut off.
    assert.strictEqual(anonymousLine('of "Acme has begun'), 'of "(text)"')
  })

  it("has nothing that looks like a secret, and the names of errors, files and indexes", () => {
    const base64 = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k="
    for (const secret of [
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dGVzdA",
      "eyJhbGciOiJub25lIn0.e30.",
      base64,
      base64.replaceAll("=", ""),
      "q83v-SNFZ4mrze8_I0VniavN7wEjRWeJq83v",
      "q83v/SNFZ4mrze8+I0VniavN7wEjRWeJq83v",
      "0123456789abcdef0123456789abcdef",
      "AKIAIOSFODNN7EXAMPLE",
      "xoxb-1234567890-abcDEF123ghi",
      "-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----\nMC4C\ncut off"
    ]) {
      for (const line of [secret, `it is ${secret}`, `at=${secret}`, `{${secret}}`, `(${secret})`]) {
        const told = anonymousLine(line)
        assert.include(told, "(secret)", line)
        for (const part of secret.split(/[-\s.=]+/).filter((text) => text.length > 3 && /[^A-Z]/.test(text)))
          assert.notInclude(told, part, line)
      }
    }
    for (const [text, expected] of [
      ["authorization: Bearer abc.def", "authorization: Bearer (secret)"],
      ["Authorization: basic YTpi, then", "Authorization: basic (secret), then"],
      ["token=abc&password: abc; api_key abc", "token=(secret)&password: (secret); api_key abc"],
      ["Authorization: Token abc1, then", "Authorization: Token (secret), then"],
      ["pass=abc pwd: abc; passphrase = abc", "pass=(secret) pwd: (secret); passphrase = (secret)"],
      ["private_key=abc, access-key: abc", "private_key=(secret), access-key: (secret)"],
      ["Cookie: cairn_session=abc; a?sig=abc", "Cookie: (secret); a?sig=(secret)"],
      ["for cairn:abc@localhost:5432/cairn at", "for (secret) at"],
      ["mongodb+srv://u:p@host/x?y=z is away", "mongodb+srv://(address) is away"],
      ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE"],
      ["CAIRN_DATABASE_WAIT_SECONDS is wrong", "CAIRN_DATABASE_WAIT_SECONDS is wrong"],
      ["event_workspace_occurred_at_2026", "event_workspace_occurred_at_2026"],
      ["/var/lib/cairn/data/cairn-search.db-wal", "/var/lib/cairn/data/cairn-search.db-wal"],
      ["node:internal/modules/packageJsonReader", "node:internal/modules/packageJsonReader"]
    ] as const) {
      assert.strictEqual(anonymousLine(text), expected)
    }
  })

  it("is made in time that grows with its length, and no faster", () => {
    // Of the processor: others may have it for a while.
    const began = process.cpuUsage()
    for (const part of [
      "a@",
      '\\"',
      "“",
      "key_00000000",
      "0190aaaa-",
      "1.",
      "a:",
      "::",
      "a%",
      "0:::::::",
      "Bearer ",
      "bearer",
      "eyJ.",
      "token= ",
      "token",
      "-----BEGIN ",
      "-----BEGIN A-----",
      "a1/",
      "Ab1_",
      "http",
      "a+://",
      "a:b",
      "a:b@",
      "authorization:a ",
      "pass",
      "."
    ]) {
      anonymousLine(part.repeat(100_000))
    }
    assert.isBelow(process.cpuUsage(began).user / 1_000, 5_000)
  })
})
