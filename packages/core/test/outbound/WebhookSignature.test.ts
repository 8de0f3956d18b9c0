import { createHmac } from "node:crypto"
import { portableSha256 } from "@cairn/core/hashing"
import { assert, describe, it } from "@effect/vitest"
import { verifyWebhookSignature, webhookSignature } from "../../src/outbound/WebhookSignature.ts"

const body = '{"type":"webhook.test","data":{"message":"día"}}'

describe("X-Cairn-Signature", () => {
  it("is the HMAC-SHA256 of the body under the whole secret as it is written, in hexadecimal", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const expected = `sha256=${createHmac("sha256", secret).update(body, "utf8").digest("hex")}`
    assert.strictEqual(webhookSignature(portableSha256, [secret], body), expected)
    assert.strictEqual(webhookSignature(portableSha256, [secret], new TextEncoder().encode(body)), expected)
  })

  it("carries both signatures while a secret is being replaced, and each of the two secrets verifies", () => {
    const header = webhookSignature(portableSha256, ["whsec_new", "whsec_old"], body)
    assert.match(header, /^sha256=[0-9a-f]{64},sha256=[0-9a-f]{64}$/)
    assert.isTrue(verifyWebhookSignature(portableSha256, "whsec_new", body, header))
    assert.isTrue(verifyWebhookSignature(portableSha256, "whsec_old", body, header))
    assert.isFalse(verifyWebhookSignature(portableSha256, "whsec_other", body, header))
  })

  const header = webhookSignature(portableSha256, ["secret"], body)
  it.each([
    ["another body", `${body} `, header],
    ["no signature", body, ""],
    ["a signature without its algorithm", body, header.slice(7)],
    ["half a signature", body, header.slice(0, 30)],
    ["upper case", body, header.toUpperCase()]
  ])("does not verify with %s", (_, text, given) => {
    assert.isTrue(verifyWebhookSignature(portableSha256, "secret", body, header))
    assert.isFalse(verifyWebhookSignature(portableSha256, "secret", text, given))
  })
})
