import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import npmCanonicalize from "canonicalize"
import { Result, Schema } from "effect"
import { canonicalize } from "../../src/encoding/CanonicalJson.ts"
import * as Micros from "../../src/encoding/Micros.ts"
import { parseContent } from "../../src/event/EventContent.ts"
import { contentHash, eventHash, headerText } from "../../src/event/EventHash.ts"
import { portableSha256 } from "../../src/hashing/Sha256.ts"
import type { LogEntry } from "../../src/log/EventLog.ts"
import { ChainCheck } from "../../src/verification/ChainCheck.ts"
import { ChainBreak } from "../../src/verification/Verification.ts"
import { sha256 } from "../support/CountingSha256.ts"
import { HASH_VECTOR_KINDS, hashVectorFolder, hashVectors } from "./HashVectors.generate.ts"

const { String: Text, Number: Int, NullOr, Array: List } = Schema

const ContentVector = Schema.Struct({ salt: Text, content: Text, content_hash: Text })

const EventVector = Schema.Struct({
  content_hash: Text,
  created_at: Text,
  id: Text,
  previous_event_hash: NullOr(Text),
  sequence: Int,
  workspace_id: Text,
  header: Text,
  event_hash: Text
})

const LegacyRow = Schema.Struct({ sequence: Int, id: Text, created_at: Text, salt: Text, content: Text })

const ChainRow = Schema.Struct({
  ...LegacyRow.fields,
  content_hash: Text,
  previous_event_hash: NullOr(Text),
  event_hash: Text
})

const ChainVector = Schema.Struct({
  workspace_id: Text,
  head: Schema.Struct({ sequence: Int, event_hash: Text, event_id: Text }),
  legacy: List(LegacyRow),
  events: List(ChainRow),
  breaks: List(ChainBreak)
})

const read = (path: string): string => readFileSync(join(hashVectorFolder, path), "utf8")
const names = (kind: string): ReadonlyArray<string> => readdirSync(join(hashVectorFolder, kind)).sort()
const decode = <A, I>(schema: Schema.Codec<A, I>, path: string): A =>
  Schema.decodeSync(Schema.fromJsonString(schema))(read(path))

const sha256sum = (text: string): string => createHash("sha256").update(text).digest("hex")

const micros = (text: string): Micros.Micros => {
  const time = Micros.parse(text)
  if (time === undefined || Micros.format(time) !== text) throw new Error(`${text} is not in the stored form`)
  return time
}

/** The row as a store would have kept it. */
const stored = (row: typeof LegacyRow.Type, hashes?: typeof ChainRow.Type): LogEntry => {
  if (parseContent(row.content) === undefined) throw new Error(`${row.id} has no readable content`)
  return {
    sequence: row.sequence,
    id: row.id,
    createdAt: micros(row.created_at),
    content: row.content,
    salt: row.salt,
    contentHash: hashes?.content_hash ?? null,
    previousEventHash: hashes?.previous_event_hash ?? null,
    eventHash: hashes?.event_hash ?? null
  }
}

/** What verification finds in a chain. */
const breaksOf = (vector: typeof ChainVector.Type): ReadonlyArray<ChainBreak> => {
  const { sequence, event_hash, event_id } = vector.head
  const head = { sequence, eventHash: event_hash, eventId: event_id, createdAt: 0, legacy: null }
  const check = new ChainCheck(sha256, vector.workspace_id)
  for (const row of vector.legacy) check.checkLegacy(stored(row))
  for (const row of vector.events) {
    check.check(stored(row, row))
    check.checkWitness(head, stored(row, row))
  }
  check.finish(head, event_id)
  if ((check.last?.sequence ?? 0) > sequence) check.beyond(head)
  return check.breaks
}

describe("hash format test vectors", () => {
  it("are those that the generator writes, and no others", () => {
    const generated = hashVectors()
    const kept = HASH_VECTOR_KINDS.flatMap((kind) => names(kind).map((name) => `${kind}/${name}`))
    assert.deepStrictEqual(kept.toSorted(), [...generated.keys()].toSorted())
    for (const [path, text] of generated) assert.strictEqual(read(path), text, path)
  })

  describe.each(names("content"))("content/%s", (name) => {
    const { salt, content, content_hash } = decode(ContentVector, `content/${name}`)

    it("has canonical JSON for a content, by this code and by another's", () => {
      const value: unknown = JSON.parse(content)
      assert.strictEqual(Result.getOrThrow(canonicalize(value)), content)
      assert.strictEqual(npmCanonicalize(value), content)
      assert.isDefined(parseContent(content))
    })

    it("has this hash, by this code and by plain SHA-256", () => {
      assert.strictEqual(sha256sum(`cairn.content.v1\n${salt}\n${content}`), content_hash)
      assert.strictEqual(contentHash(sha256, salt, content), content_hash)
      assert.strictEqual(contentHash(portableSha256, salt, content), content_hash)
    })
  })

  it.each(names("event"))("event/%s has this header and this hash", (name) => {
    const vector = decode(EventVector, `event/${name}`)
    const header = {
      contentHash: vector.content_hash,
      createdAt: micros(vector.created_at),
      id: vector.id,
      previousEventHash: vector.previous_event_hash,
      sequence: vector.sequence,
      workspaceId: vector.workspace_id
    }
    assert.strictEqual(headerText(header), vector.header)
    assert.strictEqual(sha256sum(`cairn.event.v1\n${vector.header}`), vector.event_hash)
    assert.strictEqual(eventHash(sha256, header), vector.event_hash)
  })

  it.each(names("chain"))("chain/%s has these breaks", (name) => {
    const vector = decode(ChainVector, `chain/${name}`)
    assert.deepStrictEqual(breaksOf(vector), vector.breaks)
  })
})
