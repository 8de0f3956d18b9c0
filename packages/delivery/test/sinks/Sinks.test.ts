import type { LogStreamSinkShape } from "@cairn/core/outbound"
import { makeSecretBox } from "@cairn/storage-sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { openSafely } from "../../src/sinks/SafeSink.ts"
import {
  decodeDestination,
  openDestination,
  redactDestination,
  SINKS,
  sealDestination
} from "../../src/sinks/Sinks.ts"
import { withoutSecrets } from "../../src/sinks/Unsaid.ts"

const decoded = (config: unknown) => Result.getOrThrow(decodeDestination(config))
const refusal = (config: unknown): string => {
  const result = decodeDestination(config)
  return Result.isFailure(result) ? result.failure.message : assert.fail("it was accepted")
}

describe("the destinations of log streams", () => {
  it("are these", () => {
    assert.deepStrictEqual(
      SINKS.map(({ type }) => type),
      ["https", "syslog", "s3", "splunk_hec", "file"]
    )
  })

  it.each([
    [null, "destination.type: must be one of https, syslog, s3, splunk_hec, file"],
    [{}, "destination.type: must be one of https, syslog, s3, splunk_hec, file"],
    [{ type: "fax" }, "destination.type: must be one of https, syslog, s3, splunk_hec, file"],
    [{ type: "https" }, "destination.url: is required"],
    [{ type: "https", url: 1 }, "destination.url: must be a string"],
    [
      { type: "https", url: "https://a.example/", authorization: "a\r\nX-Evil: 1" },
      "destination.authorization: must be printable ASCII, without a space at either end, to stand in a header"
    ],
    [{ type: "splunk_hec", url: "https://a.example/" }, "destination.token: is required"],
    [
      { type: "s3", bucket: "audit" },
      "destination.access_key_id: is required; destination.secret_access_key: is required"
    ]
  ])("refuse %j: %s", (config, message) => assert.strictEqual(refusal(config), message))

  it.each([
    [{ type: "https", url: "https://a.example/" }, "authorization", "Bearer token"],
    [{ type: "splunk_hec", url: "https://a.example/" }, "token", "abc-def"],
    [{ type: "s3", bucket: "audit", secret_access_key: "key" }, "access_key_id", "AKIA"]
  ])("take for a header of %j only what can stand there: %s", (config, name, good) => {
    for (const bad of ["\u20ac", "a\tb", "\u00e9", "a\u2028b", " a", "a ", ""])
      assert.match(
        refusal({ ...config, [name]: bad }),
        new RegExp(`^destination.${name}: must (be printable ASCII|have 1 to \\d+ characters)`)
      )
    assert.isTrue(Result.isSuccess(decodeDestination({ ...config, [name]: good })))
  })

  it.effect("fail with the reason of a defect, without their secrets", () =>
    Effect.gen(function* () {
      const secret = { config: { token: "s3cr3t" }, secrets: ["token"] }
      const throwing: LogStreamSinkShape = {
        send: () => {
          throw new TypeError("bad\n s3cr3t")
        },
        sendCheckpoint: () => Effect.die("no reason"),
        sendTest: () => Effect.die("bad s3cr3t")
      }
      for (const open of [Effect.succeed(throwing), Effect.die(new TypeError("bad\n s3cr3t"))]) {
        const { send, sendCheckpoint, sendTest } = yield* openSafely(open, secret)
        const { reason } = yield* Effect.flip(send([]))
        assert.strictEqual(
          reason,
          "the destination cannot be sent to, by a mistake of this program: bad  ***"
        )
        const test = { id: "dlv_1", at: 0, text: "" }
        assert.match((yield* Effect.flip(sendTest(test))).reason, /bad +\*\*\*$/)
        if (sendCheckpoint !== undefined) {
          const checkpoint = { text: "" } as Parameters<typeof sendCheckpoint>[0]
          assert.match((yield* Effect.flip(sendCheckpoint(checkpoint))).reason, /no reason$/)
        }
      }
    })
  )

  it.each([
    ["all of it", "token Bearer s3cr3t", "token ***"],
    ["what follows its scheme", "token s3cr3t!", "token ***!"],
    ["in a JSON string", '{"a":"p\\"w0rd"}', '{"a":"***"}'],
    ["in a URL", "?a=p%22w0rd&b", "?a=***&b"],
    ["what Basic encodes", "user cairn:hunter2, password hunter2", "user ***, password ***"],
    ["the beginning that is left where the text was cut", "x Bearer s3c", "x ***"]
  ])("have their secrets masked in what they say: %s", (_, text, safe) => {
    const secrets = ["Bearer s3cr3t", 'p"w0rd', `Basic ${btoa("cairn:hunter2")}`, null, ""]
    assert.strictEqual(withoutSecrets(text, secrets, true), safe)
  })

  it("have their defaults filled in, and take null for what is left out", () => {
    const { config } = decoded({ type: "https", url: "https://a.example/", body: null, authorization: null })
    assert.deepStrictEqual(config, {
      type: "https",
      url: "https://a.example/",
      body: "ndjson",
      authorization: null
    })
    assert.deepStrictEqual(decoded(config).config, config, "what is stored can be read again")
  })

  it.each([
    [{ type: "https", url: "https://a.example/", authorization: "Bearer hidden" }],
    [{ type: "splunk_hec", url: "https://a.example/", token: "hidden" }],
    [{ type: "s3", bucket: "audit", access_key_id: "shown", secret_access_key: "hidden" }]
  ])("are shown without their secrets: %j", (config) => {
    const shown = JSON.stringify(redactDestination(decoded(config)))
    assert.notInclude(shown, "hidden")
    assert.include(shown, "***")
  })

  it("show that there is no secret where there is none", () => {
    const shown = redactDestination(decoded({ type: "https", url: "https://a.example/" }))
    assert.isNull(shown.authorization)
  })

  const box = makeSecretBox(new Uint8Array(32))

  it.each([
    [{ type: "https", url: "https://a.example/", authorization: "Bearer hidden" }],
    [{ type: "https", url: "https://a.example/" }],
    [{ type: "splunk_hec", url: "https://a.example/", token: "hidden" }],
    [{ type: "s3", bucket: "audit", access_key_id: "shown", secret_access_key: "hidden" }],
    [{ type: "file", path: "audit.log" }]
  ])("are stored with their secrets sealed, and opened as they were: %j", (config) => {
    const destination = decoded(config)
    const stored = sealDestination(box, "str_1", destination)
    assert.notInclude(JSON.stringify(stored), "hidden")
    assert.strictEqual(stored.sealed === null, !JSON.stringify(config).includes("hidden"))
    const opened = Result.getOrThrow(openDestination(box, { id: "str_1", ...stored }))
    assert.deepStrictEqual(opened.config, destination.config)
  })

  it("are not opened for another stream, nor from what is no destination", () => {
    const stored = sealDestination(
      box,
      "str_1",
      decoded({ type: "splunk_hec", url: "https://a.example/", token: "t" })
    )
    const failure = (id: string, change: Partial<typeof stored>) =>
      Result.getOrThrow(Result.flip(openDestination(box, { id, ...stored, ...change })))
    assert.match(failure("str_2", {}), /belongs to something else/)
    assert.match(failure("str_1", { sealed: box.seal("not JSON", "str_1") }), /not those of a destination/)
    assert.match(failure("str_1", { destination: { type: "fax" } }), /must be one of/)
  })
})
