import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"
import { listening } from "@cairn/testing/ListeningProgram"
import { assert, describe, it } from "@effect/vitest"

/** A child process whose events the test sends itself. */
const fakeChild = () => {
  const streams = { stdin: null, stdout: new PassThrough(), stderr: new PassThrough() }
  return Object.assign(new EventEmitter(), streams) as unknown as Parameters<typeof listening>[0]
}

describe("a program that listens", () => {
  it("has its port once the line is whole, not when a chunk ends within it", async () => {
    const child = fakeChild()
    const { port } = listening(child)
    child.stdout.emit("data", Buffer.from("listens on http://localhost:80"))
    child.stdout.emit("data", Buffer.from("80\n"))
    assert.strictEqual(await port, "8080")
  })

  it.each([
    "listens on http://localhost:8080\n",
    "port 8080\n",
    "{ address: '::', family: 'IPv6', port: 8080 }\n",
    '{"time":1795852935255,"pid":12,"msg":"Server listening at http://[::1]:8080"}\n'
  ])("has its port in %s", async (line) => {
    const child = fakeChild()
    const { port } = listening(child)
    child.stdout.emit("data", Buffer.from(line))
    assert.strictEqual(await port, "8080")
  })

  it("has ended once all that it printed is read", async () => {
    const child = fakeChild()
    const { ended, printed } = listening(child)
    const printedAtEnd = ended.then(() => printed())
    child.emit("exit", 0, null)
    await new Promise(setImmediate)
    child.stdout.emit("data", Buffer.from("the last words\n"))
    child.emit("close", 0, null)
    assert.strictEqual(await printedAtEnd, "the last words\n")
  })
})
