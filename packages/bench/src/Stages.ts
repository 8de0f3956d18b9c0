/**
 * Where the threads of a server spend an event's time, by function, from the profiles that Node writes of
 * each thread (`--cpu-prof`). What is native, as SQLite is, counts for the function that calls it; waiting
 * for the disk counts as work.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Role, UNIT, type Work } from "./WorkCount.ts"

/** A function on the stack, in Node's format. */
interface ProfileNode {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    /** From 0. */
    readonly lineNumber: number
  }
  readonly children?: ReadonlyArray<number>
}

interface Profile {
  readonly nodes: ReadonlyArray<ProfileNode>
  /** Microseconds of the monotonic clock. */
  readonly startTime: number
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** A share of a thread's work: of a function with the native ones it calls, a dependency or the engine. */
export interface Stage {
  readonly role: Role
  readonly name: string
  /** Work an event. */
  readonly work: number
}

/** Microseconds of the monotonic clock, which profiles have their samples by. */
const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1000n)

/** Profiles that a server writes when it stops, of several loads one after the other. */
export interface Profiles {
  readonly nodeFlags: ReadonlyArray<string>
  /** A load begins now. */
  readonly begin: () => void
  /** It ended now; its name, and the work of an event. */
  readonly end: (name: string, work: Work) => void
  /** The largest stages of each load, as text; removes the profiles. */
  readonly print: () => string
}

const INTERVAL_MICROS = 500

/** A line that says which module's code follows it in a bundle. */
const MODULE = /^\/\/ (?:node_modules|packages)\/\S+$/

type ModuleOf = (url: string, line: number) => string | undefined

/** Finds modules in the bundle's files, each read once. */
const modules = (): ModuleOf => {
  const files = new Map<string, ReadonlyArray<string>>()
  const read = (url: string): ReadonlyArray<string> => {
    let module = basename(url)
    return readFileSync(fileURLToPath(url), "utf8")
      .split("\n")
      .map((line) => {
        if (MODULE.test(line)) module = line.slice("// ".length)
        return module
      })
  }
  return (url, line) => {
    const found = files.get(url) ?? read(url)
    files.set(url, found)
    return found[line]
  }
}

const NO_WORK = "(idle)"

/** A dependency is one stage, and so are Node's modules for requests and sockets. */
const stageOf = (module: string, functionName: string): string => {
  const dependency = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)
  return dependency?.[1] ?? `${module.replace(/^packages\//, "").replace("/src/", "/")} ${functionName}`
}

const roleOf = ({ nodes }: Profile): Role => {
  const urls = new Set(nodes.map(({ callFrame }) => basename(callFrame.url)))
  if (urls.has("LogThread.js")) return "log"
  return urls.has("DeliveryThread.js") ? "delivery" : "accepting"
}

/** The stage of each function on the stack: its own, or of the nearest caller that has one. */
const stagesOfNodes = ({ nodes }: Profile, moduleOf: ModuleOf): ReadonlyMap<number, string> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const stages = new Map<number, string>()
  const visit = (node: ProfileNode, caller: string): void => {
    const { functionName, url, lineNumber } = node.callFrame
    let stage = caller
    if (url.startsWith("file:")) stage = stageOf(moduleOf(url, lineNumber) ?? url, functionName)
    else if (/^node:(_http|net|internal\/stream|internal\/http|_stream)/.test(url))
      stage = "Node's HTTP and sockets"
    else if (url === "" && functionName.startsWith("(")) stage = functionName
    stages.set(node.id, stage)
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child !== undefined) visit(child, stage)
    }
  }
  const [root] = nodes
  if (root !== undefined) visit(root, "(root)")
  return stages
}

/** Microseconds by stage between two moments. */
const timesOf = (profile: Profile, from: number, to: number, moduleOf: ModuleOf): Map<string, number> => {
  const stages = stagesOfNodes(profile, moduleOf)
  const times = new Map<string, number>()
  let at = profile.startTime
  profile.samples.forEach((node, index) => {
    const delta = profile.timeDeltas[index] ?? 0
    at += delta
    const stage = stages.get(node) ?? NO_WORK
    if (at >= from && at <= to && stage !== NO_WORK) times.set(stage, (times.get(stage) ?? 0) + delta)
  })
  return times
}

/** A share of a thread's work that is printed. */
const SHOWN = 0.015

const stagesOf = (profile: Profile, load: Load, moduleOf: ModuleOf): ReadonlyArray<Stage> => {
  const role = roleOf(profile)
  const times = timesOf(profile, load.from, load.to, moduleOf)
  const all = Array.from(times.values()).reduce((sum, time) => sum + time, 0)
  return Array.from(times, ([name, time]) => ({ role, name, share: time / all }))
    .filter(({ share }) => share >= SHOWN)
    .map(({ share, ...stage }) => ({ ...stage, work: (load.work[role] ?? 0) * share }))
    .toSorted((one, other) => other.work - one.work)
}

/** A load that was profiled. */
interface Load {
  readonly name: string
  readonly work: Work
  /** Microseconds of the monotonic clock. */
  readonly from: number
  readonly to: number
}

/** Profiles of one server, in a folder of their own. */
export const newProfiles = (): Profiles => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-profiles-"))
  const loads: Array<Load> = []
  let from = 0
  return {
    nodeFlags: ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${INTERVAL_MICROS}`],
    begin: () => {
      from = monotonicMicros()
    },
    end: (name, work) => {
      loads.push({ name, work, from, to: monotonicMicros() })
    },
    print: () => {
      const moduleOf = modules()
      const profiles = readdirSync(folder).map(
        (file): Profile => JSON.parse(readFileSync(join(folder, file), "utf8"))
      )
      rmSync(folder, { recursive: true })
      const lines = loads.flatMap((load) => [
        `\n${load.name}, ${UNIT} an event by stage`,
        ...profiles
          .flatMap((profile) => stagesOf(profile, load, moduleOf))
          .map(({ role, name, work }) => `${role.padEnd(10)} ${work.toFixed(1).padStart(7)}  ${name}`)
      ])
      return `${lines.join("\n")}\n`
    }
  }
}
