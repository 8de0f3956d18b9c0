import type { ClaimShare, WaitingReceiver } from "@cairn/core/outbound"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type DeliveryLimits, receiverKey, shareOut, type UnderWay } from "../../src/outbox/DeliveryShares.ts"

const generated = generatedTests(import.meta.url)

const limits: DeliveryLimits = {
  total: 40,
  suspects: 16,
  perWorkspace: 10,
  suspectsPerWorkspace: 4,
  perTarget: 3
}

const receiver = (workspace: number, target: number, dueAt = 0): WaitingReceiver => ({
  workspaceId: `wsp_${workspace}`,
  target: `whk_${workspace}_${target}`,
  dueAt
})
const nobody = () => false
const sum = (shares: ReadonlyArray<ClaimShare>): number => shares.reduce((all, { limit }) => all + limit, 0)

describe("the shares of receivers", () => {
  it("nobody waits, nobody gets anything", () => {
    assert.deepStrictEqual(shareOut(limits, [], nobody, []), [])
  })

  it("one receiver alone gets as much as one receiver may have, and no more while it has that", () => {
    const one = receiver(1, 1)
    assert.deepStrictEqual(shareOut(limits, [], nobody, [one]), [
      { workspaceId: one.workspaceId, target: one.target, limit: 3 }
    ])
    assert.deepStrictEqual(shareOut(limits, [one, one], nobody, [one])[0]?.limit, 1)
    assert.deepStrictEqual(shareOut(limits, [one, one, one], nobody, [one]), [])
  })

  it("a workspace that waits gets a place before another gets its second, whoever waited longer", () => {
    const many = Array.from({ length: 20 }, (_, target) => receiver(1, target, 0))
    const late = Array.from({ length: 4 }, (_, workspace) => receiver(2 + workspace, 1, 1_000))
    const shares = shareOut({ ...limits, total: 5 }, [], nobody, [...many, ...late])
    assert.deepStrictEqual(
      shares.map(({ workspaceId, limit }) => [workspaceId, limit]),
      [
        ["wsp_1", 1],
        ["wsp_2", 1],
        ["wsp_3", 1],
        ["wsp_4", 1],
        ["wsp_5", 1]
      ]
    )
  })

  it("a receiver that answers has its place beside any number of suspects of its own workspace", () => {
    const suspects = Array.from({ length: 50 }, (_, target) => receiver(1, target, 0))
    const well = receiver(1, 99, 9)
    const keys = new Set(suspects.map(receiverKey))
    const shares = shareOut(limits, [], (key) => keys.has(key), [...suspects, well])
    assert.strictEqual(shares.find(({ target }) => target === well.target)?.limit, 3)
    const rest = shares.filter(({ target }) => target !== well.target)
    assert.isTrue(rest.every(({ limit }) => limit === 1))
    assert.strictEqual(sum(rest), 4)
  })

  it("any number of workspaces full of suspects leave room for one that has none", () => {
    const suspects = Array.from({ length: 400 }, (_, index) => receiver(index % 80, index, 0))
    const keys = new Set(suspects.map(receiverKey))
    const isSuspect = (key: string) => keys.has(key)
    const first = shareOut(limits, [], isSuspect, suspects)
    assert.strictEqual(sum(first), limits.suspects)
    const shares = shareOut(limits, first, isSuspect, [...suspects, receiver(99, 1, 9)])
    assert.deepStrictEqual(
      shares.map(({ workspaceId, limit }) => [workspaceId, limit]),
      [["wsp_99", 3]]
    )
  })

  it("no limit is passed, nothing that could be given is kept back, and what is given is level", () => {
    const place = fc.record({ workspace: fc.nat(6), target: fc.nat(8), dueAt: fc.nat(50) })
    generated.property(
      fc.property(fc.array(place), fc.array(place, { maxLength: 60 }), fc.nat(3), (under, wait, every) => {
        const isSuspect = (key: string) => every > 0 && Number(key.at(-1)) % (every + 1) === 0
        const waiting = [
          ...new Map(
            wait.map(({ workspace, target, dueAt }) => {
              const one = receiver(workspace, target, dueAt)
              return [receiverKey(one), one]
            })
          ).values()
        ]
        const before: Array<UnderWay> = under.map(({ workspace, target }) => receiver(workspace, target))
        const shares = shareOut(limits, before, isSuspect, waiting)
        const given = shares.flatMap((share) => Array.from({ length: share.limit }, () => share))
        const after = [...before, ...given]
        const of = (all: ReadonlyArray<UnderWay>, test: (one: UnderWay) => boolean) => all.filter(test).length
        const suspect = (one: UnderWay) => isSuspect(receiverKey(one))
        // What was in progress before may stand above a limit; nothing is added there.
        const within = (test: (one: UnderWay) => boolean, limit: number) =>
          of(given, test) === 0 || of(after, test) <= limit
        assert.isTrue(within(() => true, limits.total))
        assert.isTrue(within(suspect, limits.suspects))
        for (const one of waiting) {
          const here = (other: UnderWay) => other.workspaceId === one.workspaceId
          const same = (other: UnderWay) => receiverKey(other) === receiverKey(one)
          const most = suspect(one) ? 1 : limits.perTarget
          assert.isTrue(within(here, limits.perWorkspace))
          assert.isTrue(within((other) => here(other) && suspect(other), limits.suspectsPerWorkspace))
          assert.isTrue(within(same, most))
          const free =
            after.length < limits.total &&
            of(after, here) < limits.perWorkspace &&
            of(after, same) < most &&
            (!suspect(one) ||
              (of(after, suspect) < limits.suspects &&
                of(after, (other) => here(other) && suspect(other)) < limits.suspectsPerWorkspace))
          assert.isFalse(free, "a place that could be given was kept back")
        }
      }),
      { numRuns: 500 }
    )
  })
})
