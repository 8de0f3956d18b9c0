/** An application of a trial: a process that reports each event that it was promised, and is killed. */
import type { ChildProcess } from "node:child_process"
import { startNode, type TrackedProcess } from "../../../server/test/support/CairnProcess.ts"
import type { KillPoint } from "./KillPoints.ts"

/** What an application is told, as JSON in its only argument. */
export interface Task {
  /** Where it keeps what waits: a folder, or the address of a database. */
  readonly place: string
  /** The address of the service. */
  readonly url: string
  readonly apiKey: string
  /** A word that no other run has. */
  readonly run: string
  /** How many events it makes before it sends the rest and ends. */
  readonly events: number
  /** Where it ends before that. */
  readonly killPoint?: KillPoint
}

/** An event that the application was promised. */
export interface Promised {
  readonly key: string
  /** Milliseconds since 1970 just before and just after the call. */
  readonly before: number
  readonly after: number
}

/** The line by which an application reports an event. */
export const promisedLine = ({ key, before, after }: Promised): string => `${key} ${before} ${after}\n`

const readPromised = (printed: string): ReadonlyArray<Promised> =>
  // A line that a kill has cut says nothing.
  printed
    .slice(0, printed.lastIndexOf("\n") + 1)
    .split("\n")
    .flatMap((line) => {
      const [key, before, after] = line.split(" ")
      return key && before && after ? [{ key, before: Number(before), after: Number(after) }] : []
    })

/** How an application ended. */
export interface Run {
  readonly promised: ReadonlyArray<Promised>
  readonly wasKilled: boolean
  readonly stderr: string
}

/** An application that runs. */
export interface RunningApplication {
  readonly child: ChildProcess
  readonly promised: () => number
  readonly ended: Promise<Run>
}

/** A program: a script for Node, or what starts it with its argument. */
export type Program = string | ((argument: string) => TrackedProcess)

/** Starts a program with its argument. */
export const startWith = (program: Program, argument: string): TrackedProcess =>
  typeof program === "string" ? startNode([program, argument]) : program(argument)

/** Starts one. It is killed after `mostMillis`, whatever it does. */
export const startApplication = (program: Program, task: Task, mostMillis = 30_000): RunningApplication => {
  const { child, stdout, stderr, ended } = startWith(program, JSON.stringify(task))
  const timer = setTimeout(() => child.kill("SIGKILL"), mostMillis)
  return {
    child,
    promised: () => readPromised(stdout()).length,
    ended: ended.then(({ code, signal }) => {
      clearTimeout(timer)
      if (signal === null && code !== 0) throw new Error(`${task.run} ended with ${code}:\n${stderr()}`)
      return { promised: readPromised(stdout()), wasKilled: signal === "SIGKILL", stderr: stderr() }
    })
  }
}
