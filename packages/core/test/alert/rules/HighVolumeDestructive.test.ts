import { assert, describe, it } from "@effect/vitest"
import { DESTRUCTIVE_ACTIONS } from "../../../src/alert/rules/HighVolumeDestructive.ts"
import { actionGlob } from "../../../src/event/ActionGlob.ts"
import { holds, log, raise, rule, times } from "./Cases.ts"

const deleted = { action: "document.deleted" }

describe("high_volume_destructive: 10 in 300 seconds by one actor, unless told otherwise", () => {
  holds({ rule_type: "high_volume_destructive" }, [
    ["nine are not many", times(9, 0, 1, deleted), []],
    ["the tenth alerts", times(10, 0, 1, deleted), [9]],
    ["those after it within the hour are the same incident", times(30, 0, 1, deleted), [9]],
    ["ten that are not destructive do not", times(10, 0, 1), []],
    [
      "the destructive ones count, whatever lies between",
      times(20, 0, 1).map((one, i) => (i % 2 === 0 ? { ...one, ...deleted } : one)),
      [18]
    ],
    [
      "the first a microsecond less than 300 seconds before the tenth counts",
      [{ ...deleted, at: 0.000001 }, ...times(9, 300 - 8, 1, deleted)],
      [9]
    ],
    [
      "the first exactly 300 seconds before the tenth does not",
      [{ ...deleted, at: 0 }, ...times(9, 300 - 8, 1, deleted)],
      []
    ],
    [
      "one actor's nine and another's one are neither's ten",
      [...times(9, 0, 1, deleted), { ...deleted, actor: "bob", at: 9 }],
      []
    ],
    [
      "every destructive verb counts",
      [
        "delete",
        "removed",
        "destroy",
        "purge",
        "revoked",
        "drop",
        "erase",
        "DELETED",
        "deleteMany",
        "bulk_delete"
      ].map((verb) => ({ action: `thing.${verb}` })),
      [9]
    ],
    ["an incident that goes on after the hour alerts again", times(3700, 0, 1, deleted), [9, 3609]],
    [
      "the times that the client claims do not matter",
      times(10, 0, 1, deleted).map((one, i) => ({ ...one, occurred: `20${10 + i}-01-01T00:00:00Z` })),
      [9]
    ]
  ])
})

describe("high_volume_destructive over the whole workspace", () => {
  holds(
    {
      rule_type: "high_volume_destructive",
      parameters: { scope: "workspace", threshold: 3, window_seconds: 10, actions: ["*.gone"] }
    },
    [
      [
        "different actors add up",
        [
          { actor: "a", action: "x.gone" },
          { actor: "b", action: "x.gone" },
          { actor: "c", action: "x.gone" }
        ],
        [2]
      ],
      [
        "and it is one incident, whoever goes on",
        ["a", "b", "c", "d", "e"].map((actor) => ({ actor, action: "x.gone" })),
        [2]
      ],
      ["actions that are not listed do not count", times(5, 0, 1, deleted), []]
    ]
  )

  it("does not lay the incident at one actor's door", () => {
    const { alerts } = raise(
      [rule({ rule_type: "high_volume_destructive", parameters: { scope: "workspace", threshold: 2 } })],
      [log(times(2, 0, 1, deleted))]
    )
    assert.strictEqual(
      alerts[0]?.reason,
      "The workspace's actors performed 2 destructive actions within 300 seconds, the last one document.deleted"
    )
  })
})

describe("high_volume_destructive remembers no more than its threshold", () => {
  it("keeps ten moments after a thousand deletions", () => {
    const { rows } = raise(
      [rule({ rule_type: "high_volume_destructive" })],
      [log(times(1000, 0, 0.01, deleted))]
    )
    const row = rows.get("rul_1 actor:ada")
    assert.lengthOf(JSON.parse(row?.value ?? "[]"), 10)
  })
})

describe("the actions that destroy", () => {
  const matches = (action: string) => DESTRUCTIVE_ACTIONS.some((pattern) => actionGlob(pattern)(action))

  it.each([
    "document.deleted",
    "s3.DeleteBucket",
    "secretsmanager.StartSecretVersionDelete",
    "api_key.revoked",
    "user.removed",
    "cache.purge",
    "table.drop",
    "dropTable",
    "db.DropTable",
    "bulk_drop",
    "disk.erase",
    "vm.destroy"
  ])("%s is one", (action) => assert.isTrue(matches(action)))

  it.each(["document.viewed", "airdrop.sent", "user.created", "backdrop.changed"])("%s is none", (action) =>
    assert.isFalse(matches(action))
  )
})
