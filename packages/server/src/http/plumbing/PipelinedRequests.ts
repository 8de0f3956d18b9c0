/**
 * Holds a connection up whose client sends requests without waiting for their answers (RFC 9112 section
 * 9.3.2). Node reads and begins however many there are: one client would fill the memory, and all others
 * would wait for the answers to its requests.
 */
import type { Socket } from "node:net"

/**
 * Requests of one connection that may wait behind another one; until their number has halved, nothing more is
 * read. Those that are read at once with the last one are begun, too.
 */
const MOST_WAITING = 32

/** A connection whose client does not wait for answers. */
interface Pipeline {
  /** Requests that were begun and wait for the answer to an earlier one. */
  waiting: number
  isHeld: boolean
}

/** The connections of a server whose clients do not wait for answers. */
export class PipelinedRequests {
  readonly #pipelines = new WeakMap<Socket, Pipeline>()

  /** A request has come whose answer waits for that to an earlier one of its connection. */
  began(socket: Socket): void {
    const pipeline = this.#pipelines.get(socket) ?? this.#begin(socket)
    pipeline.waiting++
    if (pipeline.waiting <= MOST_WAITING) return
    pipeline.isHeld = true
    socket.pause()
  }

  /** A request of a connection was answered, so that the next one waits no more. */
  answered(socket: Socket): void {
    const pipeline = this.#pipelines.get(socket)
    if (pipeline === undefined || pipeline.waiting === 0) return
    pipeline.waiting--
    if (!pipeline.isHeld || pipeline.waiting > MOST_WAITING / 2) return
    pipeline.isHeld = false
    socket.resume()
  }

  #begin(socket: Socket): Pipeline {
    const pipeline: Pipeline = { waiting: 0, isHeld: false }
    this.#pipelines.set(socket, pipeline)
    // Reading the body of a request that was begun makes Node read on.
    socket.on("resume", () => {
      if (pipeline.isHeld) socket.pause()
    })
    return pipeline
  }
}
