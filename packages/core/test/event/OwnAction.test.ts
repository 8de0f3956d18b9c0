import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { CONFUSABLES } from "../../src/event/Confusables.ts"
import { decodeEvent, decodeOwnEvent } from "../../src/event/EventDecoding.ts"
import { RESERVED_ACTIONS } from "../../src/event/EventInput.ts"
import { isOrdinary } from "../../src/event/OrdinaryEvent.ts"
import { OWN_PREFIX, readsAsOwn } from "../../src/event/OwnAction.ts"

const body = (action: string) => ({ actor_id: "ada", action })

const OWN = [
  "cairn.",
  "cairn.workspace.updated",
  "cairn.retention.applied",
  "cairn.anything at all",
  "Cairn.event.erased",
  "CAIRN.RETENTION.APPLIED",
  " cairn.event.erased",
  "\tcairn.event.erased",
  "\u00a0\u3000cairn.event.erased",
  "\ufeffcairn.event.erased",
  "\u200bcairn.event.erased",
  "ca\u00adirn.event.erased",
  "c\u200da\u2060i\u180ern.event.erased",
  "\u202ecairn.event.erased",
  "cairn\ufe0f.event.erased",
  "cairn\u2024event.erased",
  "cairn\uff0eevent.erased",
  "\uff43\uff41\uff49\uff52\uff4e.event.erased",
  "\u{1d41c}\u{1d41a}\u{1d422}\u{1d42b}\u{1d427}.event.erased",
  "\u217dairn.event.erased",
  "\u0001cairn.event.erased",
  "\u2800cairn.event.erased",
  "cairn\u2800.event.erased",
  "\u{16fe4}cairn.event.erased",
  "\u{1d159}cairn.event.erased",
  // Letters of other scripts, and other characters that look like these.
  "\u0441airn.member.deleted",
  "c\u0430irn.event.erased",
  "ca\u0131rn.event.erased",
  "ca\u0456rn.event.erased",
  "cai\u0433n.event.erased",
  "cair\u0578.event.erased",
  "cairn\u0660event.erased",
  "cairn\u3002event.erased",
  "cairn\uff61event.erased",
  "cairn\u2026event.erased",
  "\u1d04airn.event.erased",
  "\u03f2\u03b1\u03b9\u1d26\u057c.event.erased",
  "\u0421\u0410\u0406\u01a6\u039d.EVENT.ERASED",
  "calrn.event.erased",
  "CA1RN.event.erased",
  "ca|rn.event.erased",
  "caim.event.erased",
  "CAIM.event.erased",
  "cai\u217f.event.erased",
  "cai\u0271.event.erased",
  "cairn\u0338.event.erased",
  "c\u0327ai\u0301rn\u0303.event.erased",
  "\u00e7a\u00edr\u00f1.event.erased"
]

const OTHERS = [
  "cairn",
  "cairns.counted",
  "cairn_event.erased",
  "cairn-event.erased",
  "cairn:event.erased",
  "my.cairn.event",
  "xcairn.event.erased",
  "document.created",
  "c",
  "\u00e9cairn.event",
  "carn.event",
  "caimn.event",
  "cai.event",
  "calm.event",
  "Calm.event",
  "cain.event",
  "customer.created",
  "\u0441\u0442\u043e\u043b.\u043a\u0443\u043f\u043b\u0435\u043d",
  "\u30c9\u30ad\u30e5.\u4f5c\u6210",
  "\u{1f5ff}cairn.found"
]

describe("OwnAction", () => {
  it("knows each character of Unicode's list by the prefix with that character in its place", () => {
    for (const [look, parts] of Object.entries(CONFUSABLES)) {
      for (const character of parts.join("")) {
        const written = OWN_PREFIX.replace(look.slice(0, OWN_PREFIX.length), character)
        if (look === "..") assert.isTrue(readsAsOwn(`cairn${character}x`))
        else assert.isTrue(readsAsOwn(`${written}x`), `${character} for ${look}`)
      }
    }
  })

  for (const action of OWN) {
    it(`${JSON.stringify(action)} is refused by its field`, () => {
      assert.isTrue(readsAsOwn(action))
      assert.isFalse(isOrdinary(body(action)))
      const refused = Result.getOrThrow(Result.flip(decodeEvent(body(action), ["events", 3])))
      assert.strictEqual(refused.path, "events[3].action")
      assert.include(refused.reason, "must not begin with cairn.")
    })
  }

  for (const action of OTHERS) {
    it(`${JSON.stringify(action)} is anybody's`, () => {
      assert.isFalse(readsAsOwn(action))
      assert.isTrue(Result.isSuccess(decodeEvent(body(action))))
    })
  }

  it("and no client's idempotency key is one of an event of the service's own", () => {
    const keyed = (idempotency_key: string | null, action = "document.created") => ({
      ...body(action),
      idempotency_key
    })
    const own = "cairn.webhook.deleted whk_1"
    assert.isFalse(isOrdinary(keyed(own)))
    const refused = Result.getOrThrow(Result.flip(decodeEvent(keyed(own), ["events", 3])))
    assert.strictEqual(refused.path, "events[3].idempotency_key")
    assert.include(refused.reason, "must not begin with cairn.")
    assert.isTrue(Result.isSuccess(decodeOwnEvent(keyed(own, "cairn.webhook.deleted"))))
    // Keys are compared as they are.
    for (const key of [null, "", "cairn", "Cairn.webhook.deleted whk_1", " cairn.", "my cairn.key"]) {
      assert.isTrue(isOrdinary(keyed(key)), String(key))
      assert.isTrue(Result.isSuccess(decodeEvent(keyed(key))), String(key))
    }
  })

  it("the service itself writes its own, exactly so spelt, and none that verification gives a meaning to", () => {
    assert.isTrue(Result.isSuccess(decodeOwnEvent(body("cairn.workspace.updated"))))
    for (const action of [
      ...OTHERS,
      ...OWN.filter((own) => !own.startsWith("cairn.")),
      ...RESERVED_ACTIONS
    ]) {
      const refused = Result.getOrThrow(Result.flip(decodeOwnEvent(body(action))))
      assert.strictEqual(refused.path, "action", action)
    }
  })
})
