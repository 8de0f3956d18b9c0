/** Checks of the machine: the runtime, the limits of the process, memory. */
import { readFileSync } from "node:fs"
import { Effect, Schema } from "effect"
import { type Check, fault, warning } from "../Check.ts"
import { Skipped } from "../Skipped.ts"

const Package = Schema.fromJsonString(Schema.Struct({ engines: Schema.Struct({ node: Schema.String }) }))

const decodePackage = Schema.decodeUnknownSync(Package)

/** The oldest Node that the package names, as `22.19`. */
const oldestNode = (): string =>
  decodePackage(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")).engines.node.replace(
    />=/,
    ""
  )

const isOlder = (version: string, oldest: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldMajor = 0, oldMinor = 0] = oldest.split(".").map(Number)
  return major < oldMajor || (major === oldMajor && minor < oldMinor)
}

const node: Check = {
  id: "node-version",
  title: "Node.js",
  looks: "Whether the runtime is as new as the package asks",
  needs: [],
  run: ({ machine: { nodeVersion } }) =>
    Effect.sync(() => {
      const oldest = oldestNode()
      return isOlder(nodeVersion, oldest)
        ? [
            fault(
              `Node.js ${nodeVersion} runs this, and Cairn needs ${oldest} or newer`,
              `install Node.js ${oldest} or newer`
            )
          ]
        : []
    })
}

/** Fewer files than this, and a few hundred connections exhaust them. */
const FEW_FILES = 1_024

const openFiles: Check = {
  id: "open-files",
  title: "Open files",
  looks: `Whether the process may open fewer than ${FEW_FILES.toLocaleString("en")} files and connections`,
  needs: [],
  run: ({ machine }) =>
    Effect.flatMap(machine.kernelFile("/proc/self/limits"), (limits) => {
      const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(limits ?? "") ?? []
      if (soft === undefined) return new Skipped({ reason: "the system does not tell its limits" })
      return Effect.succeed(
        Number(soft) < FEW_FILES
          ? [
              warning(
                `the process may open ${soft} files, and each connection of a client is one`,
                "ulimit -n 65536 before the server starts, or LimitNOFILE=65536 in its systemd unit"
              )
            ]
          : []
      )
    })
}

const MEBIBYTE = 1024 * 1024
/** What a process needs under load. */
const NEEDED_BYTES = 384 * MEBIBYTE

/** Where control groups tell their bound: version 2, then version 1. */
const MEMORY_BOUNDS = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

const memory: Check = {
  id: "memory",
  title: "Memory",
  looks: `Whether the control group of the process has less than ${NEEDED_BYTES / MEBIBYTE} MiB`,
  needs: [],
  run: ({ machine }) =>
    Effect.flatMap(Effect.forEach(MEMORY_BOUNDS, machine.kernelFile), (texts) => {
      const bounds = texts.flatMap((text) => (text === null ? [] : [Number(text.trim())]))
      if (bounds.length === 0) return new Skipped({ reason: "there is no control group that bounds memory" })
      // `max` is not a number, and no bound.
      const least = Math.min(...bounds.filter((bound) => !Number.isNaN(bound)))
      return Effect.succeed(
        least < NEEDED_BYTES
          ? [
              warning(
                `the process may use ${Math.floor(least / MEBIBYTE)} MiB, and needs up to ${NEEDED_BYTES / MEBIBYTE} MiB under load`,
                "raise the memory of the container (docker run --memory 512m), or MemoryMax= in the systemd unit"
              )
            ]
          : []
      )
    })
}

/** Checks of the machine. */
export const MACHINE_CHECKS: ReadonlyArray<Check> = [node, openFiles, memory]
