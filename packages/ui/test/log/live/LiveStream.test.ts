import { assert, describe, it } from "@effect/vitest"
import { readLive } from "../../../src/log/live/LiveStream.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const streamOf = (...pieces: ReadonlyArray<string>) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(bytes(piece))
      controller.close()
    }
  })

const toldBy = async (...pieces: ReadonlyArray<string>): Promise<ReadonlyArray<number>> => {
  const told: Array<number> = []
  await readLive(streamOf(...pieces), new AbortController().signal, (count) => told.push(count))
  return told
}

describe("a stream of what is new", () => {
  it("is read however it is cut", async () => {
    const text =
      'retry: 5000\n\nevent: count\ndata: {"new":2}\n\n: still here\n\nevent: count\r\ndata: {"new": 30}\r\n\r\n'
    assert.strictEqual((await toldBy(text)).at(-1), 30)
    const cut = await toldBy(...text)
    assert.deepStrictEqual(Array.from(new Set(cut)), [0, 2, 30])
  })

  it("tells the same again at a sign that it goes on", async () => {
    assert.deepStrictEqual(await toldBy('event: count\ndata: {"new":2}\n\n', ": still here\n\n"), [2, 2])
  })

  it.each([
    'data: {"new":5}\n\n',
    'event: end\ndata: {"new":5}\n\n',
    'event: count\ndata: {"new":-5}\n\n',
    'event: count\ndata: {"new":"5"}\n\n',
    "event: count\ndata: 5\n\n",
    'event: count\ndata: {"new":5}x\n\n',
    'event: count\ndata: {"new":5}'
  ])("tells no number in %j", async (text) => {
    assert.deepStrictEqual(await toldBy(text), [0])
  })

  it("is let go of once nobody wants it any more", async () => {
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true
      }
    })
    const abort = new AbortController()
    const read = readLive(stream, abort.signal, () => undefined)
    abort.abort()
    await read
    assert.isTrue(cancelled)
  })

  it("is let go of at once where nobody wanted it any more before it came", async () => {
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true
      }
    })
    await readLive(stream, AbortSignal.abort(), () => undefined)
    assert.isTrue(cancelled)
  })
})
