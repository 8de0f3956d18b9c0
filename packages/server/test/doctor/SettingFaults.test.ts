/** Faults of settings and of the machine, each found by one check and by no other. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Machine } from "../../src/doctor/Machine.ts"
import { killLeftovers, startNode, startServer } from "../support/CairnProcess.ts"
import { freePort } from "../support/ProxiedServer.ts"
import { type Fault, planted } from "./Planting.ts"
import {
  assertFound,
  assertHealthy,
  calmMachine,
  copyFiles,
  type Expected,
  examine,
  useWard,
  type Variables
} from "./Ward.ts"

killLeftovers()

const ward = useWard()
const { root, original } = ward

const setting = (variables: Variables, expected: Omit<Expected, "check">): Fault => ({
  name: `${Object.keys(variables).join(" and ")} set wrong`,
  plant: () => ({ variables }),
  check: "settings",
  ...expected
})

const kernelFile = (path: string, text: string): Partial<Machine> => ({
  kernelFile: (asked) => (asked === path ? Effect.succeed(text) : calmMachine.kernelFile(asked))
})

const OF_SETTINGS: ReadonlyArray<Fault> = [
  setting(
    { CAIRN_PORT: "eighty" },
    {
      cause: /CAIRN_PORT is "eighty", but must be an integer/,
      mend: /^set CAIRN_PORT to an integer from 0 to 65535/
    }
  ),
  setting(
    { CAIRN_SMTP_URL: "smtp://127.0.0.1:25" },
    {
      cause: /CAIRN_MAIL_FROM is "", but must be an e-mail address/,
      mend: /^set CAIRN_MAIL_FROM to an e-mail address/
    }
  ),
  setting(
    { CAIRN_ANCHOR_RPC_URL: "http://127.0.0.1:1/key-secret" },
    { cause: /CAIRN_ANCHOR_PRIVATE_KEY/, mend: /^set CAIRN_ANCHOR_PRIVATE_KEY/ }
  ),
  setting(
    { CAIRN_OIDC_CLIENT_ID: "cairn" },
    { cause: /CAIRN_OIDC_ISSUER is ""/, mend: /^set CAIRN_OIDC_ISSUER/ }
  ),
  setting(
    { CAIRN_METRICS_TOKEN_FILE: "/nowhere/token" },
    {
      cause: /CAIRN_METRICS_TOKEN_FILE: the file cannot be read \(ENOENT\)/,
      mend: /^let CAIRN_METRICS_TOKEN_FILE name/
    }
  ),
  setting(
    { CAIRN_METRICS_TOKEN_FILE: "/nowhere/token", CAIRN_METRICS_TOKEN: "0123456789abcdef" },
    { cause: /CAIRN_METRICS_TOKEN is set too/, mend: /unset CAIRN_METRICS_TOKEN$/ }
  ),
  {
    name: "a variable that is misspelt",
    plant: () => ({ variables: { CAIRN_BASEURL: "https://x.example" } }),
    check: "settings-unknown",
    severity: "warning",
    cause: /^CAIRN_BASEURL is not known; did you mean `CAIRN_BASE_URL`/,
    mend: /^correct or unset CAIRN_BASEURL$/
  }
]

const OF_MACHINE: ReadonlyArray<Fault> = [
  ...["20.20.0", "22.18.9"].map(
    (nodeVersion): Fault => ({
      name: `an old Node.js (${nodeVersion})`,
      plant: () => ({ machine: { nodeVersion } }),
      check: "node-version",
      cause: /Node\.js 2[02]\.\d+\.\d runs this, and Cairn needs 22\.19 or newer/,
      mend: /^install Node\.js 22\.19/
    })
  ),
  {
    name: "a control group with little memory",
    plant: () => ({ machine: kernelFile("/sys/fs/cgroup/memory.max", "134217728\n") }),
    check: "memory",
    severity: "warning",
    cause: /may use 128 MiB, and needs up to 384 MiB/,
    mend: /docker run --memory|MemoryMax=/
  },
  {
    name: "a folder that the user may not write to",
    plant: () => ({ machine: { user: 1_000, refusesWrites: () => Effect.succeed("EACCES") } }),
    check: "folders",
    cause: /the database cannot be written to .+ \(EACCES\)/,
    mend: /^chown 1000 .+, as root$/
  },
  {
    name: "a file where the folder of exports should be",
    plant: (database) => {
      const file = join(dirname(database), "exports-file")
      writeFileSync(file, "")
      return { variables: { CAIRN_EXPORT_STORE: file } }
    },
    check: "folders",
    cause: /exports-file, where exports should be, is not a folder/,
    mend: /^correct CAIRN_EXPORT_STORE$/
  }
]

describe("cairn doctor, of settings", () => {
  planted(OF_SETTINGS, "settings", ward)

  it("tells everything that is wrong, and checks what it still can", async () => {
    const results = await examine({
      CAIRN_DATABASE_URL: "mysql://cairn:secret-of-mysql@host/db",
      CAIRN_PORT: "x",
      CAIRN_DRAIN_SECONDS: "-1"
    })
    const of = (id: string) => results.find((result) => result.id === id)
    assert.strictEqual(of("settings")?.findings.length, 3)
    assert.strictEqual(of("database")?.status, "skipped")
    assert.match(of("database")?.skipped ?? "", /^CAIRN_DATABASE_URL is wrong, see settings$/)
    assert.strictEqual(of("port")?.status, "skipped")
    assert.strictEqual(of("node-version")?.status, "ok")
    assert.notInclude(JSON.stringify(results), "secret-of-mysql")
  })

  it("has nothing to say of an installation before its first start", async () => {
    const results = await examine({ CAIRN_DATABASE_URL: `sqlite:${join(root, "new", "cairn.db")}` })
    assertHealthy(results)
    assert.match(results.find(({ id }) => id === "database")?.skipped ?? "", /there is no database yet/)
  })
})

const disk = join(root, "disk")
mkdirSync(disk)
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "cairn-doctor", disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk])
})

describe("cairn doctor, of the machine", () => {
  planted(OF_MACHINE, "machine", ward)

  it.skipIf(!isMounted)(
    "finds a full disk, and one that takes no writes (needs to mount: root on Linux)",
    async () => {
      const database = copyFiles(original, join(disk, "data"))
      const all = { CAIRN_DATABASE_URL: `sqlite:${database}` }
      assertFound(await examine(all), {
        check: "disk-space",
        cause: /^\d+ MiB of the disk with the database \(.+\) are free$/,
        mend: /^make room on the disk of .+ \(df -h .+\)/,
        // A disk for a test is in memory.
        besides: ["file-system"]
      })
      execFileSync("mount", ["-o", "remount,ro", disk])
      assertFound(await examine(all), {
        check: "folders",
        cause: /the database cannot be written to .+ \(EROFS\)/,
        mend: /^mount .+ writable/,
        besides: ["file-system", "disk-space"]
      })
      execFileSync("mount", ["-o", "remount,rw", disk])
    }
  )

  it("finds a limit of open files", async () => {
    const database = copyFiles(original, join(root, "files"))
    const bin = fileURLToPath(new URL("../../bundle/bin.js", import.meta.url))
    const command = `ulimit -n 512; exec '${process.execPath}' '${bin}' doctor --json`
    const { stdout } = spawnSync("bash", ["-c", command], {
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        CAIRN_PORT: "0",
        CAIRN_DATABASE_URL: `sqlite:${database}`,
        CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
        CAIRN_OUTBOUND_HTTP: "true"
      }
    })
    assertFound(JSON.parse(stdout).checks, {
      check: "open-files",
      severity: "warning",
      cause: /may open 512 files/,
      mend: /^ulimit -n 65536/
    })
  })

  it("finds a wrong clock, by the newest event", async () => {
    const database = copyFiles(original, join(root, "clock"))
    const file = join(root, "shift")
    writeFileSync(file, "-7200")
    const shifted = fileURLToPath(new URL("../support/ShiftedClock.mjs", import.meta.url))
    const bin = fileURLToPath(new URL("../../bundle/bin.js", import.meta.url))
    const { stdout, ended } = startNode([`--import=${shifted}`, bin, "doctor", "--json"], {
      TEST_CLOCK_FILE: file,
      CAIRN_PORT: "0",
      CAIRN_DATABASE_URL: `sqlite:${database}`,
      CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
      CAIRN_OUTBOUND_HTTP: "true"
    })
    assert.strictEqual((await ended).code, 1)
    assertFound(JSON.parse(stdout()).checks, {
      check: "clock",
      cause: /^the newest event was recorded 7\d{3} seconds after the time of this machine/,
      mend: /timedatectl set-ntp true/
    })
  })

  it("works beside a running server, whose address and proxies it looks at", async () => {
    const database = copyFiles(original, join(root, "beside"))
    const server = await startServer({
      database,
      variables: { CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8", CAIRN_OUTBOUND_HTTP: "true" }
    })
    const port = new URL(server.baseUrl).port
    const all = { CAIRN_DATABASE_URL: `sqlite:${database}`, CAIRN_PORT: port }
    assertHealthy(await examine(all))
    assertHealthy(await examine({ ...all, CAIRN_BASE_URL: server.baseUrl }))
    assertFound(await examine({ ...all, CAIRN_BASE_URL: ward.peer.url }), {
      check: "base-url",
      cause: /CAIRN_BASE_URL does not lead to it/,
      mend: /^correct CAIRN_BASE_URL/
    })
    await server.stop()
    assertFound(await examine({ ...all, CAIRN_BASE_URL: "http://audit.example.com" }), {
      check: "base-url",
      severity: "warning",
      cause: /CAIRN_BASE_URL is not https/,
      mend: /proxy with TLS/
    })
    assertFound(await examine({ ...all, CAIRN_BASE_URL: "https://audit.example.com" }), {
      check: "trusted-proxies",
      severity: "warning",
      cause: /no proxy is trusted/,
      mend: /^set CAIRN_TRUSTED_PROXIES/
    })
    assertFound(await examine({ ...all, CAIRN_TRUSTED_PROXIES: "10.0.0.1,0.0.0.0/0" }), {
      check: "trusted-proxies",
      severity: "warning",
      cause: /every address is believed/,
      mend: /proxies alone/
    })
  })

  it("finds a port that another program has", async () => {
    const database = copyFiles(original, join(root, "port"))
    const other = createServer((_, response) => response.end("hello"))
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const address = other.address()
    const port = String(typeof address === "object" && address !== null ? address.port : 0)
    const all = { CAIRN_DATABASE_URL: `sqlite:${database}` }
    assertFound(await examine({ ...all, CAIRN_PORT: port }), {
      check: "port",
      cause: /is taken by a program that is not Cairn/,
      mend: /ss -ltnp .* CAIRN_PORT/
    })
    assertFound(await examine({ ...all, CAIRN_METRICS_PORT: port }), {
      check: "metrics-port",
      cause: /of metrics is taken/,
      mend: /CAIRN_METRICS_PORT/
    })
    const free = String(await freePort())
    assertFound(await examine({ ...all, CAIRN_PORT: free, CAIRN_METRICS_PORT: free }), {
      check: "metrics-port",
      cause: /are both \d+: a server cannot start/,
      mend: /CAIRN_METRICS_PORT/
    })
    other.close()
  })
})
