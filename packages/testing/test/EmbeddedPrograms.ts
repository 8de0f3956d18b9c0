/** Programs that embed the log, run as a person runs them where the packages are installed. */
import { spawn } from "node:child_process"
import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type ListeningProgram, listening } from "@cairn/testing/ListeningProgram"
import { assert } from "@effect/vitest"

/** A program in TypeScript, strict, that names each type it meets by the storage it installed. */
export const typedProgram = `
import {
  type AuditEvent,
  type AuditEventFilter,
  type AuditLog,
  type AuditLogVerification,
  type AuditLogWarn,
  type ChainBreak,
  type Event,
  InvalidArgument,
  type Log,
  openAuditLog,
  type RecordedEvent,
  type SqliteAuditLogOptions
} from "@cairn/storage-sqlite"

const headers: Readonly<Record<string, string | undefined>> = { "x-user": "" }
const warn: AuditLogWarn = (level, message) => console.error(level, message)
const options: SqliteAuditLogOptions = { file: "data/audit.db", secretKey: headers.key, warn }
const log: AuditLog = await openAuditLog(options)
const event: AuditEvent = {
  actor_id: "ada",
  actor_name: headers["x-name"],
  action: "project.renamed",
  metadata: { at: new Date(0), note: headers.note },
  targets: [{ type: "project", id: headers.project }]
}
const { id, duplicate }: RecordedEvent = await log.record(event)
const refused = await log.record({ ...event, actor_id: headers["x-user"] ?? "" }).catch((error: unknown) => error)
const filter: AuditEventFilter = { actor_id: "ada", from: undefined, search: headers.search }
const events: Array<Event> = []
for await (const found of log.events(filter)) events.push(found)
const tenant: Log = log.of("tenant")
const { valid, breaks }: AuditLogVerification = await tenant.verify()
const kinds: ReadonlyArray<ChainBreak["type"]> = breaks.map(({ type }) => type)
await log.close()
const path = refused instanceof InvalidArgument ? refused.path : undefined
console.log(JSON.stringify([events.map((one) => one.id === id), duplicate, path, valid, kinds]))
`

/** What {@link typedProgram} prints. */
export const TYPED_PROGRAM_PRINTS = '[[true],false,"actor_id",true,[]]'

/** Where programs find the packages, the Node that runs them, and a person's environment. */
export interface Installation {
  readonly consumer: string
  readonly node: string
  readonly environment: NodeJS.ProcessEnv
}

/** A program that was started in a folder of its own. */
interface Running extends ListeningProgram {
  readonly terminate: () => void
}

const start = async (
  { consumer, node, environment }: Installation,
  name: string,
  text: string,
  variables: Readonly<Record<string, string>> = {}
): Promise<Running> => {
  const file = join(consumer, name)
  await writeFile(file, text)
  const cwd = await mkdtemp(join(consumer, "data-"))
  await mkdir(join(cwd, "data"))
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", file], {
    cwd,
    env: { ...environment, PORT: "0", ...variables }
  })
  return { ...listening(child), terminate: () => void child.kill("SIGTERM") }
}

/** Runs a program that ends by itself, and returns what it printed. */
export const runProgram = async (installation: Installation, name: string, text: string): Promise<string> => {
  const { ended, printed } = await start(installation, name, text)
  assert.strictEqual(await ended, 0, printed())
  return printed()
}

/** Uses a service of a page once: it records, rejects, reads, verifies, and ends on SIGTERM. */
export const useService = async (
  installation: Installation,
  name: string,
  text: string,
  variables: Readonly<Record<string, string>>
): Promise<void> => {
  const service = await start(installation, name, text, variables)
  try {
    const base = `http://localhost:${await service.port}`
    const rename = async (user: string) => {
      const headers = { "Content-Type": "application/json", "X-User": user }
      const body = '{"name":"Apollo"}'
      return (await fetch(`${base}/projects/7/rename`, { method: "POST", headers, body })).status
    }
    const get = async (path: string) => JSON.parse(await (await fetch(base + path)).text())
    assert.deepStrictEqual(
      [await rename("ada"), await rename(""), await rename("x".repeat(300))],
      [200, 200, 422]
    )
    const events: ReadonlyArray<{ readonly actor: { readonly id: string } }> = await get("/audit")
    assert.deepStrictEqual(
      events.map(({ actor }) => actor.id),
      ["anonymous", "ada"]
    )
    assert.deepStrictEqual(await get("/audit/verify"), { valid: true, events_checked: 2, breaks: [] })
  } finally {
    service.terminate()
  }
  assert.strictEqual(await service.ended, 0, service.printed())
  assert.notMatch(service.printed(), /Error/)
}
