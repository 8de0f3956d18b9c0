/** The kill trial of the spool, with the programs that it is given. */
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { assert } from "@effect/vitest"
import { apiClient } from "../../../server/test/support/ApiClient.ts"
import { eventually } from "../../../server/test/support/Eventually.ts"
import { readSpool } from "../../src/spool/index.ts"
import { type Program, type Promised, startApplication } from "./Application.ts"
import { AT_RANDOM, count, type KillCounts, say, sayKills, shuffled } from "./KillPlan.ts"
import type { KillPoint } from "./KillPoints.ts"
import { expectAllOnce } from "./LogCheck.ts"
import { type MortalService, type ServicePoint, startMortalService } from "./MortalService.ts"

/** Where an application kills itself, and after how many times at that point at most. */
const POINTS: Readonly<Record<string, number>> = {
  "create before": 2,
  "create after": 2,
  "write before": 60,
  "write within": 60,
  "write after": 60,
  "fsync before": 40,
  "fsync after": 40,
  "rename before": 1,
  "rename after": 1,
  "send before": 12,
  "send within": 12,
  "answer after": 10,
  "removal before": 3,
  "removal after": 3
}

const SERVICE_POINTS: ReadonlyArray<ServicePoint> = ["service before its answer", "service after its answer"]

/** Applications that share the folder at a time. */
const AT_ONCE = 2
/** Events that an application makes when nobody kills it. */
const EVENTS = 250
/** The share of requests that suffer. */
const HOSTILITY = 0.4

/** The kills of a trial, in the order in which they happen. */
const plan = (random: SeededRandom, { each, kills }: KillCounts): ReadonlyArray<string> => {
  const named = [...Object.keys(POINTS), ...SERVICE_POINTS]
  const whole = named.flatMap((name) => Array.from({ length: each }, () => name))
  const all = [...whole, ...Array.from({ length: kills - whole.length }, () => AT_RANDOM)]
  const order = shuffled(all, random)
  // A fiftieth, in which the service is among the killed.
  return isEndurance()
    ? order
    : [...order.filter((name) => !name.startsWith("service")).slice(0, 4), "service before its answer"]
}

interface Trial {
  /** Started in turns; the first one ends the trial. */
  readonly programs: ReadonlyArray<Program>
  readonly place: string
  readonly service: MortalService
  readonly random: SeededRandom
  readonly promised: Array<Promised>
  readonly killed: Map<string, number>
}

let runs = 0

/** Runs one application until it is killed in the given way. */
const killOnce = async (trial: Trial, name: string): Promise<void> => {
  const { programs, place, service, random, promised, killed } = trial
  const most = POINTS[name]
  const nth = 1 + random.below(most ?? 1)
  const point = SERVICE_POINTS.find((each) => each === name)
  let isHit = false
  const hit =
    point &&
    service.killAt(point).then(() => {
      isHit = true
    })
  const start = (killPoint?: KillPoint) =>
    startApplication(random.pick(programs), {
      place,
      url: service.url,
      apiKey: service.tenant.key,
      run: `run${++runs}`,
      events: EVENTS,
      ...(killPoint === undefined ? {} : { killPoint })
    })
  for (let tries = 0; tries < 5; tries++) {
    // Only what somebody has left is adopted.
    if (name.startsWith("rename")) {
      promised.push(...(await start({ name: "fsync after", nth: 2 }).ended).promised)
    }
    // A point that an application did not come to so often is tried sooner.
    const application = start(most === undefined ? undefined : { name, nth: Math.max(1, nth >> tries) })
    if (hit === undefined && most === undefined) {
      const least = random.below(EVENTS)
      const reached = () => application.promised() >= least || undefined
      await Promise.race([eventually(`${least} events are promised`, reached, 60_000), application.ended])
      application.child.kill("SIGKILL")
    }
    const ended = await application.ended
    promised.push(...ended.promised)
    if (!isHit && !ended.wasKilled) continue
    count(killed, name)
    return
  }
  throw new Error(`no application came to "${name}"`)
}

/** Sends what is left, and looks at what the folder and the log hold. */
const finish = async ({ programs, place, service, promised, killed }: Trial): Promise<void> => {
  const { key } = service.tenant
  service.proxy.calm()
  const baseUrl = await service.direct()
  const last = startApplication(
    programs[0] ?? "",
    { place, url: baseUrl, apiKey: key, run: "last", events: 1 },
    120_000
  )
  promised.push(...(await last.ended).promised)
  const { waiting, deadLetters, damaged } = await readSpool(place)
  assert.deepStrictEqual([waiting.length, deadLetters, damaged], [0, [], 0])
  // Sockets of owners that had no segments are removed once they are old.
  assert.deepStrictEqual(
    readdirSync(place).filter((name) => !name.endsWith(".sock")),
    []
  )
  const client = apiClient(baseUrl, key)
  const all = await eventually("all that was accepted is in the log", async () => {
    const { total } = (await client.page({ limit: 1, action: "trial.spooled" })).pagination
    const logged = await client.list({ action: "trial.spooled" })
    return total === logged.length ? logged : undefined
  })
  const unsaid = expectAllOnce(all, promised)
  console.log(
    `${sayKills(killed)}, ${runs} applications; the proxy: ${say(service.proxy.done)}; ${promised.length} promised events and ${unsaid.length} others are in the log once`
  )
}

/** Runs the trial of a seed: kills applications and their service, and looks at what the log holds. */
export const spoolKills = async (
  seed: number,
  options: KillCounts & { readonly programs: ReadonlyArray<Program>; readonly folder: string }
): Promise<void> => {
  const { folder, programs } = options
  const random = seededRandom(seed)
  const place = join(folder, `spool-${seed}`)
  mkdirSync(place)
  const database = join(folder, `${seed}.db`)
  const service = await startMortalService({ database, random, share: HOSTILITY })
  const trial = { programs, place, service, random, promised: [], killed: new Map() }
  const kills = [...plan(random, options)]
  const slot = async () => {
    for (let next = kills.shift(); next !== undefined; next = kills.shift()) await killOnce(trial, next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, slot))
  await finish(trial)
  await service.stop()
}
