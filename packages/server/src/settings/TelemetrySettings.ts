/** Where metrics are pushed to: the variables of OpenTelemetry, as far as the service knows them. */
import { Effect, Schema } from "effect"
import { type Environment, readSetting, type Setting } from "./SettingDeclaration.ts"
import { emptyOr, isUrl, readBy, splitAtCommas, textThat, wholeNumber } from "./TextSchemas.ts"

/** Names and values. */
export type NamedValues = Readonly<Record<string, string>>

/** A collector; crosses to no other thread. */
export interface TelemetrySettings {
  /** Where it takes OTLP over HTTP, without the path of a signal. May hold a secret: never to be shown. */
  readonly endpoint: string
  /** Sent with each request. Never to be shown. */
  readonly headers: NamedValues
  readonly protocol: "http/protobuf" | "http/json"
  /** Milliseconds that one request may take. */
  readonly timeoutMillis: number
  /** Milliseconds between two pushes. */
  readonly intervalMillis: number
  readonly serviceName: string
  readonly resource: NamedValues
}

const NAME = /^[\x21-\x2b\x2d-\x3c\x3e-\x7e]+$/

/** `name=value,name=value`, the values percent-encoded; `undefined` for anything else. */
const readNamedValues = (text: string): NamedValues | undefined => {
  const values: Record<string, string> = {}
  for (const item of splitAtCommas(text)) {
    const mark = item.indexOf("=")
    const name = item.slice(0, mark).trim()
    if (mark < 1 || !NAME.test(name)) return undefined
    try {
      values[name] = decodeURIComponent(item.slice(mark + 1).trim())
    } catch {
      return undefined
    }
  }
  return values
}

const NamedValues = Schema.Record(Schema.String, Schema.String)

/** The same whose names and values an HTTP header may have. */
const readHeaders = (text: string): NamedValues | undefined => {
  const values = readNamedValues(text)
  const isHeader = ([name, value]: readonly [string, string]) =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)
  return values !== undefined && Object.entries(values).every(isHeader) ? values : undefined
}

const PAIRS = "NAME=VALUE pairs separated by commas, the values percent-encoded"

/** Part of all settings, under the same names. */
export const TELEMETRY_SETTINGS = {
  otlpEndpoint: {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    mayHoldSecret: true,
    schema: emptyOr((text) => isUrl(/^https?:\/\/[^/\s]/, text)),
    allowed: "an http or https URL",
    fallback: "",
    meaning: "Collector that metrics are pushed to by OTLP over HTTP, at `/v1/metrics` below this URL",
    details: "See [Metrics.md](Metrics.md)"
  },
  otlpHeaders: {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    schema: readBy(NamedValues, readHeaders),
    allowed: PAIRS,
    fallback: "",
    meaning: "Headers of each request to the collector: `NAME=VALUE`, separated by commas, percent-encoded",
    secret: true
  },
  otlpProtocol: {
    name: "OTEL_EXPORTER_OTLP_PROTOCOL",
    schema: Schema.Literals(["http/protobuf", "http/json"]),
    allowed: "http/protobuf or http/json",
    fallback: "http/protobuf",
    meaning: "What is sent to the collector: `http/protobuf` or `http/json`"
  },
  otlpTimeout: {
    name: "OTEL_EXPORTER_OTLP_TIMEOUT",
    ...wholeNumber(100, 60_000),
    fallback: "10000",
    meaning: "Milliseconds that one request to the collector may take"
  },
  otlpInterval: {
    name: "OTEL_METRIC_EXPORT_INTERVAL",
    ...wholeNumber(1_000, 3_600_000),
    fallback: "60000",
    meaning: "Milliseconds between two pushes of the metrics"
  },
  otelServiceName: {
    name: "OTEL_SERVICE_NAME",
    schema: textThat((text) => text.length >= 1 && text.length <= 255),
    allowed: "1 to 255 characters",
    fallback: "cairn",
    meaning: "Name of the service in what is pushed (`service.name`)"
  },
  otelResource: {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    schema: readBy(NamedValues, readNamedValues),
    allowed: PAIRS,
    fallback: "",
    meaning: "Further attributes of what is pushed, such as `deployment.environment.name=production`"
  },
  otelDisabled: {
    name: "OTEL_SDK_DISABLED",
    schema: Schema.Literals(["true", "false"]),
    allowed: "true or false",
    fallback: "false",
    meaning: "`true` pushes nothing, whatever else is set"
  }
} satisfies Record<string, Setting<unknown>>

/** Reads where to push; null for nowhere. */
export const readTelemetry = Effect.fnUntraced(function* (environment: Environment) {
  const endpoint = yield* readSetting(environment, TELEMETRY_SETTINGS.otlpEndpoint)
  const isDisabled = (yield* readSetting(environment, TELEMETRY_SETTINGS.otelDisabled)) === "true"
  const settings: TelemetrySettings = {
    endpoint,
    headers: yield* readSetting(environment, TELEMETRY_SETTINGS.otlpHeaders),
    protocol: yield* readSetting(environment, TELEMETRY_SETTINGS.otlpProtocol),
    timeoutMillis: yield* readSetting(environment, TELEMETRY_SETTINGS.otlpTimeout),
    intervalMillis: yield* readSetting(environment, TELEMETRY_SETTINGS.otlpInterval),
    serviceName: yield* readSetting(environment, TELEMETRY_SETTINGS.otelServiceName),
    resource: yield* readSetting(environment, TELEMETRY_SETTINGS.otelResource)
  }
  return endpoint === "" || isDisabled ? null : settings
})
