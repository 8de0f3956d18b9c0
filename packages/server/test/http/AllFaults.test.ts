import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, testServer } from "./TestServer.ts"

/** Bodies with several faults, found by the schema or by what knows more, and the paths of them all. */
const BODIES: ReadonlyArray<readonly [string, string, Readonly<Record<string, unknown>>, string]> = [
  [
    "PATCH",
    "workspace",
    {
      name: "",
      ip_allowlist: ["x", "y"],
      viewer_frame_ancestors: ["https://x.example/y"],
      retention_days: 0
    },
    "name ip_allowlist[0] ip_allowlist[1] viewer_frame_ancestors[0] retention_days"
  ],
  ["POST", "members", { email: "bad", name: "a\0", role: "x", nme: 1 }, "email name role nme"],
  [
    "POST",
    "exports",
    { from: "x", to: "y", action: "a\0", search: "s".repeat(2000) },
    "from to action search"
  ],
  ["POST", "exports", { format: "evidence", action: "a", tenant_id: "b", to: "y" }, "action tenant_id to"],
  ["POST", "webhooks", { url: "ftp://x", description: "a\0", types: [] }, "url description types"],
  ["POST", "webhooks", { url: "https://10.0.0.1/", types: ["x"] }, "url types[0]"],
  ["POST", "api-keys", { name: "\0", scopes: [], expires_at: "2020-01-01" }, "name scopes expires_at"],
  ["POST", "viewer-token", { ttl: 1, tenant_id: "", actor_id: "\0" }, "ttl tenant_id actor_id"],
  ["POST", "events/proofs", { ids: ["x", "y"], idz: 1 }, "ids[0] ids[1] idz"]
]

describe("A body with several faults", () => {
  it.live.each(BODIES)("%s /%s names all of %j", ([method, path, body, faults]) =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const answer = yield* send({ path: `/api/v1/${path}`, method, key, body })
      assert.strictEqual(answer.status, 422)
      const { message } = answer.json<{ message: string }>()
      const named = Array.from(message.matchAll(/(?:^|; )([a-z_]+(?:\[\d+\])?): /g), ([, path]) =>
        String(path)
      )
      assert.deepStrictEqual(named.toSorted(), faults.split(" ").toSorted(), message)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("names the range of a number that has the wrong type", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const answer = yield* send({ path: "/api/v1/viewer-token", key, body: { ttl: "60" } })
      assert.include(answer.json<{ message: string }>().message, "ttl: must be 60 to 86400 seconds")
    }).pipe(Effect.provide(testServer()))
  )
})
