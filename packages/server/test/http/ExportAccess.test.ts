import { Micros } from "@cairn/core/encoding"
import { ExportMaker } from "@cairn/core/export"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accesses, idOf, PREFIX, read, withClock } from "./AccessSteps.ts"
import { signedIn } from "./SignedIn.ts"
import { makeTenant, type Sent, send, testServer } from "./TestServer.ts"

describe("Who reads an export", () => {
  it.live("is who has an export's link", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const id = idOf((yield* read({ key, body: {} }, "/exports")).text)
      const { advance } = yield* ExportMaker
      while (yield* Effect.orDie(advance));
      const shown = (yield* read({ key }, `/exports/${id}`)).json<{ data: { download_url: string } }>().data
      const { pathname, search } = new URL(shown.download_url)
      for (let index = 0; index < 2; index++)
        assert.strictEqual((yield* send({ path: `${pathname}${search}` })).status, 302)
      const forged = yield* send({ path: `${pathname}${search.slice(0, -1)}x` })
      assert.strictEqual(forged.status, 401, forged.text)
      const [event, ...others] = yield* accesses(workspace.id)
      assert.isEmpty(others)
      assert.strictEqual(event?.action, "cairn.access.downloads")
      assert.deepInclude(event?.actor, { id, type: "link" })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is who fetches an export's file, each time its address is used", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        const { member, headers } = yield* signedIn(workspace.id, "auditor")
        const id = idOf((yield* read({ key, body: {} }, "/exports")).text)
        const { advance } = yield* ExportMaker
        while (yield* Effect.orDie(advance));
        const shown = (yield* read({ key }, `/exports/${id}`)).json<{ data: { download_url: string } }>().data
        const target = (address: string) => new URL(address).pathname + new URL(address).search
        const addressOf = Effect.fnUntraced(function* (sent: Sent) {
          const { status, headers } = yield* send(sent)
          assert.strictEqual(status, 302)
          return target(String(headers.location))
        })
        const downloads = (hour: string) =>
          Effect.map(accesses(workspace.id), (events) =>
            events
              .filter(({ action, metadata }) => action.endsWith(".downloads") && metadata?.hour === hour)
              .map(({ actor, resource }) => [actor.type, actor.id, resource.id])
          )
        const path = `${PREFIX}/exports/${id}/download`
        time.advance(49 * Micros.MINUTE)
        const byMember = yield* addressOf({ path, headers })
        const byLink = yield* addressOf({ path: target(shown.download_url) })
        const byKey = yield* addressOf({ path, key })
        const readers = [
          ["member", member.id, id],
          ["link", id, id]
        ]
        assert.deepStrictEqual(yield* downloads("2026-05-01T12:00:00Z"), readers)
        // In the next hour the same addresses are still good, and lead to first reads of that hour.
        time.advance(2 * Micros.MINUTE)
        const forged = [byMember.replace(member.id, `${member.id}0`), byMember.replace(/&reader=.*/, "")]
        for (const wrong of [...forged, byKey.replace("/exports/", "/exports/x")])
          assert.strictEqual((yield* send({ path: wrong })).status, 401, wrong)
        assert.isEmpty(yield* downloads("2026-05-01T13:00:00Z"))
        for (const address of [byMember, byLink, byKey, byMember])
          assert.strictEqual((yield* send({ path: address })).status, 200, address)
        assert.deepStrictEqual(yield* downloads("2026-05-01T13:00:00Z"), readers)
      })
    )
  )
})
