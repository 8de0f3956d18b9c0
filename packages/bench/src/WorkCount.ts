/**
 * How much work the threads of processes do: instructions where `perf` counts them, which is the same on a
 * busy machine as on an idle one; else microseconds of processor time.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** Who works. */
export type Role = "accepting" | "log" | "delivery" | "V8's helpers" | "others" | "database"

/** All of them, in the order of a table. */
export const ROLES: ReadonlyArray<Role> = [
  "accepting",
  "log",
  "delivery",
  "V8's helpers",
  "others",
  "database"
]

/** Work by who did it, in {@link UNIT}. */
export type Work = Readonly<Partial<Record<Role, number>>>

const EVENTS = "instructions:u,instructions:k"

/** Whether `perf` counts instructions here: it must be installed, allowed, and the processor must tell. */
export const countsInstructions: boolean = (() => {
  const { status, stderr } = spawnSync("perf", ["stat", "-x,", "-e", EVENTS, "true"], { encoding: "utf8" })
  return status === 0 && !stderr.includes("<not")
})()

/** What work is counted in; a thousand instructions, since an event takes many. */
export const UNIT = countsInstructions ? "k instructions" : "µs"

const NANOS_PER_MILLI = 1e6
const NANOS_PER_MICRO = 1e3

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    // A thread may end at any time.
    return ""
  }
}

const threadsOf = (pid: number): ReadonlyArray<number> => readdirSync(`/proc/${pid}/task`).map(Number)

/** The first figure of a thread's `schedstat` is how many nanoseconds it ran, in user and system mode. */
const nanosOf = (pid: number, thread: number): number =>
  Number.parseInt(read(`/proc/${pid}/task/${thread}/schedstat`) || "0", 10)

/** Milliseconds of processor time of a process, finer than the ticks of `/proc/PID/stat`. */
export const processorMillis = (pid: number): number =>
  threadsOf(pid).reduce((sum, thread) => sum + nanosOf(pid, thread), 0) / NANOS_PER_MILLI

/** By the name that a server gives its thread, or Node its own. */
const ROLE_OF_NAME: Readonly<Record<string, Role>> = {
  "cairn-log": "log",
  "cairn-delivery": "delivery",
  V8Worker: "V8's helpers"
}

/** A worker thread that has no name, in a bundle from before they had: the delivery thread gives way. */
const roleOfPriority = (pid: number, thread: number): Role => {
  const fields = read(`/proc/${pid}/task/${thread}/stat`).split(") ").at(-1)?.split(" ") ?? []
  const NICE = 16
  return Number(fields[NICE]) > 0 ? "delivery" : "log"
}

const roleOf = (pid: number, thread: number): Role => {
  if (thread === pid) return "accepting"
  const name = read(`/proc/${pid}/task/${thread}/comm`)
  return name === "WorkerThread" ? roleOfPriority(pid, thread) : (ROLE_OF_NAME[name] ?? "others")
}

/** Processes that work: a server's, whose threads count apart, and a database's, which count as one. */
export interface Workers {
  readonly server: number
  readonly database: () => ReadonlyArray<number>
}

type Threads = ReadonlyMap<number, { readonly role: Role; readonly nanos: number }>

const threads = ({ server, database }: Workers): Threads => {
  const found = new Map<number, { role: Role; nanos: number }>()
  for (const thread of threadsOf(server))
    found.set(thread, { role: roleOf(server, thread), nanos: nanosOf(server, thread) })
  for (const pid of database()) found.set(pid, { role: "database", nanos: nanosOf(pid, pid) })
  return found
}

const add = (work: Partial<Record<Role, number>>, role: Role, amount: number): void => {
  work[role] = (work[role] ?? 0) + amount
}

const workSince = (before: Threads, after: Threads): Work => {
  const work: Partial<Record<Role, number>> = {}
  for (const [thread, { role, nanos }] of after)
    add(work, role, (nanos - (before.get(thread)?.nanos ?? 0)) / NANOS_PER_MICRO)
  return work
}

/** Lets `perf` count from now on. Threads that begin later count for the one that began them. */
const startPerf = async (pids: ReadonlyArray<number>): Promise<ChildProcess> => {
  const perf = spawn("perf", ["stat", "--per-thread", "-x,", "-e", EVENTS, "-p", pids.join(",")], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ATTACHED = 500
  await sleep(ATTACHED)
  return perf
}

/** Ends it; its lines are `name-thread,count,unit,event,…`. */
const perfWork = async (perf: ChildProcess, found: Threads): Promise<Work> => {
  let text = ""
  perf.stderr?.on("data", (chunk) => {
    text += chunk
  })
  perf.kill("SIGINT")
  await once(perf, "close")
  const work: Partial<Record<Role, number>> = {}
  for (const line of text.split("\n")) {
    const [name = "", count, , event = ""] = line.split(",")
    if (!event.startsWith("instructions") || Number.isNaN(Number(count))) continue
    const thread = Number(name.slice(name.lastIndexOf("-") + 1))
    add(work, found.get(thread)?.role ?? "others", Number(count) / 1000)
  }
  return work
}

/** What the processes do while a task runs. */
export const workDuring = async <A>(
  workers: Workers,
  task: () => Promise<A>
): Promise<{ readonly value: A; readonly work: Work }> => {
  const before = threads(workers)
  const perf = countsInstructions ? await startPerf([workers.server, ...workers.database()]) : undefined
  const value = await task()
  const after = threads(workers)
  const work = perf === undefined ? workSince(before, after) : await perfWork(perf, after)
  return { value, work }
}

/** All that was done. */
export const total = (work: Work): number => Object.values(work).reduce((sum, each) => sum + each, 0)

const SECOND = 1_000
/** Seconds in a row in which little is done. */
const QUIET = 2
/** Milliseconds of processor time in a second that are little, more than those of an idle server. */
const LITTLE = 20

/** Milliseconds of processor time a second of all of them. */
const busyness = async ({ server, database }: Workers): Promise<number> => {
  const used = () => [server, ...database()].reduce((sum, pid) => sum + processorMillis(pid), 0)
  const [begun, before] = [performance.now(), used()]
  await sleep(SECOND)
  return ((used() - before) / (performance.now() - begun)) * SECOND
}

/** What a server does that has nothing to do. */
export interface Idle {
  /** Milliseconds of processor time a second. */
  readonly busyness: number
  /** Work a second. */
  readonly work: Work
}

/** Seconds that an idle server is watched; what it does at its start may last into some of them. */
const WATCHED = 5

/** Watches a server that has just started: the least that it, and each thread, does in a second. */
export const idleness = async (workers: Workers): Promise<Idle> => {
  const least: Partial<Record<Role, number>> = {}
  let busy = Number.POSITIVE_INFINITY
  for (let at = 0; at < WATCHED; at++) {
    const { value, work } = await workDuring(workers, () => busyness(workers))
    busy = Math.min(busy, value)
    for (const role of ROLES) least[role] = Math.min(least[role] ?? Number.POSITIVE_INFINITY, work[role] ?? 0)
  }
  return { busyness: busy, work: least }
}

/** Waits until they do no more than when they were idle; returns when that began, by `performance.now`. */
export const untilIdle = async (workers: Workers, idle: Idle): Promise<number> => {
  const most = 1.5 * idle.busyness + LITTLE
  let began = performance.now()
  for (let quiet = 0; quiet < QUIET; ) {
    quiet = (await busyness(workers)) < most ? quiet + 1 : 0
    if (quiet === 0) began = performance.now()
  }
  return began
}
