import { storeCause } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"

const coded = (code: string, message = "an error") => Object.assign(new Error(message), { code })

describe("the cause of a store's failure", () => {
  it.for([
    [
      "disk full",
      Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 })
    ],
    ["disk full", coded("53100", 'could not extend file "base/5/1": No space left on device')],
    ["disk full", coded("53100")],
    ["disk full", coded("ENOSPC")],
    ["read-only", new Error("attempt to write a readonly database")],
    ["read-only", coded("25006", "cannot execute INSERT in a read-only transaction")],
    ["read-only", new Error("cannot make new WAL entries during recovery")],
    ["read-only", coded("EROFS", "EROFS: read-only file system, open 'x'")],
    ["damaged", new Error("database disk image is malformed")],
    ["damaged", coded("XX001", "invalid page in block 7 of relation base/5/1")],
    ["damaged", new Error("file is not a database")],
    ["I/O error", new Error("disk I/O error")],
    ["old primary", coded("CN001", "the database is on an older timeline than 2: see cairn recover")],
    ["old primary", new Error("one:5432 is an old primary that still takes writes: stop it")],
    ["no standby", coded("08007", "no synchronous standby confirms commits")],
    ["no connection", coded("08001", "no server can be used: one:5432 is a standby")],
    ["no connection", coded("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432")],
    ["no connection", coded("57P01", "terminating connection due to administrator command")],
    ["no connection", new Error("Connection terminated unexpectedly")],
    ["no answer", new Error("the database does not answer")],
    ["busy", new Error("database is locked")],
    ["busy", coded("53300", "sorry, too many clients already")],
    ["failed", new Error("something else")],
    ["failed", "a text"],
    ["failed", undefined]
  ] as const)("is %s for %s", ([name, error]) => {
    assert.strictEqual(storeCause(error).name, name)
    // As drivers and Effect wrap it.
    assert.strictEqual(storeCause(new Error("it failed", { cause: error })).name, name)
    assert.strictEqual(storeCause({ _tag: "SqlError", reason: { cause: error } }).name, name)
    // As it comes from another thread, where only its message is left.
    if (error instanceof Error && storeCause(new Error(error.message)).name !== "failed")
      assert.strictEqual(storeCause(new Error(error.message)).name, name)
  })

  it("ends with causes that go round in a circle", () => {
    const error = new Error("round")
    error.cause = error
    assert.strictEqual(storeCause(error).name, "failed")
  })
})
