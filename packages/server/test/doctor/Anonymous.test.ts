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

  it("is made in time that grows with its length, and no faster", () => {
    const began = performance.now()
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
      "."
    ]) {
      anonymousLine(part.repeat(100_000))
    }
    assert.isBelow(performance.now() - began, 5_000)
  })
})
