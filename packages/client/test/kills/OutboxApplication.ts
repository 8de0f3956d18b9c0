/**
 * The two processes of an application with an outbox: one that does business in transactions, and its relay.
 * Each kills itself at the point that it is told.
 */
import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import {
  Outbox,
  type OutboxAdapter,
  pgAdapter,
  type Statement,
  sqliteAdapter
} from "../../src/outbox/index.ts"
import { fetchThrough, KillPoints } from "./KillPoints.ts"
import type { OutboxTask } from "./OutboxTask.ts"

const INSERT = (key: string, before: number, after: number) =>
  `INSERT INTO business VALUES ('${key}', '${before}', '${after}')`

/** How many milliseconds the claims of a killed relay last here. */
const LEASE_MILLIS = 1000

/** The point of a relay's statement. */
const pointOf = ({ parts }: Statement): "claim" | "removal" | "release" => {
  const text = parts.join()
  if (text.includes("RETURNING")) return "claim"
  return text.startsWith("DELETE") ? "removal" : "release"
}

/** The adapter, with points before each of its statements, while it is on its way, and after it. */
const mortal = <Tx, Done extends void | Promise<void>>(
  adapter: OutboxAdapter<Tx, Done>,
  points: KillPoints
): OutboxAdapter<Tx, Done> => ({
  ...adapter,
  run: (statement) => {
    const point = pointOf(statement)
    return points.around(point, () => {
      const running = adapter.run(statement)
      points.reachSoon(`${point} within`, 1)
      return running
    })
  }
})

const event = (run: string, number: number) => ({
  actor_id: "ada",
  action: "trial.audited",
  resource: "invoice",
  resource_id: `${run}-${number}`,
  metadata: { number, text: "x".repeat((number * 37) % 700) }
})

/** What becomes of a transaction: `part` keeps the transaction without a part of it. */
const fateOf = (number: number): "commit" | "rollback" | "part" =>
  number % 4 === 1 ? "rollback" : number % 4 === 3 ? "part" : "commit"

/** One transaction, over a driver that is told its statements. */
const transaction = async (
  number: number,
  { run }: OutboxTask,
  points: KillPoints,
  audit: (event: object) => Promise<{ readonly key: string }> | { readonly key: string },
  sql: (text: string) => Promise<unknown> | unknown
): Promise<void> => {
  const written = async (name: number) => {
    points.reach("insert before")
    const before = Date.now()
    const audited = audit(event(run, name))
    const after = Date.now()
    const { key } = await audited
    points.reach("insert after")
    return { key, before, after }
  }
  await sql("BEGIN")
  const first = await written(number)
  await sql(INSERT(first.key, first.before, first.after))
  const fate = fateOf(number)
  if (fate === "part") {
    await sql("SAVEPOINT part")
    const { key, before, after } = await written(number + 1_000_000)
    await sql(INSERT(key, before, after))
    await sql("ROLLBACK TO SAVEPOINT part")
  }
  if (fate === "rollback") return void (await sql("ROLLBACK"))
  points.reach("commit before")
  const committed = sql("COMMIT")
  points.reach("commit within")
  await committed
  points.reach("commit after")
}

const work = async (task: OutboxTask, points: KillPoints): Promise<void> => {
  const { kind, database, transactions } = task
  if (kind === "sqlite") {
    const file = new DatabaseSync(database, { timeout: 10_000 })
    const { audit } = new Outbox(sqliteAdapter(file))
    for (let number = 0; number < transactions; number++) {
      await transaction(
        number,
        task,
        points,
        (each) => audit(file, each as Parameters<typeof audit>[1]),
        (text) => file.exec(text === "BEGIN" ? "BEGIN IMMEDIATE" : text)
      )
    }
    file.close()
    return
  }
  const pool = new pg.Pool({ connectionString: database, max: 3 })
  const { audit } = new Outbox(pgAdapter(pool))
  let made = 0
  const worker = async (): Promise<void> => {
    const client = await pool.connect()
    while (made < transactions) {
      const number = made++
      await transaction(
        number,
        task,
        points,
        (each) => audit(client, each as Parameters<typeof audit>[1]),
        (text) => client.query(text)
      )
    }
    client.release()
  }
  await Promise.all([worker(), worker(), worker()])
  await pool.end()
}

const relay = async (task: OutboxTask, points: KillPoints): Promise<void> => {
  const { kind, database, url, apiKey, transactions } = task
  const pool = new pg.Pool({ connectionString: database, max: 2 })
  const file = kind === "sqlite" ? new DatabaseSync(database) : undefined
  const outbox =
    file === undefined
      ? new Outbox(mortal(pgAdapter(pool), points))
      : new Outbox(mortal(sqliteAdapter(file), points))
  const started = outbox.relay({
    url,
    apiKey,
    fetch: fetchThrough(points),
    pollMillis: 10,
    leaseMillis: LEASE_MILLIS,
    retry: { baseMillis: 5, maxMillis: 100 },
    batch: { count: 20, delayMillis: 1 },
    onError: (error, { kind }) => console.error(kind, error.message)
  })
  if (transactions > 0) return
  const waiting = "SELECT count(*) AS waiting FROM cairn_outbox"
  const left = async () =>
    Number(
      file === undefined ? (await pool.query(waiting)).rows[0].waiting : file.prepare(waiting).get()?.waiting
    )
  // What a killed relay had claimed waits for the end of its lease.
  while ((await left()) > 0) await started.flush({ timeoutMillis: 1000 })
  await started.close()
  await pool.end()
}

const task: OutboxTask = JSON.parse(process.argv[2] ?? "")
await (task.role === "application" ? work : relay)(task, new KillPoints(task.killPoint))
