/** Syslog messages: RFC 5424, framed by octet counting (RFC 6587 section 3.4.1, RFC 5425 section 4.3). */
import { Micros } from "@cairn/core/encoding"
import type { StreamRecord, StreamTest } from "@cairn/core/outbound"

/** The sender in every message of a stream. */
interface SyslogHeader {
  /** 0 to 23; 13 is the log audit. */
  readonly facility: number
  /** At most 255 printable ASCII characters. */
  readonly hostname: string
  /** At most 48 printable ASCII characters. */
  readonly appName: string
  readonly workspaceId: string
}

/** RFC 5424 section 6.2.1: informational. Cairn records; it does not judge. */
const SEVERITY = 6
/** The enterprise number that RFC 5612 sets aside for use without one's own. */
const SD_ID = "cairn@32473"
const MSG_ID = "audit"

/**
 * RFC 5424 section 6.3.3: `"`, `\` and `]` are escaped. Control characters are allowed, but many receivers
 * end a message at a line break.
 */
const parameter = (name: string, value: string | null): string =>
  value === null
    ? ""
    : ` ${name}="${value
        .replace(/["\\\]]/g, "\\$&")
        .replace(/\p{Cc}/gu, " ")
        .toWellFormed()}"`

const BYTE_ORDER_MARK = "\ufeff"

/**
 * RFC 5424 section 6.4: text in UTF-8 begins with a byte order mark, which many JSON parsers do not expect.
 * So JSON is written in ASCII, with escapes, and other text is marked only if it has to be.
 */
const message = (text: string, json: boolean): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII is the question.
  if (/^[\x00-\x7f]*$/.test(text)) return text
  return json
    ? text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : BYTE_ORDER_MARK + text
}

/** What a message says. */
interface SyslogMessage {
  readonly at: Micros.Micros
  readonly data: ReadonlyArray<readonly [name: string, value: string | null]>
  readonly text: string
}

const frame = (
  { facility, hostname, appName }: SyslogHeader,
  { at, data, text }: SyslogMessage,
  json: boolean
): Buffer => {
  const header = `<${facility * 8 + SEVERITY}>1 ${Micros.format(at)} ${hostname} ${appName} - ${MSG_ID}`
  const parameters = data.map(([name, value]) => parameter(name, value)).join("")
  const body = Buffer.from(`${header} [${SD_ID}${parameters}] ${message(text, json)}`)
  return Buffer.concat([Buffer.from(`${body.length} `), body])
}

/** One message with its length before it. The time is that of recording. */
export const syslogFrame = (
  header: SyslogHeader,
  { sequence, createdAt, event, text }: StreamRecord,
  json: boolean
): Buffer => {
  const data = [
    ["id", event.id],
    ["sequence", String(sequence)],
    ["workspace", header.workspaceId],
    ["action", event.action],
    ["actor", event.actor.id],
    ["tenant", event.tenant_id]
  ] as const
  return frame(header, { at: createdAt, data, text }, json)
}

/** The message of a test: its action is `cairn.test`, and it has no sequence. */
export const syslogTestFrame = (
  header: SyslogHeader,
  { id, at, text }: StreamTest,
  json: boolean
): Buffer => {
  const data = [
    ["id", id],
    ["workspace", header.workspaceId],
    ["action", "cairn.test"]
  ] as const
  return frame(header, { at, data, text }, json)
}
