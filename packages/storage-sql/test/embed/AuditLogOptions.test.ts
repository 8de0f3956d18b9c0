import { readAuditLogOptions } from "@cairn/storage-sql"
import { assert, describe, it } from "@effect/vitest"

/** The warnings of the process that `make` causes. */
const warningsOf = async (make: () => void): Promise<ReadonlyArray<string>> => {
  const heard: Array<string> = []
  const hear = ({ message }: Error) => heard.push(message)
  process.on("warning", hear)
  make()
  // Warnings are emitted in the next turn, and rejections are seen after the promises of this one.
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  process.off("warning", hear)
  return heard
}

const warnWith = (warn: unknown) =>
  warningsOf(() => readAuditLogOptions({ warn }, []).warn("warn", "Events wait", { cause: "locked" }))

describe("the options of openAuditLog", () => {
  it.each([
    ["undefined", undefined],
    ["a text", "data/audit.db"],
    ["a Map", new Map([["file", "data/audit.db"]])],
    ["parameters of a URL", new URLSearchParams("file=data/audit.db")],
    ["a list", ["data/audit.db"]]
  ])("must be an object, which %s is not", (_, given) => {
    assert.throws(() => readAuditLogOptions(given, ["file"]), /^must be an object of options$/)
  })
})

describe("the option warn of openAuditLog", () => {
  it("gets what the operator should know", async () => {
    const got: Array<unknown> = []
    assert.deepStrictEqual(await warnWith((...given: Array<unknown>) => got.push(given)), [])
    assert.deepStrictEqual(got, [["warn", "Events wait", { cause: "locked" }]])
  })

  it("is a warning of the process when it is not given", async () => {
    assert.deepStrictEqual(await warnWith(undefined), ["Events wait"])
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("no chat")
      }
    ],
    ["rejects", () => Promise.reject(new Error("no chat"))]
  ])("is the same when it %s, and nothing else ends", async (_, warn) => {
    assert.deepStrictEqual(await warnWith(warn), ["Events wait", "The option warn failed"])
  })
})
