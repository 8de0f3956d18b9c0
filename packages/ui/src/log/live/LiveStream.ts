/** The stream of `GET /api/v1/events/live`: server-sent events, as the HTML standard defines them. */

/** What a block of lines says: its data, under the name of its event. */
const readBlock = (block: string): readonly [name: string, data: string] => {
  let name = "message"
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === "event") name = value
    if (field === "data") data.push(value)
  }
  return [name, data.join("\n")]
}

/** How many events a block tells of; undefined where it tells no number. */
const countIn = (block: string): number | undefined => {
  const [name, data] = readBlock(block)
  const [, count] = (name === "count" && /^\{\s*"new"\s*:\s*(\d+)\s*\}$/.exec(data)) || []
  return count === undefined ? undefined : Number(count)
}

/**
 * Reads a stream until it ends, or the signal is aborted. `told` hears how many events have been recorded
 * since it began, and the same again whenever something came that shows that the stream is still there.
 */
export const readLive = async (
  stream: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
  told: (count: number) => void
): Promise<void> => {
  if (stream === null) return
  const reader = stream.getReader()
  const stop = () => {
    reader.cancel().catch(() => undefined)
  }
  signal.addEventListener("abort", stop)
  if (signal.aborted) stop()
  const decoder = new TextDecoder()
  let [text, count] = ["", 0]
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (text + decoder.decode(read.value, { stream: true }).replaceAll("\r", "")).split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) count = countIn(block) ?? count
      told(count)
    }
  } finally {
    signal.removeEventListener("abort", stop)
  }
}
