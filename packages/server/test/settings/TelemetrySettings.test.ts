import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readTelemetry } from "../../src/settings/TelemetrySettings.ts"

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com" }

const read = (environment: Record<string, string>) =>
  Effect.runSync(Effect.result(readTelemetry(environment)))

const refusal = (environment: Record<string, string>): string => {
  const result = read({ ...ENDPOINT, ...environment })
  return Result.isFailure(result) ? result.failure.message : ""
}

describe("the settings of OpenTelemetry", () => {
  it("push nowhere without an endpoint, or where that is switched off", () => {
    assert.deepStrictEqual(read({}), Result.succeed(null))
    assert.deepStrictEqual(read({ ...ENDPOINT, OTEL_SDK_DISABLED: "true" }), Result.succeed(null))
  })

  it("have headers and attributes as OpenTelemetry writes them", () => {
    const settings = Result.getOrThrow(
      read({
        ...ENDPOINT,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a%2Cb, x-tenant=one",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=caf%C3%A9"
      })
    )
    assert.deepStrictEqual(settings?.headers, { authorization: "Bearer a,b", "x-tenant": "one" })
    assert.deepStrictEqual(settings?.resource, { "deployment.environment.name": "café" })
  })

  it("are refused by name where they are wrong, and no secret is shown", () => {
    for (const headers of ["secret", "=secret", "a b=secret", "a=secret%0d%0ab: c", "a=%secret"]) {
      const message = refusal({ OTEL_EXPORTER_OTLP_HEADERS: headers })
      assert.include(message, "OTEL_EXPORTER_OTLP_HEADERS is ", headers)
      assert.notInclude(message, "secret")
    }
    const url = "ftp://user:secret@host"
    assert.include(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), "OTEL_EXPORTER_OTLP_ENDPOINT is ")
    assert.notInclude(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), "secret")
    assert.include(refusal({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }), "http/protobuf or http/json")
    assert.include(refusal({ OTEL_METRIC_EXPORT_INTERVAL: "1" }), "an integer from 1000 to 3600000")
    assert.include(refusal({ OTEL_RESOURCE_ATTRIBUTES: "x" }), "OTEL_RESOURCE_ATTRIBUTES")
  })
})
