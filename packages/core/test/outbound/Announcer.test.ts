import { Sha256 } from "@cairn/core/hashing"
import { Announcer, decodeMailNotice, type OutboundEventType, Outbox, Webhooks } from "@cairn/core/outbound"
import type { BrokenChain } from "@cairn/core/verification"
import { ManagedWorkspaces, type MemberRole, Members } from "@cairn/core/workspace"
import { MemoryStorage, testMember, testWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const broken: BrokenChain = {
  valid: false,
  events_checked: 7,
  breaks: [{ event_id: "event-1", type: "chain_break", expected_hash: "a", actual_hash: "b" }]
}

const addWebhook = (id: string, types: ReadonlyArray<OutboundEventType>, enabled = true) =>
  Effect.flatMap(Webhooks, ({ create }) =>
    create({
      id,
      workspace_id: "wsp_1",
      url: "https://example.com",
      description: null,
      types,
      enabled,
      disabled_reason: null,
      failing_since: null,
      secrets: [],
      created_at: 0,
      updated_at: 0
    })
  )

const addMember = (email: string, role: MemberRole) =>
  Effect.flatMap(Members, ({ create }) =>
    create(testMember({ id: email, workspace_id: "wsp_1", email, role, created_at: 0 }))
  )

/** A workspace with listeners of several kinds, by a service that sends mail or does not. */
const within = <A, E>(mail: boolean, effect: Effect.Effect<A, E, Announcer | Outbox>) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(ManagedWorkspaces, ({ create }) =>
      create(testWorkspace({ id: "wsp_1", name: "Acme", plan: "pro" }))
    )
    yield* addWebhook("whk_chain", ["chain.broken"])
    yield* addWebhook("whk_both", ["chain.broken", "export.completed"])
    yield* addWebhook("whk_alerts", ["alert.triggered"])
    yield* addWebhook("whk_off", ["chain.broken"], false)
    yield* addMember("owner@example.com", "owner")
    yield* addMember("member@example.com", "member")
    return yield* effect
  }).pipe(
    Effect.provide(
      Announcer.layer({ mail }).pipe(
        Layer.provideMerge(
          Layer.merge(
            Layer.suspend(() => MemoryStorage.layer()),
            Sha256.layer
          )
        )
      )
    )
  )

const stored = Effect.flatMap(Outbox, ({ page }) => page("wsp_1", { filter: {}, before: null, limit: 10 }))

const announce = (cause: string) =>
  Effect.flatMap(Announcer, (announcer) =>
    announcer.announce("wsp_1", { type: "chain.broken", data: broken }, cause)
  )

describe("Announcer", () => {
  it.effect("tells the webhooks that listen, and the owners and admins where mail is due", () =>
    within(
      true,
      Effect.gen(function* () {
        yield* announce("verification 1")
        const told = yield* stored
        assert.sameDeepMembers(
          told.map(({ channel, target, type }) => [channel, target, type]),
          [
            ["webhook", "whk_chain", "chain.broken"],
            ["webhook", "whk_both", "chain.broken"],
            ["mail", "owner@example.com", "mail.chain_broken"]
          ]
        )
        for (const { channel, payload } of told) {
          if (channel === "webhook")
            assert.deepInclude(JSON.parse(payload), { type: "chain.broken", data: broken })
          else {
            assert.deepStrictEqual(yield* decodeMailNotice(payload), {
              kind: "chain_broken",
              workspace: "Acme",
              verification: broken
            })
          }
        }
      })
    )
  )

  it.effect("tells of one cause once, and of the next again", () =>
    within(
      true,
      Effect.gen(function* () {
        yield* announce("verification 1")
        yield* announce("verification 1")
        assert.lengthOf(yield* stored, 3)
        yield* announce("verification 2")
        assert.lengthOf(yield* stored, 6)
      })
    )
  )

  it.effect("writes no mail where the service sends none", () =>
    within(
      false,
      Effect.gen(function* () {
        yield* announce("verification 1")
        assert.sameMembers(
          (yield* stored).map(({ target }) => target),
          ["whk_chain", "whk_both"]
        )
      })
    )
  )
})
