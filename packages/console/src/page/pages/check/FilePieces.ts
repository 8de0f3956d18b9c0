/** A chosen file as a stream that leaves the page time for everything else. */
import { Data, Stream } from "effect"

/** The file cannot be read any more: it was moved, deleted or written to, or it is a folder. */
export class FileUnreadable extends Data.TaggedError("FileUnreadable")<{ readonly name: string }> {}

/**
 * Bytes of a piece, so that what it unpacks to stays small as well: a gzip stream unpacks to a thousand times
 * its size at most.
 */
const PIECE = 32 * 1024

/**
 * Lets the page draw and listen. A message, because browsers hold back timers: by 4 milliseconds each, and
 * by a second where the page is not in front.
 */
const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })

/** What of a file is read. */
type ReadFile = Pick<File, "name" | "size" | "stream">

async function* readPieces(file: ReadFile, read: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  let bytes = 0
  try {
    for (;;) {
      const { value } = await reader.read()
      if (value === undefined) break
      for (let at = 0; at < value.length; at += PIECE) {
        const piece = value.subarray(at, at + PIECE)
        yield piece
        bytes += piece.length
        read(bytes)
        await breathe()
      }
    }
  } finally {
    // What has failed is closed already.
    await reader.cancel().catch(() => undefined)
  }
  if (bytes !== file.size) throw new FileUnreadable({ name: file.name })
}

/**
 * The file's bytes; may be read more than once. `read` gets how many were taken, from none again each time.
 */
export const filePieces = (
  file: ReadFile,
  read: (bytes: number) => void = () => undefined
): Stream.Stream<Uint8Array, FileUnreadable> =>
  Stream.suspend(() => {
    read(0)
    return Stream.fromAsyncIterable(readPieces(file, read), () => new FileUnreadable({ name: file.name }))
  })
