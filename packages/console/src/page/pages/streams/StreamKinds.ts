/** The kinds of destinations of log streams, and which fields each has in a form. */
import type { Schemas } from "../../data/Schemas.ts"

/** A stream and its health. */
export type LogStream = Schemas["LogStream"]

/** A kind of destination. */
export type Kind = LogStream["destination"]["type"]

/** How events are written. */
export type Format = LogStream["format"]

/** The kinds, in the order in which they are offered. */
export const KINDS: ReadonlyArray<Kind> = ["https", "splunk_hec", "syslog", "s3", "file"]

/** The formats, in the order in which they are offered. */
export const FORMATS: ReadonlyArray<Format> = ["cairn", "ocsf", "cef", "cloudevents"]

/** A member of a destination that a form asks for. */
export type FieldName =
  | "url"
  | "body"
  | "authorization"
  | "host"
  | "port"
  | "tls"
  | "facility"
  | "hostname"
  | "app_name"
  | "bucket"
  | "access_key_id"
  | "secret_access_key"
  | "endpoint"
  | "region"
  | "prefix"
  | "token"
  | "index"
  | "source"
  | "sourcetype"
  | "path"

/** A field, and what the interface makes of it. */
export interface FieldSpec {
  readonly name: FieldName
  readonly control: "text" | "url" | "secret" | "number" | "check" | "body"
  readonly required?: boolean
  /** What it is unless given. */
  readonly otherwise?: string
  readonly placeholder?: string
  readonly min?: number
  readonly max?: number
  /** Whether an empty field means none, rather than the default. */
  readonly nullable?: boolean
}

/** The fields of each kind. */
export const FIELDS: Readonly<Record<Kind, ReadonlyArray<FieldSpec>>> = {
  https: [
    { name: "url", control: "url", required: true, placeholder: "https://" },
    { name: "authorization", control: "secret", nullable: true, placeholder: "Bearer …" },
    { name: "body", control: "body", otherwise: "ndjson" }
  ],
  splunk_hec: [
    { name: "url", control: "url", required: true, placeholder: "https://splunk.example.com:8088" },
    { name: "token", control: "secret", required: true },
    { name: "index", control: "text", nullable: true },
    { name: "source", control: "text", otherwise: "cairn" },
    { name: "sourcetype", control: "text", otherwise: "cairn:audit" }
  ],
  syslog: [
    { name: "host", control: "text", required: true, placeholder: "siem.example.com" },
    { name: "port", control: "number", otherwise: "6514", min: 1, max: 65_535 },
    { name: "tls", control: "check", otherwise: "true" },
    { name: "facility", control: "number", otherwise: "13", min: 0, max: 23 },
    { name: "hostname", control: "text", otherwise: "cairn" },
    { name: "app_name", control: "text", otherwise: "cairn" }
  ],
  s3: [
    { name: "bucket", control: "text", required: true },
    { name: "region", control: "text", otherwise: "us-east-1" },
    { name: "endpoint", control: "url", nullable: true, placeholder: "https://minio.example.com:9000" },
    { name: "prefix", control: "text", otherwise: "" },
    { name: "access_key_id", control: "text", required: true },
    { name: "secret_access_key", control: "secret", required: true }
  ],
  file: [{ name: "path", control: "text", required: true, placeholder: "audit/events.ndjson" }]
}

/** The format that a kind's receivers usually read. */
export const usualFormat = (kind: Kind): Format => (kind === "syslog" ? "cef" : "cairn")

/** Whether a kind has a form for checkpoints of the log. */
export const takesCheckpoints = (kind: Kind): boolean => kind !== "syslog" && kind !== "splunk_hec"

/** Where a destination is, in one line. */
export const whereOf = (destination: LogStream["destination"]): string => {
  switch (destination.type) {
    case "https":
    case "splunk_hec":
      return URL.canParse(destination.url) ? new URL(destination.url).host : destination.url
    case "syslog":
      return `${destination.host}:${destination.port}`
    case "s3":
      return destination.prefix === "" ? destination.bucket : `${destination.bucket}/${destination.prefix}`
    case "file":
      return destination.path
  }
}
