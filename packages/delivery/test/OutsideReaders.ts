/** Delivery's readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them. */
import { decodeDestination } from "@cairn/delivery"
import { hostileJson, hostileTexts, type OutsideReader } from "@cairn/testing"
import { isExportName } from "../src/export/ExportName.ts"
import { readElements } from "../src/export/S3Client.ts"
import { escapeHtml } from "../src/mail/MailBody.ts"

const TYPES = {
  https: '"url":"https://example.com/a"',
  syslog: '"host":"logs.example.com","port":6514',
  s3: '"bucket":"b","region":"r","access_key_id":"k","secret_access_key":"s"',
  splunk_hec: '"url":"https://example.com","token":"t"',
  file: '"path":"a.log"'
}

const MEMBERS = ["url", "host", "app_name", "endpoint", "bucket", "prefix", "path", "headers", "token", "ca"]

/** Bytes of the longest body that settings come in: a longer value never reaches a destination. */
const LONGEST = 64 * 1024

/** A destination of each kind of which every member is the same hostile value; later members win. */
const destinations = (value: string): ReadonlyArray<string> =>
  Object.entries(TYPES).map(
    ([type, rest]) => `{${rest},${MEMBERS.map((name) => `"${name}":${value}`).join(",")},"type":"${type}"}`
  )

const decodeAll = (value: string): unknown =>
  destinations(value).map((destination) => decodeDestination(JSON.parse(destination)))

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<string>> = [
  { name: "destination of a stream", read: decodeAll, inputs: hostileJson(), longest: LONGEST },
  {
    name: "text in the destination of a stream",
    read: (text) => decodeAll(JSON.stringify(text)),
    inputs: hostileTexts("https://example.com/a", "logs.example.com", "a/b/c.log"),
    longest: LONGEST
  },
  { name: "name of an export's file", read: isExportName, inputs: hostileTexts("wsp_1/exp_1.csv") },
  {
    name: "answer of an S3 store",
    read: (xml) => ["Upload", "Contents", "Key"].map((name) => readElements(xml, name)),
    inputs: {
      ...hostileTexts("<Contents><Key>a&amp;b</Key></Contents>"),
      "what begins and does not end": (length) => "<Key>".repeat(length / 5)
    }
  },
  { name: "text in a mail", read: escapeHtml, inputs: hostileTexts("<a href='x'>&amp;</a>") }
]
