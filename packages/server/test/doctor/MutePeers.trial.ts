/** `cairn doctor` where everything takes a connection, or a packet, and says nothing. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Check, fault } from "../../src/doctor/Check.ts"
import { limitsOf } from "../../src/doctor/Deadline.ts"
import { admit, diagnose } from "../../src/doctor/Diagnosis.ts"
import { cairn, killLeftovers, startCairn } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { calmMachine, examine, newFolder, startMute } from "./Ward.ts"

killLeftovers()

const root = newFolder()
let mute: Awaited<ReturnType<typeof startMute>>
beforeAll(async () => {
  mute = await startMute()
  // Loaded when they are first needed, which takes its time from sources.
  await Promise.all([
    import("../../src/http/limits/RedisRateLimiter.ts"),
    import("../../src/layers/ExportStore.ts"),
    import("@cairn/anchor-base"),
    import("@cairn/storage-postgres")
  ])
})
afterAll(() => {
  mute.stop()
  rmSync(root, { recursive: true, force: true })
})

const store = () => `s3://id:secret@bucket/x?endpoint=${encodeURIComponent(`http://${mute.host}`)}`

const variables = (): Readonly<Record<string, string>> => ({
  CAIRN_PORT: String(mute.port),
  CAIRN_BASE_URL: `http://${mute.host}`,
  CAIRN_METRICS_TOKEN: "metrics-token-of-the-test",
  CAIRN_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
  CAIRN_REDIS_URL: `redis://${mute.host}`,
  CAIRN_SMTP_URL: `smtp://${mute.host}`,
  CAIRN_MAIL_FROM: "cairn@example.com",
  CAIRN_ANCHOR_RPC_URL: `http://${mute.host}`,
  CAIRN_ANCHOR_PRIVATE_KEY: "5ec2e75ec2e7".padEnd(64, "5ec2e7"),
  CAIRN_EXPORT_STORE: store(),
  CAIRN_ARCHIVE_STORE: store(),
  CAIRN_OIDC_ISSUER: `http://${mute.host}`,
  CAIRN_OIDC_CLIENT_ID: "cairn",
  CAIRN_OIDC_CLIENT_SECRET: "oidc-secret",
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://${mute.host}`
})

/** What is said of each peer, in its own words: none is cut off by the deadline of the check. */
const SAID = {
  "mail-server": /^the mail server refuses, or cannot be reached: /,
  redis: /^Redis cannot be reached: no answer in time$/,
  "anchor-chain": /^the node of the chain cannot be used: /,
  "export-store": /^the store does not let its files be listed: no answer in time$/,
  "archive-store": /^the store does not let its files be listed: no answer in time$/,
  "identity-provider": /^nobody can sign in at the identity provider: /,
  "otlp-collector": /^the collector of metrics and traces does not answer: /
} as const

/** What is asserted of time leaves a busy machine a multiple of it. */
const SECONDS = 2

describe("where every peer is mute", () => {
  for (const [name, database, said] of [
    ["SQLite", () => `sqlite:${root}/cairn.db`, SAID],
    [
      "PostgreSQL",
      () => `postgres://cairn:pg-secret@${mute.host}/cairn`,
      { ...SAID, database: /cannot be opened: it does not answer$|^there was no answer within/ }
    ],
    [
      "several PostgreSQL servers",
      () => `postgres://cairn:pg-secret@${mute.host},${mute.host}/cairn`,
      { ...SAID, database: /cannot be opened: it does not answer$|^there was no answer within/ }
    ]
  ] as const) {
    it.concurrent(`each is told of in time, on ${name}`, async () => {
      const began = performance.now()
      const results = await examine(
        { ...variables(), CAIRN_DATABASE_URL: database() },
        { limits: limitsOf(SECONDS), ntp: mute.host }
      )
      assert.isBelow(performance.now() - began, 3 * limitsOf(SECONDS).whole)
      for (const [id, cause] of Object.entries(said)) {
        const { findings } = results.find((result) => result.id === id) ?? { findings: [] }
        assert.match(findings[0]?.cause ?? "nothing", cause, id)
      }
      assert.notMatch(JSON.stringify(results), /secret@|pg-secret|could not be made/)
    })
  }

  it.concurrent("the commands end, and their processes with them", async () => {
    const file = join(root, "bundle.tar.gz")
    const all = { database: `postgres://cairn:pg-secret@${mute.host}/cairn`, variables: variables() }
    const began = performance.now()
    const [doctor, bundle] = await Promise.all([
      cairn(["doctor", "--all", "--timeout", `${SECONDS}`], all),
      cairn(["support-bundle", file, "--timeout", `${SECONDS}`], all)
    ])
    assert.isBelow(performance.now() - began, 60_000)
    assert.deepStrictEqual([doctor.code, bundle.code], [1, 0], `${doctor.stderr}${bundle.stderr}`)
    assert.match(doctor.stdout, /^ERROR .*\(redis\): Redis cannot be reached: no answer in time$/m)
    assert.match(bundle.stdout, /README\.txt/)
  })

  for (const [signal, code] of [
    ["SIGTERM", 130],
    ["SIGINT", 130]
  ] as const) {
    it.concurrent(`${signal} ends the command at once`, async () => {
      const own = await startMute()
      const { child, ended } = startCairn(["doctor", "--timeout", "600"], {
        database: join(root, "cairn.db"),
        variables: { CAIRN_PORT: "0", CAIRN_REDIS_URL: `redis://${own.host}` }
      })
      await eventually("Redis is asked", async () => own.connections() > 0 || undefined)
      const began = performance.now()
      child.kill(signal)
      assert.deepStrictEqual(await ended, { code, signal: null })
      assert.isBelow(performance.now() - began, 30_000)
      own.stop()
    })
  }

  it("a time that is none is refused", async () => {
    for (const seconds of ["0", "601"]) {
      const { code, stderr } = await cairn(["doctor", "--timeout", seconds], {
        database: join(root, "cairn.db")
      })
      assert.strictEqual(code, 2)
      assert.match(stderr, /--timeout: must be an integer from 1 to 600/)
    }
  })
})

describe("checks that do not end", () => {
  const check = (id: string, run: Check["run"]): Check => ({ id, title: id, looks: id, needs: [], run })
  const limits = { check: 200, whole: 300, opening: 100, peer: 100 }
  const diagnosed = (checks: ReadonlyArray<Check>) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(
          admit({ environment: { CAIRN_DATABASE_URL: ":memory:" }, machine: calmMachine, limits }),
          (patient) => diagnose(checks, patient)
        )
      )
    )

  it("are cut off though they cannot be interrupted, nor what they close", async () => {
    const results = await diagnosed([
      check("uninterruptible", () => Effect.uninterruptible(Effect.never)),
      check("closing", () =>
        Effect.as(
          Effect.addFinalizer(() => Effect.never),
          []
        )
      ),
      check("quick", () => Effect.succeed([fault("cause", "mend")]))
    ])
    assert.deepStrictEqual(
      results.map(({ findings }) => findings[0]?.cause),
      ["there was no answer within 0.2 seconds", "there was no answer within 0.2 seconds", "cause"]
    )
  })

  it("do not add up: what has not begun when the whole time is over is skipped", async () => {
    const began = performance.now()
    const hanging = Array.from({ length: 60 }, (_, at) => check(`hanging-${at}`, () => Effect.never))
    const results = await diagnosed(hanging)
    assert.isBelow(performance.now() - began, 6_000)
    assert.include(results.at(-1), {
      status: "skipped",
      skipped: "other checks have taken all of the time"
    })
  })
})
