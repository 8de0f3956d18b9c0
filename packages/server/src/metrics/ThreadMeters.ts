/** What each thread says of itself, and the main thread of the process. */
import { readdirSync, readFileSync } from "node:fs"
import { performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Meters, type MetricLabels } from "@cairn/core/log"
import { Effect } from "effect"
import { SERVER_METRICS, type THREADS } from "./ServerFamilies.ts"

/** The threads of a server. */
export type ThreadName = (typeof THREADS)[number]

/** The heap and the event loop of the thread that it runs on. */
export const threadMeters = (thread: ThreadName) =>
  Effect.map(Meters, (meters) => {
    const labels: MetricLabels = { thread }
    meters.observed(SERVER_METRICS.heapUsed, () => getHeapStatistics().used_heap_size, labels)
    meters.observed(SERVER_METRICS.heapLimit, () => getHeapStatistics().heap_size_limit, labels)
    meters.observed(SERVER_METRICS.externalMemory, () => getHeapStatistics().external_memory, labels)
    meters.observed(
      SERVER_METRICS.loopUtilization,
      () => performance.eventLoopUtilization().active / 1_000,
      labels
    )
  })

/** A number of Linux, undefined elsewhere. */
const onLinux = (read: () => number | undefined) => (): number | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const openFiles = onLinux(() => readdirSync("/proc/self/fd").length)

const mostFiles = onLinux(() => {
  const found = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))
  return found === null ? undefined : Number(found[1])
})

/** The process, under the names that every Prometheus client gives it. */
export const processMeters = Effect.map(Meters, (meters) => {
  const started = performance.timeOrigin / 1_000
  meters.observed(SERVER_METRICS.cpu, () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000_000
  })
  meters.observed(SERVER_METRICS.resident, () => process.memoryUsage.rss())
  meters.observed(SERVER_METRICS.started, () => started)
  meters.observed(SERVER_METRICS.openFiles, openFiles)
  meters.observed(SERVER_METRICS.mostFiles, mostFiles)
})
