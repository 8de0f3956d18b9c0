/** The core's readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them. */

import { decodeAlertRule } from "@cairn/core/alert"
import { parseAnchorPayload } from "@cairn/core/anchor"
import { canonicalize, Micros, parseNetwork, recoverCell, StrictJson } from "@cairn/core/encoding"
import {
  contentText,
  decodeEvent,
  decodeOwnEvent,
  fold,
  isCanonicalContent,
  nowhere,
  parseContent,
  toEvent
} from "@cairn/core/event"
import { EvidenceReader } from "@cairn/core/evidence"
import { portableSha256 } from "@cairn/core/hashing"
import {
  Acceptance,
  ClockGuard,
  Cursor,
  EventLog,
  Inbox,
  type PendingEvent,
  parsePosition
} from "@cairn/core/log"
import { hashFromHex } from "@cairn/core/merkle"
import {
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  parseTlogProof,
  parseVerifierKey
} from "@cairn/core/note"
import {
  checkOutboundUrl,
  decodeLogStreamSettings,
  decodeMailNotice,
  parseNetworks,
  parseRetryAfter,
  refusalOf,
  verifyWebhookSignature
} from "@cairn/core/outbound"
import { EventProof, verifyEventProof } from "@cairn/core/proof"
import {
  apiKeyPublicId,
  generateApiKey,
  isFrameAncestor,
  isOriginOf,
  parseToken,
  payloadText
} from "@cairn/core/workspace"
import {
  type HostileInput,
  hostileBytes,
  hostileJson,
  hostileTexts,
  layerSeededRandomness,
  type OutsideReader,
  seededRandomness,
  testBundle,
  testLog
} from "@cairn/testing"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { readAuditEvent, readAuditFilter, readLogName } from "../src/AuditLogInput.ts"
import { decodeAlertRuleChange } from "../src/alert/AlertRuleDefinition.ts"
import { isTimeZone, minuteOfDay } from "../src/alert/BusinessHours.ts"
import { csvRecord } from "../src/encoding/Csv.ts"
import { readLarge } from "../src/encoding/LargeJson.ts"
import { finished } from "../src/encoding/Pace.ts"
import { decodeBase64 } from "../src/encoding/StrictBase64.ts"
import { actionGlob } from "../src/event/ActionGlob.ts"
import { contentFields } from "../src/event/ContentFields.ts"
import { cef } from "../src/event/formats/Cef.ts"
import { cloudEvents } from "../src/event/formats/CloudEvents.ts"
import { ocsf } from "../src/event/formats/Ocsf.ts"
import { readsAsOwn } from "../src/event/OwnAction.ts"
import { matchesText } from "../src/event/TextMatch.ts"
import { readEventTail } from "../src/evidence/EvidenceTail.ts"
import { facetPrefix } from "../src/log/facet/FacetPrefix.ts"
import { frameEvent } from "../src/log/frame/FrameEvent.ts"
import { verifyStandardWebhook, webhookKey } from "../src/outbound/StandardWebhooks.ts"
import { parseArchiveLine, withoutContent } from "../src/retention/ArchiveFile.ts"
import { decodeState } from "../src/verification/PassState.ts"
import { ed25519, signerOf } from "./support/NodeEd25519.ts"

const HASH = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
const KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
const NOTE = `example.com/log\n20852163\n${HASH}\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n`
/** A stored state whose one break is of an event with this id, as JSON. */
const passState = (eventId: string): string =>
  `{"pass":1,"began_at":0,"ended":false,"checked":0,"history":null,"furthest":null,"untold":[{"event_id":${eventId},` +
  '"type":"chain_break","expected_hash":"","actual_hash":""}],"told_at":null}'
const TOKEN = ['{"alg":"HS256","kid":"k"}', '{"sub":"w"}', "x".repeat(32)]
  .map((part) => Buffer.from(part).toString("base64url"))
  .join(".")
const API_KEY = generateApiKey(seededRandomness(1)).key
const MOMENT = "2026-05-01T12:00:00.123456+02:00"

