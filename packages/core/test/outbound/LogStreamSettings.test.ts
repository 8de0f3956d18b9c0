import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { EVENT_FORMATS } from "../../src/event/formats/FormatTable.ts"
import { decodeLogStreamSettings, streamFilter, streamRecord } from "../../src/outbound/LogStreamSettings.ts"
import { bare, full, origin } from "../event/formats/Samples.ts"

const settings = (body: Record<string, unknown>) =>
  Result.getOrThrow(decodeLogStreamSettings({ name: "SIEM", ...body }))

describe("LogStream", () => {
  it("sends everything as it is, unless told otherwise", () => {
    assert.deepStrictEqual(settings({ destination: { type: "https" }, action: null }), {
      name: "SIEM",
      enabled: true,
      format: "cairn",
      action: null,
      tenant_id: null,
      batch_events: null,
      batch_seconds: null,
      checkpoints: null
    })
  })

  it.each([
    [{ name: "" }, "name: must have 1 to 256 characters"],
    [{ format: "xml" }, "format: must be one of cairn, ocsf, cloudevents, cef"],
    [{ action: "" }, "action: must have 1 to 256 characters"],
    [{ tenant_id: 1 }, "tenant_id: must be a string"],
    [{ batch_events: 0 }, "batch_events: must be an integer between 1 and 10000"],
    [{ batch_seconds: 901 }, "batch_seconds: must be an integer between 0 and 900"],
    [{ enabled: 1 }, "enabled: must be a boolean"]
  ])("refuses %j: %s", (body, message) => {
    const result = decodeLogStreamSettings({ name: "SIEM", ...body })
    assert.strictEqual(Result.isFailure(result) ? result.failure.message : "", message)
  })

  it.each([
    [{}, [true, true]],
    [{ action: "document.*" }, [true, true]],
    [{ action: "*.deleted" }, [true, false]],
    [{ tenant_id: "acme" }, [true, false]],
    [{ tenant_id: "other" }, [false, false]],
    [{ tenant_id: "acme", action: "*.viewed" }, [false, false]]
  ])("with %j sends of two events %j", (body, expected) => {
    const sends = streamFilter(settings(body))
    assert.deepStrictEqual([sends(full), sends(bare)], expected)
  })

  it("makes a record of an event in its format", () => {
    const record = streamRecord(
      settings({ format: "cef" }),
      { sequence: 7, createdAt: 1_714_564_801_999_999 },
      { event: full, text: (format) => EVENT_FORMATS[format].encode(full, origin) }
    )
    assert.strictEqual(record.sequence, 7)
    assert.strictEqual(record.createdAt, 1_714_564_801_999_999)
    assert.match(record.text, /^CEF:0\|/)
  })
})
