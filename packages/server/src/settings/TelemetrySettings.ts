/** Where metrics and traces are pushed to: the variables of OpenTelemetry that the service knows. */
import { withoutSlashesAtEnd } from "@cairn/core/outbound"
import { Effect, Schema } from "effect"
import { type Environment, readSetting, type Setting } from "./SettingDeclaration.ts"
import { emptyOr, isUrl, numberBetween, readBy, splitAtCommas, textThat, wholeNumber } from "./TextSchemas.ts"

/** Names and values. */
export type NamedValues = Readonly<Record<string, string>>

const NamedValues = Schema.Record(Schema.String, Schema.String)

/** Where one signal is pushed to. Crosses as structured clone. */
export const OtlpTarget = Schema.Struct({
  /** Where a collector takes the signal by OTLP over HTTP. May hold a secret: never to be shown. */
  url: Schema.String,
  /** Sent with each request. Never to be shown. */
  headers: NamedValues,
  protocol: Schema.Literals(["http/protobuf", "http/json"]),
  /** Milliseconds that one request may take. */
  timeoutMillis: Schema.Number,
  serviceName: Schema.String,
  resource: NamedValues
})
export type OtlpTarget = typeof OtlpTarget.Type

/** The pushes of the metrics. */
export interface MetricsPushSettings extends OtlpTarget {
  /** Milliseconds between two pushes. */
  readonly intervalMillis: number
}

/** Which requests are traced. */
export interface Sampling {
  /** Whether what a client says of its trace decides. */
  readonly parentBased: boolean
  /** The share of the others that is traced. */
  readonly ratio: number
}

/** The traces, and which there are. */
export interface TraceSettings extends OtlpTarget {
  readonly sampling: Sampling
}

/** Where each signal is pushed to; null for nowhere. */
export interface TelemetrySettings {
  readonly metrics: MetricsPushSettings | null
  readonly traces: TraceSettings | null
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

/** The same whose names and values an HTTP header may have. */
const readHeaders = (text: string): NamedValues | undefined => {
  const values = readNamedValues(text)
  const isHeader = ([name, value]: readonly [string, string]) =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)
  return values !== undefined && Object.entries(values).every(isHeader) ? values : undefined
}

const PAIRS = "NAME=VALUE pairs separated by commas, the values percent-encoded"

const endpoint = {
  mayHoldSecret: true,
  schema: emptyOr((text) => isUrl(/^https?:\/\/[^/\s]/, text)),
  allowed: "an http or https URL",
  fallback: ""
} as const

const headers = {
  schema: readBy(NamedValues, readHeaders),
  allowed: PAIRS,
  fallback: "",
  secret: true
} as const

const exporter = {
  schema: Schema.Literals(["otlp", "none"]),
  allowed: "otlp or none",
  fallback: "otlp"
}

/** The samplers of OpenTelemetry, each with the share of requests that it traces where that is no setting. */
const SAMPLERS = {
  always_on: { parentBased: false, ratio: 1 },
  always_off: { parentBased: false, ratio: 0 },
  traceidratio: { parentBased: false, ratio: null },
  parentbased_always_on: { parentBased: true, ratio: 1 },
  parentbased_always_off: { parentBased: true, ratio: 0 },
  parentbased_traceidratio: { parentBased: true, ratio: null }
} as const

const SAMPLER_NAMES = Object.keys(SAMPLERS) as ReadonlyArray<keyof typeof SAMPLERS>