/** What an event says around its metadata, as it is sent. */
const eventBody = (metadata: string): string => `{"actor_id":"a","action":"b.c","metadata":{"m":${metadata}}}`

/** What an event says in a field that nobody knows. */
const unknownField = (value: string): string => `{"actor_id":"a","action":"b.c","version":1,"other":${value}}`

const batchBody = (metadata: string): string =>
  `{"events":[${eventBody(metadata)},${unknownField(metadata)}]}`

/** A content as it is stored, canonical but for what hostile metadata makes of it. */
const content = (metadata: string): string =>
  contentText(
    {
      head: '{"action":"b.c","action_category":null,"actor":{"id":"a","name":null,"type":null},"idempotency_key":null,',
      tail: `"metadata":{"m":${metadata}},"occurred_at":"2026-05-01T12:00:00.000000Z","resource":{"id":null,"name":null,"type":null},"session_id":null,"targets":[],"tenant_id":null,"version":null}`
    },
    nowhere
  )

/** The same, with targets that have this JSON in place of one. */
const contentOfTargets = (target: string): string =>
  content("1").replace('"targets":[]', () => `"targets":[${target}]`)

const contentOfText = (text: string): string => content(JSON.stringify(text))

const ordinaryContent = () => parseContent(content("1")) ?? Effect.runSync(Effect.die("no content"))

const accepting = Acceptance.layer.pipe(
  Layer.provide([
    Layer.succeed(
      ClockGuard,
      ClockGuard.of({
        now: Effect.succeed(1_777_636_800_000_000),
        reckoned: Effect.succeed(1_777_636_800_000_000)
      })
    ),
    layerSeededRandomness(1),
    Layer.mock(EventLog)({}),
    Layer.succeed(
      Inbox,
      Inbox.of({
        accept: ({ events }: { readonly events: ReadonlyArray<PendingEvent> }) =>
          Effect.succeed(events.map(({ id }) => ({ id, duplicate: false }))),
        depth: Effect.succeed(0),
        find: () => Effect.succeed(Option.none())
      } as unknown as typeof Inbox.Service)
    )
  ])
)
const acceptance = Effect.runSync(Acceptance.pipe(Effect.provide(accepting)))
const context = { workspaceId: "w", clientAddress: null, keysExpireBefore: null }

const bundle = testBundle(testLog({ events: 4, legacy: 2, periods: [2], erased: [1] }), {
  signer: signerOf(7)
})

/** A line of a bundle of which one text is replaced by a hostile one. */
const inLine = (type: string): ((text: string) => string) => {
  const line = bundle.find((one) => one.includes(`"type":"${type}"`)) ?? ""
  return (text) => `${line.slice(0, line.lastIndexOf('"type"'))}"x":${text},"type":"${type}"}\n`
}

const feed = (bytes: Uint8Array): unknown => new EvidenceReader(() => undefined).feed(bytes)

/** Fed in helpings, each cut at the same place in the text. */
const feedInPieces = (bytes: Uint8Array): unknown => {
  const reader = new EvidenceReader(() => undefined)
  const helping = 1000
  for (let at = 0; at < bytes.length; at += helping) {
    if (Result.isFailure(reader.feed(bytes.subarray(at, at + helping)))) return undefined
  }
  return reader.finish()
}

const lines = (text: string): string => `${bundle[0]}${text}\n`

const mapped = (
  inputs: Readonly<Record<string, HostileInput<string>>>,
  change: (text: string) => string
): Record<string, HostileInput<string>> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, make]) => [name, (length: number) => change(make(length))])
  )

const text = (
  name: string,
  read: (text: string) => unknown,
  ...samples: ReadonlyArray<string>
): OutsideReader<string> => ({ name, read, inputs: hostileTexts(...samples) })

const bytes = (
  name: string,
  read: (bytes: Uint8Array) => unknown,
  inputs: Readonly<Record<string, HostileInput<string>>>
): OutsideReader<Uint8Array> => ({ name, read, inputs: hostileBytes(inputs) })

const decodeProof = Schema.decodeUnknownSync(Schema.fromJsonString(EventProof))

