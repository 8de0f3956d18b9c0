import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { wholeVerification } from "@cairn/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { apiClient, decodeItem, errorCode } from "../support/ApiClient.ts"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
const disk = join(folder, "disk")
mkdirSync(disk)
/** A small disk of its own, which takes root on Linux. */
const isMounted =
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m", "cairn-test", disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk])
})
killLeftovers()

/** 20 KB an event. */
const body = (number: number) => ({
  actor_id: "disk",
  action: "disk.filled",
  metadata: { number, text: "x".repeat(20_000) }
})

describe.skipIf(!isMounted)("a full disk (needs to mount a tmpfs: root on Linux)", () => {
  it("answers 503, loses nothing it acknowledged, and goes on once there is room", async () => {
    const database = join(disk, "cairn.db")
    const { key } = await seedTenant(database)
    const filler = join(disk, "filler")
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(filler, new Uint8Array(bavail * bsize - 3_000_000))
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)

    const acknowledged: Array<string> = []
    let refused = 0
    for (let number = 0; refused < 20; number++) {
      assert.isBelow(number, 2_000, "the disk never was full")
      const answer = await client.send(body(number))
      if (answer.status === 202) acknowledged.push(decodeItem(answer.body).id ?? "")
      else {
        refused++
        assert.strictEqual(answer.status, 503)
        assert.strictEqual(errorCode(answer), "unavailable")
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
    }
    assert.isAbove(acknowledged.length, 5)
    const ready = async (query: string) => {
      const response = await fetch(`${server.baseUrl}/readyz${query}`)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    assert.deepStrictEqual(await ready(""), { status: 200, body: { status: "ready", writes: "disk full" } })
    const refusal = await ready("?for=write")
    assert.strictEqual(refusal.status, 503)
    assert.include(String(refusal.body.message), "the disk is full")
    // It still is alive, and reads what it has.
    assert.strictEqual((await fetch(`${server.baseUrl}/healthz`)).status, 200)
    assert.strictEqual((await client.event(acknowledged[0] ?? "")).actor.id, "disk")

    rmSync(filler)
    // Without a client, which a balancer sends elsewhere meanwhile.
    await eventually(
      "it is ready for writes",
      async () => (await ready("?for=write")).status === 200 || undefined
    )
    const { id } = await eventually("events are accepted again", async () => {
      const answer = await client.send(body(-1))
      return answer.status === 202 ? decodeItem(answer.body) : undefined
    })
    acknowledged.push(id ?? "")
    const events = await eventually("every event is sequenced", async () => {
      const found = await client.list({ actor_id: "disk" })
      return found.length >= acknowledged.length ? found : undefined
    })
    // No more either: what was refused is not there.
    assert.deepStrictEqual(events.map((event) => event.id).reverse(), acknowledged)
    assert.deepStrictEqual(await client.verify(), wholeVerification(acknowledged.length + 2))
    assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
  })
})
