/** People who sign in at a server that is restarted with a wrong time: a day behind, or a day ahead. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import type { HttpBrowser } from "../support/HttpBrowser.ts"
import {
  peopleDatabases,
  plantLinks,
  postMember,
  signedInBy,
  statusOfEvents,
  statusOfMe
} from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES } from "../support/TestDatabase.ts"

const folder = temporaryFolder()
killLeftovers()

const SHIFTED_CLOCK = fileURLToPath(new URL("../support/ShiftedClock.mjs", import.meta.url))
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A session is good for two hours, however much it is used. */
const LIFETIME_HOURS = 2
/** By which clocks may differ without anybody's harm. */
const SLACK = 5 * MINUTE
/** The story begins three days ago: PostgreSQL has a clock of its own, which no clock of it is ahead of. */
const BEGIN = -3 * DAY

/** When a server is started, in seconds since the beginning, and by how many its clock is wrong. */
const STARTS = [
  { time: 0, wrong: 0 },
  { time: 10 * MINUTE, wrong: -DAY },
  { time: 30 * MINUTE, wrong: DAY },
  { time: 40 * MINUTE, wrong: 0 },
  { time: LIFETIME_HOURS * HOUR + SLACK + MINUTE, wrong: 0 },
  // By now the clock shows what it showed when it was ahead.
  { time: DAY + HOUR, wrong: 0 }
] as const

/** Somebody who has signed in. */
interface Begun {
  readonly name: string
  readonly browser: HttpBrowser
  readonly at: number
  /** By how many seconds the clock was wrong. */
  readonly wrong: number
  /** What was answered at once. */
  readonly me: number
  readonly events: number
}

/** A session as it was found at a later start. */
interface Found {
  readonly name: string
  readonly wrong: number
  readonly age: number
  readonly at: string
  readonly status: number
}

const inWords = ({ time, wrong }: (typeof STARTS)[number]) =>
  `after ${time / MINUTE} minutes by a clock that is wrong by ${wrong / HOUR} hours`

describe.each(DATABASES)("a server whose clock is wrong, on %s", (kind) => {
  const { newDatabase } = peopleDatabases(kind)
  const clock = join(folder, `clock-${kind}`)
  const begun: Array<Begun> = []
  const found: Array<Found> = []

  beforeAll(async () => {
    const people = await newDatabase()
    const { database } = people
    const { key, workspaceId } = await makeTenant("Acme", { database })
    const variables = {
      TEST_CLOCK_FILE: clock,
      CAIRN_SESSION_HOURS: String(LIFETIME_HOURS),
      CAIRN_SESSION_IDLE_MINUTES: String(LIFETIME_HOURS * 60)
    }
    for (const [index, start] of STARTS.entries()) {
      const shown = BEGIN + start.time + start.wrong
      writeFileSync(clock, String(shown))
      const { baseUrl, stop } = await startServer({ database, preload: [SHIFTED_CLOCK], variables })
      for (const { name, browser, at, wrong } of begun) {
        const status = await statusOfMe(browser, baseUrl)
        found.push({ name, wrong, age: start.time - at, at: inWords(start), status })
      }
      const signIn = async (email: string) => {
        const [path = ""] = await plantLinks(people, [email], shown)
        const browser = await signedInBy(path, baseUrl)
        const me = await statusOfMe(browser, baseUrl)
        const events = await statusOfEvents(browser, baseUrl, workspaceId)
        begun.push({
          name: `${email} ${inWords(start)}`,
          browser,
          at: start.time,
          wrong: start.wrong,
          me,
          events
        })
      }
      const client = apiClient(baseUrl, key)
      if (index === 0) {
        await postMember(client, "ada@example.com", "owner")
        const bob = await postMember(client, "bob@example.com", "developer")
        await signIn("bob@example.com")
        const lowered = await client.request("PATCH", `/api/v1/members/${bob.id}`, { role: "auditor" })
        assert.strictEqual(lowered.status, 200)
      } else await signIn("bob@example.com")
      await signIn("ada@example.com")
      await stop()
    }
  })

  it("signs people in all the same", () => {
    for (const { name, me, events } of begun.filter((one) => one.name.startsWith("ada")))
      assert.deepStrictEqual({ me, events }, { me: 200, events: 200 }, name)
  })

  it("takes no session for a workspace that ended its person's later than the clock shows", () => {
    const bobs = begun.filter((one) => one.name.startsWith("bob"))
    assert.deepStrictEqual(
      bobs.map(({ me, events }) => ({ me, events })),
      STARTS.map(({ wrong }) => ({ me: 200, events: wrong < 0 ? 401 : 200 }))
    )
  })

  it("takes a session for its lifetime, whatever the clock shows in between", () => {
    const of = (index: number) => found.filter(({ name }) => name === begun[index]?.name)
    // Ada's first one: not by a clock that is behind its beginning or beyond its end, and again in between.
    assert.deepStrictEqual(
      of(1).map(({ status }) => status),
      [401, 401, 200, 401, 401]
    )
    assert.isAbove(found.filter(({ status }) => status === 200).length, 2)
    // One that was begun while the clock was ahead is good for its time when the clock shows that again.
    for (const { name, wrong, age, at, status } of found)
      if (wrong <= 0 && age > LIFETIME_HOURS * HOUR + SLACK)
        assert.strictEqual(status, 401, `${name}, used ${at}`)
  })
})
