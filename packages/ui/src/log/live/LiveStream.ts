/** The stream of `GET /api/v1/events/live`: server-sent events, as the service writes them. */

/** How many events an event of the stream tells of; undefined where it tells no number. */
const countIn = (event: string): number | undefined => {
  const lines = event.split("\n")
  const [data] = lines.filter((line) => line.startsWith("data:"))
  const [, count] = (lines.includes("event: count") && /^data: ?\{"new": ?(\d+)\}$/.exec(data ?? "")) || []
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
      const events = (text + decoder.decode(read.value, { stream: true }).replaceAll("\r", "")).split("\n\n")
      text = events.pop() ?? ""
      for (const event of events) count = countIn(event) ?? count
      told(count)
    }
  } finally {
    signal.removeEventListener("abort", stop)
  }
}
