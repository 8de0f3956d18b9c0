import { createHash } from "node:crypto"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import npmCanonicalize from "canonicalize"
import * as FastCheck from "fast-check"
import * as Micros from "../../src/encoding/Micros.ts"
import {
  contentHash,
  type EventHeader,
  eventHash,
  headerText,
  SALT_BYTES
} from "../../src/event/EventHash.ts"
import { portableSha256 } from "../../src/hashing/Sha256.ts"
import { sha256 } from "../support/CountingSha256.ts"

const generated = generatedTests(import.meta.url)

/** What `printf | sha256sum` prints. */
const sha256sum = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

const hex = (length: number) =>
  FastCheck.string({
    unit: FastCheck.constantFrom(..."0123456789abcdef"),
    minLength: length,
    maxLength: length
  })

const text = FastCheck.string({ unit: "binary" }).filter((string) => string.isWellFormed())

const headers: FastCheck.Arbitrary<EventHeader> = FastCheck.record({
  contentHash: hex(64),
  createdAt: FastCheck.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  id: FastCheck.oneof(FastCheck.uuid(), text),
  previousEventHash: FastCheck.option(hex(64)),
  sequence: FastCheck.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  workspaceId: FastCheck.oneof(
    FastCheck.uuid().map((id) => `wsp_${id}`),
    text
  )
})

const SALT = "00112233445566778899aabbccddeeff"
const HEADER: EventHeader = {
  contentHash: "ab".repeat(32),
  createdAt: Micros.parse("2026-01-15T09:30:00.123456Z") ?? 0,
  id: "3f2b8c1e-5d64-4f7a-9c0b-1e2d3c4b5a69",
  previousEventHash: "cd".repeat(32),
  sequence: 2,
  workspaceId: "wsp_9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d"
}

const textOf = (createdAt: EventHeader["createdAt"]): string =>
  typeof createdAt === "string" ? createdAt : Micros.format(createdAt)

describe("the hash of a content", () => {
  it("is the SHA-256 of its domain, its salt and its text, a line each", () => {
    assert.strictEqual(contentHash(sha256, SALT, "{}"), sha256sum(`cairn.content.v1\n${SALT}\n{}`))
    generated.property(
      FastCheck.property(
        hex(2 * SALT_BYTES),
        text,
        (salt, content) =>
          contentHash(sha256, salt, content) === sha256sum(`cairn.content.v1\n${salt}\n${content}`)
      )
    )
  })

  it("is another one under another salt", () => {
    const hashes = Array.from({ length: 256 }, (_, byte) =>
      contentHash(sha256, byte.toString(16).padStart(2 * SALT_BYTES, "0"), "{}")
    )
    assert.strictEqual(new Set(hashes).size, hashes.length)
  })
})

describe("a header", () => {
  it("is the canonical JSON of its seven members, with its time as the interface writes it", () => {
    generated.property(
      FastCheck.property(headers, (header) => {
        const expected = npmCanonicalize({
          v: 1,
          workspace_id: header.workspaceId,
          sequence: header.sequence,
          previous_event_hash: header.previousEventHash,
          id: header.id,
          created_at: textOf(header.createdAt),
          content_hash: header.contentHash
        })
        return headerText(header) === expected
      })
    )
  })

  it("has null for the event before the first", () => {
    assert.strictEqual(
      headerText({ ...HEADER, previousEventHash: null, sequence: 1 }),
      `{"content_hash":"${HEADER.contentHash}","created_at":"2026-01-15T09:30:00.123456Z",` +
        `"id":"${HEADER.id}","previous_event_hash":null,"sequence":1,"v":1,"workspace_id":"${HEADER.workspaceId}"}`
    )
  })
})

describe("the hash of an event", () => {
  it("is the SHA-256 of its domain and its header, a line each", () => {
    generated.property(
      FastCheck.property(
        headers,
        (header) => eventHash(sha256, header) === sha256sum(`cairn.event.v1\n${headerText(header)}`)
      )
    )
  })

  it("changes with every member of the header", () => {
    const changed: ReadonlyArray<EventHeader> = [
      { ...HEADER, contentHash: `${HEADER.contentHash.slice(0, -1)}a` },
      { ...HEADER, createdAt: Number(HEADER.createdAt) + 1 },
      { ...HEADER, id: "3f2b8c1e-5d64-4f7a-9c0b-1e2d3c4b5a68" },
      { ...HEADER, previousEventHash: null },
      { ...HEADER, sequence: 3 },
      { ...HEADER, workspaceId: "wsp_9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5e" }
    ]
    assert.strictEqual(changed.length, Object.keys(HEADER).length)
    const hashes = [HEADER, ...changed].map((header) => eventHash(sha256, header))
    assert.strictEqual(new Set(hashes).size, hashes.length)
  })
})

it("the portable SHA-256 gives the same hashes as the native one", () => {
  assert.strictEqual(contentHash(portableSha256, SALT, "{}"), contentHash(sha256, SALT, "{}"))
  assert.strictEqual(eventHash(portableSha256, HEADER), eventHash(sha256, HEADER))
})
