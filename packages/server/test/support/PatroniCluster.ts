/** Two PostgreSQL servers that Patroni replaces by themselves, with etcd as its memory. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  databasesOn,
  freePort,
  HOST,
  PASSWORD,
  type TestDatabases,
  USER
} from "@cairn/testing/EmbeddedPostgres"
import { postgresPrograms } from "@cairn/testing/ReplicatedPostgres"
import { pythonPackages } from "../contract/Tools.ts"
import { eventually } from "./Eventually.ts"

const home = fileURLToPath(new URL("../hold/patroni/", import.meta.url))

/** One of the two servers. */
export interface PatroniMember extends TestDatabases {
  readonly name: string
  readonly port: number
  /** Starts Patroni, which starts PostgreSQL. */
  readonly start: () => void
  /** Ends Patroni and PostgreSQL at once, as a machine that loses its power. */
  readonly kill: () => void
  /** What Patroni has written. */
  readonly log: () => string
}

/** The servers, and the memory of what they agreed on. */
export interface PatroniCluster {
  readonly members: readonly [PatroniMember, PatroniMember]
  /** The name of the member with a role, as the members tell it; undefined while there is none. */
  readonly memberOf: (role: "leader" | "sync_standby") => Promise<string | undefined>
  readonly stop: () => void
}

/** Where Patroni and etcd are, or what is missing. */
export const findPatroni = async (): Promise<{ readonly folder: string } | { readonly missing: string }> => {
  const { status } = spawnSync("etcd", ["--version"])
  if (status !== 0) return { missing: "there is no etcd, which is Debian's etcd-server" }
  return pythonPackages("patroni", join(home, "requirements.txt"))
}

/** The account that PostgreSQL runs as where root runs the tests. */
const account = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout)
  return { uid: id("-u"), gid: id("-g") }
}

/** What every member is configured with once the cluster is made. */
const bootstrap = {
  dcs: {
    ttl: 20,
    loop_wait: 1,
    retry_timeout: 3,
    synchronous_mode: true,
    postgresql: {
      use_pg_rewind: false,
      parameters: { max_connections: 200, wal_keep_size: "1GB", unix_socket_directories: "" }
    }
  },
  initdb: ["no-sync", { encoding: "UTF8" }, { locale: "C" }, "data-checksums"]
}

const makeMember = async (
  name: string,
  { folder, packages, etcd }: { readonly folder: string; readonly packages: string; readonly etcd: number }
) => {
  const [port, restPort] = [await freePort(), await freePort()]
  const login = { username: USER, password: PASSWORD }
  const configuration = {
    scope: "cairn",
    name,
    restapi: { listen: `${HOST}:${restPort}`, connect_address: `${HOST}:${restPort}` },
    etcd3: { hosts: [`${HOST}:${etcd}`] },
    bootstrap,
    postgresql: {
      listen: `${HOST}:${port}`,
      connect_address: `${HOST}:${port}`,
      data_dir: join(folder, name),
      bin_dir: join(folder, "bin"),
      pgpass: join(folder, `pass-${name}`),
      authentication: { superuser: login, replication: login },
      pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"],
      create_replica_methods: ["copy"],
      copy: { command: `python3 ${join(folder, "bin", "copy_primary.py")}` },
      remove_data_directory_on_diverged_timelines: true
    }
  }
  const file = join(folder, `${name}.yml`)
  writeFileSync(file, JSON.stringify(configuration))
  let child: ChildProcess | undefined
  let log = ""
  const member: PatroniMember = {
    ...databasesOn(port),
    name,
    port,
    log: () => log,
    start: () => {
      child = spawn("python3", ["-m", "patroni", file], {
        ...account(),
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, PYTHONPATH: packages },
        stdio: ["ignore", "pipe", "pipe"]
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          log += text
        })
      }
    },
    kill: () => {
      child?.kill("SIGKILL")
      // The server's own processes end with it, once they notice.
      const found = spawnSync("pgrep", ["-f", "--", `-D ${join(folder, name)} `], { encoding: "utf8" }).stdout
      for (const pid of found.split("\n").map(Number)) if (pid > 0) process.kill(pid, "SIGKILL")
    }
  }
  return { member, restPort }
}

/** Starts the cluster; it is there once both servers are. */
export const startPatroni = async (found: string): Promise<PatroniCluster> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-patroni-"))
  const { uid, gid } = account()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  // What was installed is its installer's alone.
  const packages = join(folder, "packages")
  cpSync(found, packages, { recursive: true })
  chmodSync(packages, 0o755)
  const bin = join(folder, "bin")
  mkdirSync(bin)
  for (const program of ["initdb", "pg_ctl", "postgres"])
    symlinkSync(join(postgresPrograms(), program), join(bin, program))
  for (const program of ["pg_controldata", "pg_isready", "copy_primary.py"])
    cpSync(join(home, program), join(bin, program))

  const [etcdPort, peerPort] = [await freePort(), await freePort()]
  const [clients, peers] = [`http://${HOST}:${etcdPort}`, `http://${HOST}:${peerPort}`]
  const listening = ["--listen-client-urls", clients, "--advertise-client-urls", clients]
  const peering = ["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers]
  const etcd = spawn(
    "etcd",
    [...listening, ...peering, "--initial-cluster", `default=${peers}`, "--data-dir", join(folder, "etcd")],
    { stdio: "ignore" }
  )
  const place = { folder, packages, etcd: etcdPort }
  const made = [await makeMember("one", place), await makeMember("two", place)] as const

  const memberOf: PatroniCluster["memberOf"] = async (role) => {
    for (const { restPort } of made) {
      const answer = await fetch(`http://${HOST}:${restPort}/cluster`).catch(() => undefined)
      if (answer === undefined) continue
      const { members } = (await answer.json()) as {
        members: ReadonlyArray<{ name: string; role: string; state: string }>
      }
      return members.find((one) => one.role === role && /running|streaming/.test(one.state))?.name
    }
    return undefined
  }
  const [one, two] = [made[0].member, made[1].member]
  const stop = () => {
    for (const { kill } of [one, two]) kill()
    etcd.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  try {
    one.start()
    await eventually("Patroni makes a primary", () => memberOf("leader"), 60_000)
    two.start()
    await eventually("Patroni makes a standby", () => memberOf("sync_standby"), 60_000)
  } catch (error) {
    stop()
    throw new Error(`${String(error)}\n${one.log().slice(-4_000)}\n${two.log().slice(-4_000)}`)
  }
  return { members: [one, two], memberOf, stop }
}
