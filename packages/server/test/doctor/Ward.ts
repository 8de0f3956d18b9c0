/** Healthy installations for the tests of the doctor, each a copy of one that a server has used. */
import { once } from "node:events"
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createSocketServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll } from "@effect/vitest"
import { Clock, Effect, identity } from "effect"
import { CHECKS } from "../../src/doctor/AllChecks.ts"
import type { CheckResult } from "../../src/doctor/Check.ts"
import { admit, type DiagnosisOptions, diagnose } from "../../src/doctor/Diagnosis.ts"
import { type Machine, thisMachine } from "../../src/doctor/Machine.ts"
import { apiClient } from "../support/ApiClient.ts"
import { makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"

/** The variables of an installation. */
export type Variables = Readonly<Record<string, string>>

/** Nothing is asked for on the port that another program may have. */
const QUIET: Variables = { CAIRN_PORT: "0", CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8", CAIRN_OUTBOUND_HTTP: "true" }

/** This machine with a disk that is quick, however busy the real one is. */
export const calmMachine: Machine = { ...thisMachine, syncMillis: () => Effect.succeed([1]) }

/** Examines an installation in this process: by all checks or the one that is named, and by a clock. */
export const examine = (
  variables: Variables,
  options: Partial<DiagnosisOptions> = {},
  only?: string,
  clock?: Clock.Clock
): Promise<ReadonlyArray<CheckResult>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        admit({ environment: { ...QUIET, ...variables }, machine: calmMachine, ...options }),
        (patient) =>
          diagnose(
            CHECKS.filter(({ id }) => only === undefined || id === only),
            patient
          )
      )
    ).pipe(clock === undefined ? identity : Effect.provideService(Clock.Clock, clock))
  )

/** What is expected of a planted fault. */
export interface Expected {
  readonly check: string
  readonly severity?: "error" | "warning"
  readonly cause: RegExp
  readonly mend: RegExp
  /** Checks that cannot but complain about the same. */
  readonly besides?: ReadonlyArray<string>
}

const ailing = (results: ReadonlyArray<CheckResult>): ReadonlyArray<CheckResult> =>
  results.filter(({ status }) => status === "error" || status === "warning")

/** Nothing is found. */
export const assertHealthy = (results: ReadonlyArray<CheckResult>): void => {
  assert.deepStrictEqual(ailing(results), [])
  assert.isNotEmpty(results.filter(({ status }) => status === "ok"))
}

/** Exactly this is found: by this check, with its cause and what mends it. */
export const assertFound = (results: ReadonlyArray<CheckResult>, expected: Expected): void => {
  const { check, severity = "error", cause, mend, besides = [] } = expected
  const found = ailing(results).filter(({ id }) => !besides.includes(id))
  assert.deepStrictEqual(
    found.map(({ id, status }) => [id, status]),
    [[check, severity]],
    JSON.stringify(ailing(results), null, 2)
  )
  const { findings } = found[0] ?? { findings: [] }
  assert.isTrue(
    findings.some((finding) => cause.test(finding.cause) && mend.test(finding.mend)),
    JSON.stringify(findings, null, 2)
  )
}

/** More than a consumer may be behind. */
const BATCHES = 11
const BATCH = 100

/**
 * Uses a database as a customer does: events, a signed checkpoint, a webhook, a log stream and a viewer
 * token, all of whose destinations are at `peer`.
 */
export const fillDatabase = async (database: string, peer: string, variables: Variables = {}) => {
  const all = { ...QUIET, CAIRN_PORT: "0", ...variables }
  const tenant = await makeTenant("Acme Confidential", { database, variables: all })
  const server = await startServer({ database, variables: all })
  const client = apiClient(server.baseUrl, tenant.key)
  for (let number = 0; number < BATCHES; number++) {
    await client.acceptBatch(
      Array.from({ length: BATCH }, () => ({
        actor_id: `ada-confidential-${number}`,
        metadata: { email: "ada@customer.example" },
        action: "invoice.paid"
      }))
    )
  }
  await eventually("the events are in the log", async () =>
    (await client.list()).length >= BATCHES * BATCH ? true : undefined
  )
  assert.strictEqual((await client.get("/checkpoint")).status, 200)
  for (const [path, body] of [
    ["webhooks", { url: `${peer}/hook` }],
    [
      "log-streams",
      { name: "SIEM", destination: { type: "splunk_hec", url: peer, token: "stream-token-secret" } }
    ],
    ["viewer-token", {}]
  ] as const) {
    const { status } = await client.request("POST", `/api/v1/${path}`, body)
    assert.include([200, 201], status, path)
  }
  await server.stop()
  return tenant
}

/** A folder of its own, which the system's temporary folder keeps until the tests end. */
export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "cairn-doctor-")))

/** A copy of a SQLite database that nobody has open; returns its path. */
export const copyFiles = (database: string, into: string): string => {
  cpSync(dirname(database), into, { recursive: true })
  return join(into, "cairn.db")
}

/** A receiver of webhooks and log streams, which takes everything. */
export const startPeer = async () => {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume().on("end", () => response.end("ok"))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no port to listen on")
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

/** A server that takes connections, and says nothing. */
export const startMute = async () => {
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no port to listen on")
  return {
    port: address.port,
    host: `127.0.0.1:${address.port}`,
    connections: () => sockets.size,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

/** A healthy installation on SQLite, which the tests of a file copy. */
export interface Ward {
  /** A folder of the tests' own. */
  readonly root: string
  /** The database, once the tests run. */
  readonly original: string
  /** What its webhook and its stream send to, once the tests run. */
  readonly peer: Awaited<ReturnType<typeof startPeer>>
}

/** Makes one before the tests of a file, and removes it after them. */
export const useWard = (): Ward => {
  const root = newFolder()
  const original = join(root, "original", "cairn.db")
  let peer: Ward["peer"] | undefined
  beforeAll(async () => {
    peer = await startPeer()
    await fillDatabase(original, peer.url)
  })
  afterAll(async () => {
    await peer?.stop()
    rmSync(root, { recursive: true, force: true })
  })
  return {
    root,
    original,
    get peer() {
      if (peer === undefined) throw new Error("the peer is there once the tests run")
      return peer
    }
  }
}
