/** Running `cairn-verify` as an auditor runs it. */
import { execFile } from "node:child_process"

/** How it ended, and what it printed. */
export interface Outcome {
  /** -1 if it was killed. */
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of one file. */
export const runProgram = (program: string, args: ReadonlyArray<string>, cwd?: string): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { timeout: 60_000, cwd }, (error, stdout, stderr) =>
      resolve({
        status: typeof error?.code === "number" ? error.code : error === null ? 0 : -1,
        stdout,
        stderr
      })
    )
  })
