/** Clients that send events through a failover, and what must hold of what was answered. */
import { assert } from "@effect/vitest"
import { type ApiClient, apiClient, decodeItem, errorCode } from "./ApiClient.ts"
import { cairnJson, type Tenant } from "./CairnProcess.ts"
import { eventually } from "./Eventually.ts"
import { chainOfSoundStore } from "./SoundStore.ts"

/** How long it may take from the promotion until an event is accepted again. */
export const BACK_MILLIS = 10_000

const CLIENTS = 24
const PAUSE_MILLIS = 100

/** The load. */
export interface FailoverLoad {
  /** How many events were answered `202`. */
  readonly accepted: () => number
  /** Waits until so many more are. */
  readonly more: (count: number) => Promise<unknown>
  /** Waits until one is accepted after a moment of `performance.now`; the milliseconds between. */
  readonly backAfter: (moment: number) => Promise<number>
  /** Ends the clients, once the last event of each is accepted. */
  readonly stop: () => Promise<void>
  /**
   * Fails unless every event that was answered is there once, the chain is whole, and each `503` said when to
   * come back. `rows` runs a statement on the primary.
   */
  readonly check: (
    database: string,
    rows: (statement: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  ) => Promise<void>
}

/** What the clients have seen. */
interface Seen {
  /** Ids of events whose request was answered 202, by idempotency key. */
  readonly accepted: Map<string, string>
  lastAt: number
  unavailable: number
  readonly wrong: Array<string>
  over: boolean
}

/** Sends one event after the other, each until it is accepted, by whichever process is there. */
const client = async (number: number, apis: ReadonlyArray<ApiClient>, seen: Seen) => {
  for (let count = 0; !seen.over; count++) {
    const idempotency_key = `${number}-${count}`
    const event = { actor_id: `client-${number}`, action: "load.sent", idempotency_key }
    for (let attempt = 0; ; attempt++) {
      const answer = await apis[(number + attempt) % apis.length]?.send(event).catch(() => undefined)
      if (answer?.status === 202) {
        seen.accepted.set(idempotency_key, decodeItem(answer.body).id ?? "")
        seen.lastAt = performance.now()
        break
      }
      if (answer !== undefined) {
        const seconds = Number(answer.headers.get("retry-after"))
        const isWell = Number.isInteger(seconds) && seconds >= 1 && errorCode(answer) === "unavailable"
        if (answer.status === 503 && isWell) seen.unavailable++
        else seen.wrong.push(`${answer.status} ${seconds} ${JSON.stringify(answer.body)}`)
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS))
    }
  }
}

/** Starts the clients of servers. */
export const startLoad = (baseUrls: ReadonlyArray<string>, tenant: Tenant): FailoverLoad => {
  const apis = baseUrls.map((baseUrl) => apiClient(baseUrl, tenant.key))
  const seen: Seen = { accepted: new Map(), lastAt: 0, unavailable: 0, wrong: [], over: false }
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number, apis, seen))
  return {
    accepted: () => seen.accepted.size,
    more: (count) => {
      const enough = seen.accepted.size + count
      return eventually(`${count} more events`, () => seen.accepted.size >= enough || undefined, 60_000)
    },
    backAfter: (moment) =>
      eventually(
        "an event is accepted",
        () => (seen.lastAt > moment ? seen.lastAt - moment : undefined),
        60_000
      ),
    stop: async () => {
      seen.over = true
      await Promise.all(clients)
    },
    check: async (database, rows) => {
      assert.isAbove(seen.unavailable, 0, "the failover was not felt")
      assert.deepStrictEqual(seen.wrong, [])
      await eventually("everything is sequenced", async () => {
        const [row] = await rows("SELECT count(*)::int AS count FROM inbox")
        return row?.count === 0 || undefined
      })
      assert.deepStrictEqual(await rows("SELECT * FROM parked"), [])
      assert.deepStrictEqual(await rows("SELECT * FROM log_loss"), [])
      const stored = await rows(
        "SELECT id, content::json ->> 'idempotency_key' AS key FROM event WHERE content::json ->> 'action' = 'load.sent'"
      )
      const found = new Map(stored.map(({ id, key }) => [String(key), String(id)]))
      assert.strictEqual(stored.length, found.size, "an event is there twice")
      for (const [key, id] of seen.accepted) assert.strictEqual(found.get(key), id, key)
      const verified = chainOfSoundStore(await cairnJson(["verify"], { database }))
      assert.deepInclude(verified, { valid: true, breaks: [] })
    }
  }
}