/** Part of all settings, under the same names. */
export const TELEMETRY_SETTINGS = {
  otlpEndpoint: {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    ...endpoint,
    meaning:
      "Collector that metrics and traces are pushed to by OTLP over HTTP, at `/v1/metrics` and `/v1/traces` below this URL",
    details: "See [Metrics.md](Metrics.md)"
  },
  otlpMetricsEndpoint: {
    name: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    ...endpoint,
    meaning: "The whole URL that metrics are pushed to, in place of the one below the collector's"
  },
  otlpTracesEndpoint: {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    ...endpoint,
    meaning: "The whole URL that traces are pushed to, in place of the one below the collector's"
  },
  otlpHeaders: {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    ...headers,
    meaning: "Headers of each request to the collector: `NAME=VALUE`, separated by commas, percent-encoded"
  },
  otlpMetricsHeaders: {
    name: "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    ...headers,
    meaning: "Headers of each request with metrics, in place of those of `OTEL_EXPORTER_OTLP_HEADERS`"
  },
  otlpTracesHeaders: {
    name: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    ...headers,
    meaning: "Headers of each request with traces, in place of those of `OTEL_EXPORTER_OTLP_HEADERS`"
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
  otelMetricsExporter: {
    name: "OTEL_METRICS_EXPORTER",
    ...exporter,
    meaning: "`none` pushes no metrics, whatever collector there is"
  },
  otelTracesExporter: {
    name: "OTEL_TRACES_EXPORTER",
    ...exporter,
    meaning: "`none` makes no traces, whatever collector there is"
  },
  otelSampler: {
    name: "OTEL_TRACES_SAMPLER",
    schema: Schema.Literals(SAMPLER_NAMES),
    allowed: `one of ${SAMPLER_NAMES.join(", ")}`,
    fallback: "parentbased_always_off",
    meaning:
      "Which requests are traced: all (`always_on`), none (`always_off`) or a share (`traceidratio`). With `parentbased_` before it, that is for requests without a `traceparent`, and a client that sends one decides itself"
  },
  otelSamplerArgument: {
    name: "OTEL_TRACES_SAMPLER_ARG",
    schema: numberBetween(/^(\d+(\.\d+)?|\.\d+)$/, 0, 1),
    allowed: "a number from 0 to 1",
    fallback: "1",
    meaning: "The share that is traced by a sampler with `traceidratio`, such as `0.01`"
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

/** The URL of a signal below that of the collector. */
const below = (collector: string, signal: "metrics" | "traces"): string => {
  if (collector === "") return ""
  const url = new URL(collector)
  url.pathname = `${withoutSlashesAtEnd(url.pathname)}/v1/${signal}`
  return url.toString()
}

const readSampling = Effect.fnUntraced(function* (environment: Environment) {
  const { parentBased, ratio } = SAMPLERS[yield* readSetting(environment, TELEMETRY_SETTINGS.otelSampler)]
  const share = yield* readSetting(environment, TELEMETRY_SETTINGS.otelSamplerArgument)
  return { parentBased, ratio: ratio ?? share } satisfies Sampling
})

/** Reads where to push. */
export const readTelemetry = Effect.fnUntraced(function* (environment: Environment) {
  const read = <A>(setting: Setting<A>) => readSetting(environment, setting)
  const {
    otlpEndpoint,
    otlpHeaders,
    otlpMetricsEndpoint,
    otlpMetricsHeaders,
    otlpTracesEndpoint,
    otlpTracesHeaders,
    otelMetricsExporter,
    otelTracesExporter
  } = TELEMETRY_SETTINGS
  const collector = yield* read(otlpEndpoint)
  const all = yield* read(otlpHeaders)
  const common = {
    protocol: yield* read(TELEMETRY_SETTINGS.otlpProtocol),
    timeoutMillis: yield* read(TELEMETRY_SETTINGS.otlpTimeout),
    serviceName: yield* read(TELEMETRY_SETTINGS.otelServiceName),
    resource: yield* read(TELEMETRY_SETTINGS.otelResource)
  }
  const headersOf = (own: NamedValues) => (Object.keys(own).length === 0 ? all : own)
  const metrics: MetricsPushSettings = {
    ...common,
    url: (yield* read(otlpMetricsEndpoint)) || below(collector, "metrics"),
    headers: headersOf(yield* read(otlpMetricsHeaders)),
    intervalMillis: yield* read(TELEMETRY_SETTINGS.otlpInterval)
  }
  const traces: TraceSettings = {
    ...common,
    url: (yield* read(otlpTracesEndpoint)) || below(collector, "traces"),
    headers: headersOf(yield* read(otlpTracesHeaders)),
    sampling: yield* readSampling(environment)
  }
  const isDisabled = (yield* read(TELEMETRY_SETTINGS.otelDisabled)) === "true"
  const isPushed = ({ url }: OtlpTarget, by: "otlp" | "none") => url !== "" && by === "otlp" && !isDisabled
  const { parentBased, ratio } = traces.sampling
  const telemetry: TelemetrySettings = {
    metrics: isPushed(metrics, yield* read(otelMetricsExporter)) ? metrics : null,
    traces: isPushed(traces, yield* read(otelTracesExporter)) && (parentBased || ratio > 0) ? traces : null
  }
  return telemetry
})