const eventOf = (hostile: string) =>
  toEvent(
    { ...ordinaryContent(), action: hostile, actor: { id: hostile, name: hostile, type: hostile } },
    { id: "0b54c2a1-6f0e-4f5a-9c3f-0a1b2c3d4e5f", createdAt: 0, eventHash: null, previousEventHash: null }
  )

/** Characters of a field with some to spare: ingestion takes 1,024. */
const LONGEST_FIELD = 16_384

const origin = { workspaceId: "w", sequence: 1, contentHash: null, salt: null }

/** Those that read text. */
export const textReaders: ReadonlyArray<OutsideReader<string>> = [
  {
    name: "JSON",
    read: (body) =>
      Result.map(StrictJson.read(body), ({ altered }) => [...StrictJson.alterationsWithin(altered)]),
    inputs: { ...hostileJson(), ...hostileTexts('{"a":[1,"\\u0041",{"\\n":-1.5e3}]}') }
  },
  {
    name: "JSON, a piece at a time",
    read: (body) => finished(readLarge(body, new Set())),
    inputs: hostileJson()
  },
  {
    name: "event body",
    read: (body) => Effect.runSync(Effect.exit(acceptance.one(context, body))),
    inputs: { ...hostileJson(eventBody), ...hostileTexts(eventBody('"x"')) }
  },
  {
    name: "event of a program",
    read: (body) => readAuditEvent(JSON.parse(body)),
    inputs: { ...hostileJson(eventBody), ...hostileTexts(eventBody('"x"')) }
  },
  {
    name: "filter and name of a program",
    read: (text) => [
      readAuditFilter({ search: text, action: text }),
      readAuditFilter({ from: text }),
      readAuditFilter({ [text]: text }),
      readLogName(text)
    ],
    inputs: hostileTexts("project.*", MOMENT)
  },
  {
    name: "event body, a field nobody knows",
    read: (body) => Effect.runSync(Effect.exit(acceptance.one(context, body))),
    inputs: hostileJson(unknownField)
  },
  {
    name: "batch body",
    read: (body) => Effect.runSync(Effect.exit(acceptance.batch(context, body))),
    inputs: {
      ...hostileJson(batchBody),
      "many small events": (length) =>
        `{"events":[${Array.from({ length: Math.ceil(length / 40) }, () => eventBody("1e400")).join(",")}]}`,
      "a hundred events": (length) =>
        `{"events":[${Array.from({ length: 100 }, () => eventBody(`"${"\\\\".repeat(length / 200)}"`)).join(",")}]}`,
      "a hundred events with altered numbers": (length) =>
        `{"events":[${Array.from({ length: 100 }, () => eventBody(`[${"1e400,".repeat(length / 600)}1]`)).join(",")}]}`
    }
  },
  {
    name: "decoded event",
    read: (body) => [decodeEvent(JSON.parse(body)), decodeOwnEvent(JSON.parse(body))],
    inputs: mapped(hostileTexts("a", MOMENT, "192.0.2.7", "2001:db8::1"), (hostile) =>
      JSON.stringify({
        actor_id: hostile,
        action: "b",
        occurred_at: hostile,
        ip_address: hostile,
        actor_name: hostile
      })
    )
  },
  {
    name: "stored content",
    read: parseContent,
    inputs: { ...hostileJson(content), ...mapped(hostileTexts("x"), contentOfText) }
  },
  {
    name: "fields of stored content",
    read: contentFields,
    inputs: {
      ...hostileJson(content),
      ...mapped(hostileTexts("x"), contentOfText),
      ...hostileTexts(content("1"))
    }
  },
  {
    name: "what filters read of stored content",
    read: (stored) => [matchesText({ targetId: "a", search: "b" }, stored, 0), frameEvent(1, 0, stored)],
    inputs: {
      ...hostileJson(content),
      ...mapped(hostileJson(), contentOfTargets),
      ...mapped(hostileTexts("x"), contentOfText),
      ...hostileTexts(content("1"))
    }
  },
  { name: "canonical JSON", read: (json) => canonicalize(JSON.parse(json), 32), inputs: hostileJson() },
  {
    name: "proof of an event",
    read: (json) => verifyEventProof(portableSha256, decodeProof(json)),
    inputs: hostileJson()
  },
  text(
    "moment",
    (given) => [Micros.parse(given), Micros.normalize(given), Micros.parseStored(given)],
    MOMENT,
    "2026-05-01"
  ),
  text("label of a facet", (label) => facetPrefix("aa")("?", label), "aab"),
  text("cursor", Cursor.decode, Cursor.encode(1_777_636_800_000_000)),
  text(
    "cursor of an occurrence",
    Cursor.decodeOccurrence,
    Cursor.encodeOccurrence({ occurredAt: 1_777_636_800_000_000, sequence: 7 })
  ),
  text("base64", decodeBase64, HASH),
  text("viewer token", (token) => Option.map(Option.fromUndefinedOr(parseToken(token)), payloadText), TOKEN),
  text("API key", apiKeyPublicId, API_KEY),
  text("note", parseNote, NOTE),
  text("checkpoint", parseCheckpoint, `example.com/log\n20852163\n${HASH}\n`),
  text("signed checkpoint", (note) => openCheckpoint(ed25519, note, []), NOTE),
  text("position", parsePosition, `1-${"0".repeat(38)}1`),
  text("verifier key", (key) => parseVerifierKey(portableSha256, key), KEY),
  text(
    "tlog-proof",
    parseTlogProof,
    `c2sp.org/tlog-proof@v1\nextra ${HASH}\nindex 7\n${HASH}\n${HASH}\n\n${NOTE}`
  ),
  text("hash in hexadecimal", (hex) => hashFromHex(hex, "root"), "0123456789abcdef".repeat(4)),
  text("network", parseNetwork, "10.0.0.0/8", "2001:db8::/32", "::ffff:10.0.0.0/104"),
  text("list of networks", parseNetworks, "10.0.0.0/8,fd00::/8,192.0.2.1", "2001:db8:0:0:0:0:0:1"),
  text(
    "outbound address",
    (address) => refusalOf({ allow: [], http: false }, address),
    "192.0.2.1",
    "2001:db8::1"
  ),
  text(
    "outbound URL",
    (url) => checkOutboundUrl({ allow: [], http: false }, url),
    "https://hooks.example.com:8443/a/b?c=d#e",
    "https://[2001:db8::1]/"
  ),
  text("Retry-After", (header) => parseRetryAfter(header, 0), "120", "Fri, 31 Dec 1999 23:59:59 GMT"),
  text("frame ancestor", isFrameAncestor, "https://*.example.com:8443", "'self'"),
  text(
    "Origin",
    (origin) => isOriginOf(origin, ["https://*.example.com:8443"], "https"),
    "https://a.example"
  ),
  text("name of a log", readLogName, "tenant-12"),
  text("filter of a program", (action) => readAuditFilter({ action, from: action }), "document.*"),
  text("event of a program", (action) => readAuditEvent({ action, actor_id: action }), "document.viewed"),
  text("time zone", isTimeZone, "Europe/Berlin"),
  text("time of day", minuteOfDay, "08:30"),
  {
    ...text(
      "glob of actions",
      (glob) => actionGlob(glob)("document.updated".repeat(16)),
      "document.*",
      "*a*b*"
    ),
    longest: 256
  },
  {
    name: "action under a glob",
    read: (action) => actionGlob("*a*b*aaaaaaaaaaaaaaab*")(action),
    inputs: hostileTexts("document.updated")
  },
  text("search term", fold, "Ada \u00c4"),
  text("action that may read as the service's own", readsAsOwn, "\u200bCairn.event"),
  text("webhook secret", webhookKey, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
  text(
    "signature header of a webhook",
    (header) => verifyWebhookSignature(portableSha256, "s", "{}", header),
    `sha256=${"0123456789abcdef".repeat(4)}`
  ),
  text(
    "headers of Standard Webhooks",
    (header) =>
      verifyStandardWebhook(
        portableSha256,
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        { "webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": header },
        "{}",
        1
      ),
    `v1,${HASH} v1a,${HASH}`
  ),
  {
    name: "state of a pass of self-verification",
    read: decodeState,
    inputs: {
      ...hostileJson(passState),
      ...mapped(hostileTexts("x"), (text) => passState(JSON.stringify(text))),
      ...hostileTexts(passState('"x"'), '"event_id":"x"', ',"event_id":"')
    }
  },
  {
    name: "line of an archive",
    read: (line) => [parseArchiveLine(line), withoutContent({ line })],
    inputs: {
      ...hostileJson(
        (value) => `{"content":${value},"content_hash":"","salt":"00","sequence":1,"type":"event"}`
      ),
      ...hostileTexts(
        '{"content":null,"content_hash":"","salt":"00","type":"event"}',
        '"salt":"0',
        ',"content_hash":'
      )
    }
  },
  {
    name: "alert rule",
    read: (json) => [
      decodeAlertRule(JSON.parse(json)),
      Result.map(decodeAlertRule({ name: "n", rule_type: "new_country" }), (rule) =>
        decodeAlertRuleChange(rule, JSON.parse(json))
      )
    ],
    inputs: hostileJson(
      (value) => `{"name":"n","rule_type":"off_hours","parameters":{"timezone":${value},"start":${value}}}`
    )
  },
  {
    name: "settings of a stream",
    read: (json) => decodeLogStreamSettings(JSON.parse(json)),
    inputs: hostileJson((value) => `{"name":${value},"action":"a.*","format":"cef"}`)
  },
  {
    name: "mail notice",
    read: (json) => Effect.runSync(Effect.exit(decodeMailNotice(json))),
    inputs: hostileJson()
  },
  text("CSV cell", (cell) => [csvRecord([cell]), recoverCell(cell)], "a b", "=1+1", 'a "quoted" cell'),
  { ...text("CEF", (hostile) => cef.encode(eventOf(hostile), origin), "a=b|c\\d"), longest: LONGEST_FIELD },
  {
    ...text("OCSF", (hostile) => ocsf.encode(eventOf(hostile), origin), "document.updated"),
    longest: LONGEST_FIELD
  },
  {
    ...text("CloudEvents", (hostile) => cloudEvents.encode(eventOf(hostile), origin), "document.updated"),
    longest: LONGEST_FIELD
  }
]

const eventLine =
  bundle.find((line) => line.includes('"type":"event"') && !line.startsWith('{"content":null')) ?? ""
const legacyLine = bundle.find((line) => line.includes('"type":"legacy"')) ?? ""

/** Those that read bytes. */
export const byteReaders: ReadonlyArray<OutsideReader<Uint8Array>> = [
  bytes("canonical content", isCanonicalContent, {
    ...hostileJson(content),
    ...mapped(hostileTexts("x"), contentOfText),
    ...hostileTexts(content("1"))
  }),
  bytes(
    "tail of an event's line",
    (line) => readEventTail(line, 0, line.length),
    hostileTexts(eventLine.trimEnd())
  ),
  bytes("bundle line", feed, {
    ...mapped(hostileJson(), lines),
    ...mapped(hostileTexts(eventLine, legacyLine), lines),
    ...hostileJson(inLine("header")),
    ...Object.fromEntries(
      ["prefix", "anchor", "checkpoint", "removal", "end"].flatMap((type) =>
        Object.entries(mapped(hostileJson(inLine(type)), lines)).map(([name, make]) => [
          `${type}: ${name}`,
          make
        ])
      )
    )
  }),
  bytes("bundle line, in pieces", feedInPieces, {
    ...mapped(hostileTexts(eventLine), lines),
    ...mapped(hostileJson(), lines)
  }),
  bytes("note as bytes", parseNote, hostileTexts(NOTE)),
  bytes("anchor payload", parseAnchorPayload, {
    ...hostileTexts("cairn1"),
    "anchors of one payload": (length) => `cairn1${"\0".repeat(96 * Math.ceil(length / 96))}`
  })
]
