/** The primary of a cluster whose workers each add an event to a spool. It kills the first when told to. */
import cluster, { type Worker } from "node:cluster"

const [program = "", folder = "", ...keys] = process.argv.slice(2)

/** A worker that has added its event. */
const started = (key: string): Promise<Worker> => {
  cluster.setupPrimary({ exec: program, args: [folder, key] })
  const worker = cluster.fork()
  return new Promise((resolve) => worker.once("message", () => resolve(worker)))
}

const workers: Array<Worker> = []
for (const key of keys) workers.push(await started(key))
process.on("message", () => {
  const [first] = workers
  first?.once("exit", () => process.send?.(`killed ${keys[0]}`))
  first?.process.kill("SIGKILL")
})
process.on("disconnect", () => {
  for (const worker of workers) worker.process.kill("SIGKILL")
})
process.send?.("added by both")
