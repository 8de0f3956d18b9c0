/**
 * The destinations of log streams in bodies: as they are shown, as a new stream is given one, and as a change
 * replaces one.
 */
import {
  FileDestination,
  HttpsDestination,
  S3Destination,
  SplunkHecDestination,
  SyslogDestination
} from "@cairn/core/outbound"
import { Schema, Struct } from "effect"

/** A destination as it is shown, with its defaults. */
export const DestinationView = Schema.Union([
  Schema.toType(HttpsDestination),
  Schema.toType(SyslogDestination),
  Schema.toType(S3Destination),
  Schema.toType(SplunkHecDestination),
  Schema.toType(FileDestination)
]).annotate({
  identifier: "Destination",
  description: "Where a stream sends events, with its defaults. Secrets are shown as `***`"
})

const { type: httpsType, url: httpsUrl, ...httpsRest } = Struct.map(HttpsDestination.fields, Schema.toType)
const httpsNeeded = { type: httpsType, url: httpsUrl }
const httpsInput = Schema.Struct({
  ...httpsNeeded,
  ...Struct.map(Struct.map(httpsRest, Schema.NullOr), Schema.optionalKey)
}).annotate({ identifier: "HttpsDestinationInput", description: "An HTTPS endpoint" })
const httpsPatch = Schema.Struct({
  ...httpsNeeded,
  ...Struct.map(httpsRest, Schema.optionalKey)
}).annotate({ identifier: "HttpsDestinationPatch", description: "An HTTPS endpoint" })

const {
  type: syslogType,
  host: syslogHost,
  ...syslogRest
} = Struct.map(SyslogDestination.fields, Schema.toType)
const syslogNeeded = { type: syslogType, host: syslogHost }
const syslogInput = Schema.Struct({
  ...syslogNeeded,
  ...Struct.map(Struct.map(syslogRest, Schema.NullOr), Schema.optionalKey)
}).annotate({ identifier: "SyslogDestinationInput", description: "A syslog receiver" })
const syslogPatch = Schema.Struct({
  ...syslogNeeded,
  ...Struct.map(syslogRest, Schema.optionalKey)
}).annotate({ identifier: "SyslogDestinationPatch", description: "A syslog receiver" })

const {
  type: s3Type,
  bucket: s3Bucket,
  access_key_id: s3AccessKeyId,
  secret_access_key: s3SecretAccessKey,
  ...s3Rest
} = Struct.map(S3Destination.fields, Schema.toType)
const s3Needed = {
  type: s3Type,
  bucket: s3Bucket,
  access_key_id: s3AccessKeyId,
  secret_access_key: s3SecretAccessKey
}
const s3Input = Schema.Struct({
  ...s3Needed,
  ...Struct.map(Struct.map(s3Rest, Schema.NullOr), Schema.optionalKey)
}).annotate({ identifier: "S3DestinationInput", description: "A bucket of an S3-compatible store" })
const s3Patch = Schema.Struct({
  ...s3Needed,
  ...Struct.map(s3Rest, Schema.optionalKey)
}).annotate({ identifier: "S3DestinationPatch", description: "A bucket of an S3-compatible store" })

const {
  type: splunkHecType,
  url: splunkHecUrl,
  token: splunkHecToken,
  ...splunkHecRest
} = Struct.map(SplunkHecDestination.fields, Schema.toType)
const splunkHecNeeded = { type: splunkHecType, url: splunkHecUrl, token: splunkHecToken }
const splunkHecInput = Schema.Struct({
  ...splunkHecNeeded,
  ...Struct.map(Struct.map(splunkHecRest, Schema.NullOr), Schema.optionalKey)
}).annotate({ identifier: "SplunkHecDestinationInput", description: "Splunk's HTTP Event Collector" })
const splunkHecPatch = Schema.Struct({
  ...splunkHecNeeded,
  ...Struct.map(splunkHecRest, Schema.optionalKey)
}).annotate({ identifier: "SplunkHecDestinationPatch", description: "Splunk's HTTP Event Collector" })

const file = Struct.map(FileDestination.fields, Schema.toType)
const fileInput = Schema.Struct(file).annotate({
  identifier: "FileDestinationInput",
  description: "A file on the server"
})
const filePatch = Schema.Struct(file).annotate({
  identifier: "FileDestinationPatch",
  description: "A file on the server"
})

/** A destination of a new stream: what is left out or null has its default. */
export const DestinationInput = Schema.Union([
  httpsInput,
  syslogInput,
  s3Input,
  splunkHecInput,
  fileInput
]).annotate({
  identifier: "DestinationInput",
  description: "Where a new stream sends events; what is left out or null has its default"
})

/** The destination that replaces a stream's: what is left out has its default. */
export const DestinationPatch = Schema.Union([
  httpsPatch,
  syslogPatch,
  s3Patch,
  splunkHecPatch,
  filePatch
]).annotate({
  identifier: "DestinationPatch",
  description:
    "Where the stream sends events from now on, as a whole; what is left out has its default, and `***` keeps a secret while the address stays"
})
