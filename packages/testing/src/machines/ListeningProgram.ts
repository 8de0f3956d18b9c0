/** A program that prints the port on which it listens, as a test follows it. */
import type { ChildProcessByStdio } from "node:child_process"
import type { Readable, Writable } from "node:stream"

/** What a program has printed and how it ends. */
export interface ListeningProgram {
  readonly printed: () => string
  /** Its exit code, once all that it printed is read. */
  readonly ended: Promise<number | null>
  /** The port that it says it listens on; rejects when it ends without one. */
  readonly port: Promise<string>
}

/** Follows a program from its start; nobody needs to wait for its port. */
export const listening = (
  child: ChildProcessByStdio<Writable | null, Readable, Readable>
): ListeningProgram => {
  let printed = ""
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const port = new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      printed += chunk
      const found = /(?:(?:port |:)(\d+)|port: (\d+) \}|listening at \S+:(\d+)"\})\r?\n/.exec(printed)
      const port = found?.slice(1).find((one) => one !== undefined)
      if (port !== undefined) resolve(port)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("error", reject)
    void ended.then((code) => reject(new Error(`ended with ${code}: ${printed}`)))
  })
  port.catch(() => {})
  return { printed: () => printed, ended, port }
}
