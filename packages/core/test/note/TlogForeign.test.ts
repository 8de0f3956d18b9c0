/**
 * Notes, checkpoints and proofs against vectors of other projects, which the environment variable
 * CAIRN_FOREIGN points to.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { decodeBase64 } from "../../src/encoding/StrictBase64.ts"
import { proveConsistency, verifyConsistency } from "../../src/merkle/ConsistencyProof.ts"
import { proveInclusion, verifyInclusion } from "../../src/merkle/InclusionProof.ts"
import { emptyRoot, leafHash } from "../../src/merkle/TreeHash.ts"
import { memoryNodes } from "../../src/merkle/TreeNodes.ts"
import { checkpointText, openCheckpoint, parseCheckpoint } from "../../src/note/Checkpoint.ts"
import { openNote } from "../../src/note/NoteSignature.ts"
import { formatNote, parseNote } from "../../src/note/SignedNote.ts"
import { formatTlogProof, parseTlogProof } from "../../src/note/TlogProof.ts"
import { formatVerifierKey, parseVerifierKey } from "../../src/note/VerifierKey.ts"
import { hex, sha256 } from "../support/CountingSha256.ts"
import { ed25519 } from "../support/NodeEd25519.ts"

const foreign = process.env.CAIRN_FOREIGN
const folder = join(foreign ?? "", "vectors/tlog")

const load = <S extends Schema.Codec<unknown, unknown>>(name: string, schema: S): S["Type"] =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema))(readFileSync(join(folder, name), "utf8"))

const Notes = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    note_b64: Schema.String,
    trusted_vkeys: Schema.Array(Schema.String),
    expect: Schema.Literals(["ok", "reject-unverified", "reject-invalid-signature", "reject-malformed"]),
    verified: Schema.optionalKey(Schema.Array(Schema.String))
  })
)

const Keys = Schema.Struct({
  valid: Schema.Array(Schema.String),
  valid_other_types: Schema.Array(Schema.String),
  invalid: Schema.Array(Schema.String)
})

const Checkpoints = Schema.Struct({
  cases: Schema.Array(Schema.Struct({ desc: Schema.String, body: Schema.String, ok: Schema.Boolean }))
})

const Proofs = Schema.Struct({
  marshal: Schema.Array(
    Schema.Struct({
      index: Schema.Number,
      hashes: Schema.Array(Schema.String),
      extra_b64: Schema.optionalKey(Schema.String),
      checkpoint: Schema.String,
      text: Schema.String
    })
  ),
  unmarshal_errors: Schema.Array(Schema.Struct({ name: Schema.String, text: Schema.String }))
})

const OUTCOMES = {
  MalformedNote: "reject-malformed",
  UnverifiedNote: "reject-unverified",
  InvalidNoteSignature: "reject-invalid-signature"
} as const

describe.skipIf(foreign === undefined)("signed notes of Go, C2SP and Sunlight (needs CAIRN_FOREIGN)", () => {
  const notes = foreign === undefined ? [] : load("signed-note-vectors.json", Notes)

  it("are 17", () => assert.strictEqual(notes.length, 17))

  for (const { name, note_b64, trusted_vkeys, expect, verified } of notes) {
    it(`${name}: ${expect}`, () => {
      const keys = trusted_vkeys.map((text) => Result.getOrThrow(parseVerifierKey(sha256, text)))
      const source = Uint8Array.from(Buffer.from(note_b64, "base64"))
      const opened = Result.flatMap(parseNote(source), (note) => openNote(ed25519, note, keys))
      assert.strictEqual(Result.isFailure(opened) ? OUTCOMES[opened.failure._tag] : "ok", expect)
      if (Result.isFailure(opened)) return
      assert.deepStrictEqual(
        opened.success.verified.map(({ key }) => key.name),
        verified
      )
      assert.deepStrictEqual(
        new TextEncoder().encode(formatNote(Result.getOrThrow(parseNote(source)))),
        source
      )
    })
  }

  it("have these keys", () => {
    const keys = load("vkeys.json", Keys)
    for (const text of keys.valid) {
      assert.strictEqual(formatVerifierKey(Result.getOrThrow(parseVerifierKey(sha256, text))), text)
    }
    const types = keys.valid_other_types.map((text) => {
      const key = parseVerifierKey(sha256, text)
      return Result.isFailure(key) ? key.failure.reason : key.success.type
    })
    assert.deepStrictEqual(types, ["unsupported_type", "cosignature/v1"])
    for (const text of keys.invalid) {
      assert.isTrue(Result.isFailure(parseVerifierKey(sha256, text)), text)
    }
  })

  it("refuse every part of a key and every key with one character changed", () => {
    const [text = ""] = load("vkeys.json", Keys).valid
    const refused = (changed: string) =>
      assert.isTrue(Result.isFailure(parseVerifierKey(sha256, changed)), changed)
    for (let start = 0; start < text.length; start++) {
      for (let end = start; end <= text.length; end++) {
        if (end - start < text.length) refused(text.slice(start, end))
      }
      for (const character of [
        "A",
        "+",
        "=",
        "/",
        "\n",
        " ",
        String.fromCharCode(text.charCodeAt(start) ^ 1)
      ]) {
        const changed = text.slice(0, start) + character + text.slice(start + 1)
        if (changed !== text) refused(changed)
      }
    }
  })
})

describe.skipIf(foreign === undefined)("checkpoint bodies of transparency-dev (needs CAIRN_FOREIGN)", () => {
  const { cases } = foreign === undefined ? { cases: [] } : load("checkpoint-bodies.json", Checkpoints)
  for (const { desc, body, ok } of cases) {
    it(`${desc}: ${ok ? "read" : "refused"}`, () => {
      const parsed = parseCheckpoint(body)
      assert.strictEqual(Result.isSuccess(parsed), ok)
      if (Result.isSuccess(parsed)) assert.strictEqual(checkpointText(parsed.success), body)
    })
  }

  it("carry the root that their note says", () => {
    const golden = Result.getOrThrow(parseCheckpoint(cases[0]?.body ?? ""))
    assert.strictEqual(hex(golden.root), hex(leafHash(sha256, new TextEncoder().encode("hello world"))))
    const empty = cases.find(({ body, ok }) => ok && body.includes("\n0\n"))
    assert.strictEqual(
      hex(Result.getOrThrow(parseCheckpoint(empty?.body ?? "")).root),
      hex(emptyRoot(sha256))
    )
  })
})

describe.skipIf(foreign === undefined)("tlog-proofs of transparency-dev (needs CAIRN_FOREIGN)", () => {
  const { marshal, unmarshal_errors: errors } =
    foreign === undefined ? { marshal: [], unmarshal_errors: [] } : load("tlog-proof-vectors.json", Proofs)

  for (const { index, hashes, extra_b64: extra, checkpoint, text } of marshal) {
    it(`index ${index} is written and read`, () => {
      const proof = {
        index,
        hashes: hashes.map((base64) => decodeBase64(base64) ?? new Uint8Array()),
        extra: extra === undefined ? null : (decodeBase64(extra) ?? null),
        checkpoint
      }
      assert.strictEqual(formatTlogProof(proof), text)
      assert.deepStrictEqual(Result.getOrThrow(parseTlogProof(text)), proof)
    })
  }

  for (const { name, text } of errors) {
    it(`${name} is refused`, () => assert.isTrue(Result.isFailure(parseTlogProof(text))))
  }
})

describe.skipIf(foreign === undefined)("Tessera's test log, signed (needs CAIRN_FOREIGN)", () => {
  const log = join(folder, "tessera-testdata-log")
  const vkey = "example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx"

  const opened = () => {
    const key = Result.getOrThrow(parseVerifierKey(sha256, vkey))
    return readdirSync(log)
      .filter((name) => /^checkpoint\.\d+$/.test(name))
      .map((name) => readFileSync(join(log, name)))
      .map((source) => Result.getOrThrow(openCheckpoint(ed25519, source, [key])).checkpoint)
      .sort((one, other) => one.size - other.size)
  }

  /**
   * The leaf's data of a tile (C2SP tlog-tiles) are hashed already; the tree above them is what is checked
   * here.
   */
  const leaves = (): ReadonlyArray<Uint8Array> => {
    const bundle = readFileSync(join(log, "tile/entries/000.p/15"))
    const found: Array<Uint8Array> = []
    for (let offset = 0; offset < bundle.length; ) {
      const end = offset + 2 + bundle.readUInt16BE(offset)
      found.push(Uint8Array.from(bundle.subarray(offset + 2, end)))
      offset = end
    }
    return found
  }

  it("has 16 checkpoints, each signed by its key", () => {
    assert.deepStrictEqual(
      opened().map(({ size, origin }) => `${origin} ${size}`),
      Array.from({ length: 16 }, (_, size) => `example.com/log/testdata ${size}`)
    )
  })

  it("only grew from each signed checkpoint to each later one, and no two of one size differ", () => {
    const read = memoryNodes(sha256, leaves())
    const checkpoints = opened()
    for (const [at, later] of checkpoints.entries()) {
      for (const earlier of checkpoints.slice(0, at + 1)) {
        if (earlier.size === 0) continue
        const proof = Result.getOrThrow(proveConsistency(sha256, read, earlier.size, later.size))
        assert.isTrue(Result.isSuccess(verifyConsistency(sha256, earlier.root, later.root, proof)))
        const forged = earlier.root.slice()
        forged[0] = (forged[0] ?? 0) ^ 1
        assert.isTrue(Result.isFailure(verifyConsistency(sha256, forged, later.root, proof)))
      }
    }
  })

  it("gives tlog-proofs that lead from each entry to each signed checkpoint", () => {
    const data = leaves()
    const read = memoryNodes(sha256, data)
    for (const { size, root } of opened()) {
      const source = readFileSync(join(log, `checkpoint.${size}`), "utf8")
      for (let index = 0; index < size; index++) {
        const made = Result.getOrThrow(proveInclusion(sha256, read, index, size))
        const text = formatTlogProof({ index, hashes: made.hashes, extra: null, checkpoint: source })
        const proof = Result.getOrThrow(parseTlogProof(text))
        const checkpoint = Result.getOrThrow(
          Result.flatMap(parseNote(proof.checkpoint), (note) => parseCheckpoint(note.text))
        )
        const leaf = leafHash(sha256, data[index] ?? new Uint8Array())
        const inclusion = { leafIndex: proof.index, treeSize: checkpoint.size, hashes: proof.hashes }
        assert.isTrue(Result.isSuccess(verifyInclusion(sha256, leaf, inclusion, root)))
      }
    }
  })
})
