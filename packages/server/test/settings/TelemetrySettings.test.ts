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
    const nowhere = Result.succeed({ metrics: null, traces: null })
    assert.deepStrictEqual(read({}), nowhere)
    assert.deepStrictEqual(read({ ...ENDPOINT, OTEL_SDK_DISABLED: "true" }), nowhere)
    const none = { OTEL_METRICS_EXPORTER: "none", OTEL_TRACES_EXPORTER: "none" }
    assert.deepStrictEqual(read({ ...ENDPOINT, ...none }), nowhere)
  })

  it("push each signal to where it goes, with headers of its own", () => {
    const { metrics, traces } = Result.getOrThrow(
      read({
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com/base/",
        OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=all",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example.com/intake?key=one",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-tenant=traces"
      })
    )
    assert.strictEqual(metrics?.url, "https://collector.example.com/base/v1/metrics")
    assert.deepStrictEqual(metrics?.headers, { "x-tenant": "all" })
    assert.strictEqual(traces?.url, "https://traces.example.com/intake?key=one")
    assert.deepStrictEqual(traces?.headers, { "x-tenant": "traces" })
    const alone = Result.getOrThrow(
      read({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://metrics.example.com/" })
    )
    assert.strictEqual(alone.metrics?.url, "https://metrics.example.com/")
    assert.isNull(alone.traces)
  })

  it("sample as OpenTelemetry does, by what clients say unless told otherwise", () => {
    const sampling = (environment: Record<string, string>) =>
      Result.getOrThrow(read({ ...ENDPOINT, ...environment })).traces?.sampling
    assert.deepStrictEqual(sampling({}), { parentBased: true, ratio: 0 })
    const ratio = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" }
    assert.deepStrictEqual(sampling(ratio), { parentBased: true, ratio: 0.25 })
    assert.deepStrictEqual(sampling({ OTEL_TRACES_SAMPLER: "always_on" }), { parentBased: false, ratio: 1 })
    assert.isUndefined(sampling({ OTEL_TRACES_SAMPLER: "always_off" }))
    assert.isUndefined(sampling({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }))
    for (const share of ["1.1", "-1", "1e-2", "x"])
      assert.include(refusal({ OTEL_TRACES_SAMPLER_ARG: share }), "OTEL_TRACES_SAMPLER_ARG is ")
    assert.include(refusal({ OTEL_TRACES_SAMPLER: "jaeger_remote" }), "parentbased_traceidratio")
  })

  it("have headers and attributes as OpenTelemetry writes them", () => {
    const settings = Result.getOrThrow(
      read({
        ...ENDPOINT,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a%2Cb, x-tenant=one",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=caf%C3%A9"
      })
    )
    assert.deepStrictEqual(settings.metrics?.headers, { authorization: "Bearer a,b", "x-tenant": "one" })
    assert.deepStrictEqual(settings.metrics?.resource, { "deployment.environment.name": "café" })
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
