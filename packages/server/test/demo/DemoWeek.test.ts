import { Micros } from "@cairn/core/encoding"
import { decodeEvent } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { CUSTOMERS, PEOPLE, SERVICES } from "../../src/demo/Company.ts"
import { DEMO_SEED, demoWeek, WEEK } from "../../src/demo/DemoWeek.ts"

const weekUntil = (until: Micros.Micros) => ({ until, week: demoWeek({ seed: DEMO_SEED, until }) })
/** Whenever somebody starts a demo: every five hours of eight days, so at each hour of some day. */
const WEEKS = Array.from({ length: 40 }, (_, index) => weekUntil(Date.UTC(2026, 2, 1, index * 5, 17) * 1_000))
const { until: anEnd, week: aWeek } = weekUntil(Date.UTC(2026, 2, 5, 4) * 1_000)

const hourOf = (at: Micros.Micros): number => new Date(at / 1_000).getUTCHours()
const isWeekend = (at: Micros.Micros): boolean => [0, 6].includes(new Date(at / 1_000).getUTCDay())

describe("the week of the demo", () => {
  it("is the same for the same seed, and another for another", () => {
    assert.deepStrictEqual(weekUntil(anEnd).week, aWeek)
    const other = demoWeek({ seed: DEMO_SEED + 1, until: anEnd })
    assert.notDeepEqual(
      other.map(({ at }) => at),
      aWeek.map(({ at }) => at)
    )
  })

  it("is a week of about 3,000 events in order, whenever it ends", () => {
    for (const { until, week } of WEEKS) {
      assert.isAbove(week.length, 2_500)
      assert.isBelow(week.length, 3_500)
      assert.isTrue(week.every(({ at }, index) => index === 0 || at > (week[index - 1]?.at ?? 0)))
      assert.isAtLeast(week[0]?.at ?? 0, until - WEEK)
      assert.isBelow(week[0]?.at ?? 0, until - WEEK + Micros.DAY)
      assert.isBelow(week.at(-1)?.at ?? 0, until)
      assert.isAbove(week.at(-1)?.at ?? 0, until - Micros.DAY)
    }
  })

  it("is a working week: busy by day, little at night, less at the weekend", () => {
    const people = aWeek.filter(({ body }) => body.actor_type === "user")
    const [night, day] = [
      people.filter(({ at }) => hourOf(at) < 7 || hourOf(at) >= 22),
      people.filter(({ at }) => hourOf(at) >= 8 && hourOf(at) < 18)
    ]
    assert.isAbove(night.length, 0)
    assert.isBelow(night.length * 20, day.length)
    const weekend = people.filter(({ at }) => isWeekend(at))
    assert.isAbove(weekend.length, 0)
    assert.isBelow(weekend.length * 5, people.length)
  })

  it("has only events that the service takes, each of which is marked and has a key of its own", () => {
    for (const { at, body } of aWeek) {
      assert.isTrue(Result.isSuccess(decodeEvent(body, [])), JSON.stringify(body))
      assert.strictEqual(body.metadata?.demo, true)
      assert.isBelow(Micros.parse(body.occurred_at ?? "") ?? at, at)
    }
    assert.strictEqual(new Set(aWeek.map(({ body }) => body.idempotency_key)).size, aWeek.length)
    assert.isAbove(new Set(aWeek.map(({ body }) => body.action)).size, 25)
  })

  it("is about everybody of the company, every program and every customer, and says what changed", () => {
    const actors = new Set(aWeek.map(({ body }) => body.actor_id))
    assert.deepStrictEqual(
      [...PEOPLE, ...Object.values(SERVICES)].filter(({ id }) => !actors.has(id)),
      []
    )
    const tenants = new Set(aWeek.map(({ body }) => body.tenant_id))
    assert.deepStrictEqual(
      CUSTOMERS.filter(({ id }) => !tenants.has(id)),
      []
    )
    const changes = aWeek.filter(({ body }) => body.metadata?.before !== undefined)
    assert.isAbove(changes.length, 100)
    for (const { body } of changes) assert.notDeepEqual(body.metadata?.before, body.metadata?.after)
    assert.isAbove(aWeek.filter(({ body }) => (body.targets?.length ?? 0) > 0).length, 20)
  })

  it("names addresses and people that are nobody's", () => {
    for (const { body } of aWeek) {
      const { ip_address: address } = body
      if (address) assert.match(address, /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/)
    }
    for (const [text] of JSON.stringify(aWeek).matchAll(/[\w.]+@[\w.]+/g)) assert.match(text, /\.example$/)
  })

  it("has every story, whenever it ends", () => {
    for (const { week } of WEEKS) {
      const count = (action: string, actor: string) =>
        week.filter(({ body }) => body.action === action && body.actor_id === actor).length
      assert.isAtLeast(count("customer.exported", "tomas.reyes"), CUSTOMERS.length)
      assert.isAtLeast(count("user.sign_in_failed", "priya.nair"), 17)
      assert.strictEqual(count("user.phone_changed", "priya.nair"), 1)
      assert.strictEqual(count("role.changed", "lena.fischer"), 2)
      assert.isAtLeast(count("document.deleted", "svc_archiver"), 14)
      assert.strictEqual(count("contact.imported", "svc_crm_sync"), 150)
    }
  })
})
