/**
 * Tasks that are measured in a process of their own, so that neither their memory nor their compiler is this
 * one's.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** As `npm start` runs a server. */
const FLAGS = [
  "--conditions=@cairn/source",
  "--max-semi-space-size=8",
  "--disable-warning=ExperimentalWarning"
]

/** Runs a module with one argument, JSON; what it writes is JSON too. */
export const runTask = async <A>(module: string, argument: unknown): Promise<A> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...FLAGS,
    fileURLToPath(module),
    JSON.stringify(argument)
  ])
  return JSON.parse(stdout)
}

/** Whether a module is the one that runs. */
export const isTask = (module: string): boolean => process.argv[1] === fileURLToPath(module)

/** The argument of the task that runs. */
export const taskArgument = (): string => process.argv[2] ?? "null"

/** Sends the result to the parent process. */
export const answer = (value: unknown): void => {
  process.stdout.write(JSON.stringify(value))
}

const MEBIBYTE = 2 ** 20

/** Resident memory in MiB. */
export const residentMebibytes = (): number => process.memoryUsage.rss() / MEBIBYTE

/** Watches resident memory while a task runs; gives its value and the most there was. */
export const watchingMemory = async <A>(task: () => Promise<A>): Promise<readonly [A, number]> => {
  let peak = residentMebibytes()
  const look = () => {
    peak = Math.max(peak, residentMebibytes())
  }
  const timer = setInterval(look, 10)
  const value = await task()
  clearInterval(timer)
  look()
  return [value, peak]
}
