/** The service behind a hostile proxy, which a trial kills at named points and which comes back each time. */
import type { SeededRandom } from "@cairn/testing"
import { type Server, startServer, type Tenant } from "../../../server/test/support/CairnProcess.ts"
import { seedTenant } from "../../../server/test/support/SeedDatabase.ts"
import { type HostileProxy, startHostileProxy } from "./HostileProxy.ts"

/** Where the service is killed: with a request that it has not answered, or has and nobody knows. */
export type ServicePoint = "service before its answer" | "service after its answer"

/** A service that is killed and restarted. */
export interface MortalService {
  /** The proxy's address, which stays the same. */
  readonly url: string
  readonly tenant: Tenant
  readonly proxy: HostileProxy
  /** Kills it at the next such point; resolves when that has happened. It starts again by itself. */
  readonly killAt: (point: ServicePoint) => Promise<void>
  /** The service's own address, once it listens. */
  readonly direct: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** Starts a service on a new SQLite database. */
export const startMortalService = async (options: {
  readonly database: string
  readonly random: SeededRandom
  /** The share of requests that suffer, 0 to 1. */
  readonly share: number
}): Promise<MortalService> => {
  const { database, random, share } = options
  const tenant = await seedTenant(database)
  let server: Server | undefined
  let starting = startServer({ database })
  server = await starting
  let isStopped = false
  const orders = new Map<ServicePoint, Array<() => void>>()

  const kill = (point: ServicePoint): void => {
    const order = orders.get(point)?.shift()
    if (order === undefined) return
    const killed = server
    server = undefined
    // A server that is starting is killed by the next order.
    starting = (killed === undefined ? starting : killed.kill()).then(() => startServer({ database }))
    starting.then(
      (started) => {
        if (isStopped) void started.kill()
        else server = started
      },
      () => {}
    )
    order()
  }

  const proxy = await startHostileProxy({
    random,
    share,
    target: () => server?.baseUrl,
    passed: () => kill("service before its answer"),
    answered: () => kill("service after its answer")
  })
  return {
    url: proxy.url,
    tenant,
    proxy,
    killAt: (point) =>
      new Promise((resolve) => {
        const waiting = orders.get(point)
        if (waiting === undefined) orders.set(point, [resolve])
        else waiting.push(resolve)
      }),
    direct: async () => (await starting).baseUrl,
    stop: async () => {
      isStopped = true
      await proxy.close()
      await (await starting).kill()
    }
  }
}
