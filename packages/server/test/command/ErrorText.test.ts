import { StorageUnavailable } from "@cairn/core/log"
import { ApiKeyNotFound } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { errorText } from "../../src/command/ErrorText.ts"

describe("what a command says of its failure", () => {
  it("is the message", () => {
    assert.strictEqual(errorText(new Error("no such file")), "no such file")
    assert.strictEqual(errorText("refused"), "refused")
  })

  it("is the message with what the platform says", () => {
    const cause = new Error("address in use")
    assert.strictEqual(errorText(new Error("cannot listen", { cause })), "cannot listen (address in use)")
    assert.strictEqual(errorText(new Error("", { cause })), "address in use")
  })

  it("says nothing twice, and looks past what only repeats it for what the platform says", () => {
    const open = new Error("Failed to open cairn-inbox.db")
    assert.strictEqual(errorText(new Error(open.message, { cause: open })), "Failed to open cairn-inbox.db")
    const wrapped = new Error(open.message, { cause: new Error("file is not a database") })
    assert.strictEqual(
      errorText(new Error(open.message, { cause: wrapped })),
      "Failed to open cairn-inbox.db (file is not a database)"
    )
  })

  it("is never empty: an error without a message says its name and what it carries", () => {
    assert.strictEqual(errorText(new ApiKeyNotFound({ keyId: "key_1" })), "Api key not found: key_1")
    const cause = new Error("database is locked")
    assert.strictEqual(
      errorText(new StorageUnavailable({ operation: "list events", cause })),
      "Storage unavailable: list events (database is locked)"
    )
  })
})
