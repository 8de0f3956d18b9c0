import { readFileSync } from "node:fs"
import { join } from "node:path"
import { portableSha256, webCryptoRandomness } from "@cairn/core/hashing"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import {
  makeWebhookSecret,
  signStandardWebhook,
  verifyStandardWebhook,
  webhookKey
} from "../../src/outbound/StandardWebhooks.ts"

const secret = makeWebhookSecret(webCryptoRandomness())
const other = makeWebhookSecret(webCryptoRandomness())
const message = { id: "msg_1", timestamp: 1_714_564_800, body: '{"type":"webhook.test","name":"día 😀"}' }
const signed = (...secrets: ReadonlyArray<string>) =>
  Result.getOrThrow(signStandardWebhook(portableSha256, secrets, message))

const outcome = (headers: object, body = message.body, now = message.timestamp, key = secret): string => {
  const result = verifyStandardWebhook(portableSha256, key, { ...headers }, body, now)
  if (Result.isSuccess(result)) return "accepted"
  return result.failure._tag === "WebhookRefused" ? result.failure.reason : result.failure._tag
}

describe("Standard Webhooks", () => {
  it("makes secrets of 32 bytes that look like ones", () => {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.lengthOf(Result.getOrThrow(webhookKey(secret)), 32)
    assert.notStrictEqual(secret, other)
  })

  it.each([
    ["what it signed", signed(secret), "accepted"],
    ["what several secrets signed, as the first", signed(secret, other), "accepted"],
    ["what several secrets signed, as the second", signed(other, secret), "accepted"],
    ["what another secret signed", signed(other), "no_matching_signature"],
    ["another id", { ...signed(secret), "webhook-id": "msg_2" }, "no_matching_signature"],
    ["another time", { ...signed(secret), "webhook-timestamp": "1714564801" }, "no_matching_signature"],
    ["a time that is none", { ...signed(secret), "webhook-timestamp": "1e9" }, "bad_timestamp"],
    ["no id", { ...signed(secret), "webhook-id": undefined }, "missing_header"]
  ])("finds %s: %3$s", (_, headers, expected) => assert.strictEqual(outcome(headers), expected))

  it.each([
    [300, "accepted"],
    [301, "too_old"],
    [-300, "accepted"],
    [-301, "too_new"]
  ])("a message that is %i seconds old is %s", (age, expected) => {
    assert.strictEqual(outcome(signed(secret), message.body, message.timestamp + age), expected)
  })

  it("refuses another body", () => {
    assert.strictEqual(outcome(signed(secret), `${message.body} `), "no_matching_signature")
  })

  it("does not sign with what is no secret", () => {
    const result = signStandardWebhook(portableSha256, [secret, "whsec_not base64"], message)
    assert.isTrue(Result.isFailure(result))
  })

  it("is accepted by the reference library, and accepts what that signed", () => {
    const library = new Webhook(secret)
    const now = Math.floor(Date.now() / 1000)
    const mine = Result.getOrThrow(
      signStandardWebhook(portableSha256, [other, secret], { ...message, timestamp: now })
    )
    assert.deepStrictEqual(library.verify(message.body, { ...mine }), JSON.parse(message.body))
    const theirs = {
      "webhook-id": "msg_3",
      "webhook-timestamp": String(now),
      "webhook-signature": library.sign("msg_3", new Date(now * 1000), message.body)
    }
    assert.strictEqual(outcome(theirs, message.body, now), "accepted")
  })
})

const foreign = process.env.CAIRN_FOREIGN

const Vectors = Schema.fromJsonString(
  Schema.Struct({
    secret: Schema.String,
    payload: Schema.String,
    now: Schema.Number,
    cases: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        headers: Schema.Record(Schema.String, Schema.String),
        ok: Schema.Boolean
      })
    ),
    bad_secrets: Schema.Array(Schema.String)
  })
)

describe.skipIf(foreign === undefined)("Standard Webhooks' vectors (needs CAIRN_FOREIGN)", () => {
  const file = join(foreign ?? "", "vectors/webhooks/standard-webhooks.json")
  const vectors =
    foreign === undefined ? undefined : Schema.decodeUnknownSync(Vectors)(readFileSync(file, "utf8"))

  it.each(vectors?.cases ?? [])("$name: $ok", ({ headers, ok }) => {
    if (vectors === undefined) return assert.fail("there are no vectors")
    for (const key of [vectors.secret, vectors.secret.replace("whsec_", "")]) {
      assert.strictEqual(outcome(headers, vectors.payload, vectors.now, key) === "accepted", ok)
    }
  })

  it("signs as published", () => {
    if (vectors === undefined) return assert.fail("there are no vectors")
    const published = vectors.cases.find(({ name }) => name === "published sign vector")?.headers
    const id = published?.["webhook-id"] ?? ""
    const signed = { id, timestamp: vectors.now, body: vectors.payload }
    assert.deepStrictEqual<unknown>(
      Result.getOrThrow(signStandardWebhook(portableSha256, [vectors.secret], signed)),
      published
    )
  })

  it.each(vectors?.bad_secrets ?? [])("%j is no secret", (bad) => {
    assert.isTrue(Result.isFailure(webhookKey(bad)))
  })
})
