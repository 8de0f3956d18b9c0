import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  type Checkpoint,
  checkpointText,
  openCheckpoint,
  parseCheckpoint,
  signCheckpoint
} from "../../src/note/Checkpoint.ts"
import { makeVerifierKey } from "../../src/note/VerifierKey.ts"
import { sha256 } from "../support/CountingSha256.ts"
import { ed25519, signerOf } from "../support/NodeEd25519.ts"

const checkpoint: Checkpoint = {
  origin: "cairn.example/log/1",
  size: 20_852_163,
  root: new Uint8Array(32).fill(7),
  extensions: []
}
const key = Result.getOrThrow(makeVerifierKey(sha256, "cairn.example", signerOf(1).publicKey))
const sign = (given: Checkpoint) => signCheckpoint(sha256, signerOf(1), "cairn.example", given)

const partOf = (text: string) => {
  const result = parseCheckpoint(text)
  return Result.isFailure(result) ? result.failure.part : "parsed"
}

describe("a checkpoint", () => {
  it("is written as it is read", () => {
    for (const given of [
      checkpoint,
      { ...checkpoint, extensions: ["one", "two"] },
      { ...checkpoint, size: 0 }
    ]) {
      assert.deepStrictEqual(Result.getOrThrow(parseCheckpoint(checkpointText(given))), given)
    }
  })

  it("has an origin, a size and a root, and no empty line", () => {
    const [origin, size, root] = checkpointText(checkpoint).split("\n")
    assert.strictEqual(partOf(`${origin}\n${size}\n`), "lines")
    assert.strictEqual(partOf(`${origin}\n${size}\n${root}`), "lines")
    assert.strictEqual(partOf(`\n${size}\n${root}\n`), "origin")
    for (const wrong of [
      "",
      "-1",
      "+1",
      "01",
      "1.0",
      "1e3",
      " 1",
      "9007199254740992",
      "99999999999999999999"
    ]) {
      assert.strictEqual(partOf(`${origin}\n${wrong}\n${root}\n`), "size", wrong)
    }
    assert.strictEqual(partOf(`${origin}\n9007199254740991\n${root}\n`), "parsed")
    assert.strictEqual(partOf(`${origin}\n${size}\n${root?.slice(0, -1)}\n`), "root")
    assert.strictEqual(partOf(`${origin}\n${size}\nYmFuYW5hcw==\n`), "root")
    assert.strictEqual(partOf(`${origin}\n${size}\n${root}\n\n`), "extension")
    assert.strictEqual(partOf(`${origin}\n${size}\n${root}\nmore\n`), "parsed")
  })

  it("is opened by the key that signed it", () => {
    const note = Result.getOrThrow(sign(checkpoint))
    const opened = Result.getOrThrow(openCheckpoint(ed25519, note, [key]))
    assert.deepStrictEqual(opened.checkpoint, checkpoint)
    assert.strictEqual(opened.verified[0]?.key, key)
    assert.isTrue(Result.isFailure(openCheckpoint(ed25519, note.replace("20852163", "20852164"), [key])))
    assert.isTrue(Result.isFailure(openCheckpoint(ed25519, note, [])))
  })

  it("is not signed when a part of it would be read as another", () => {
    const root = checkpointText(checkpoint).split("\n")[2]
    const wrong: ReadonlyArray<Partial<Checkpoint>> = [
      { origin: "" },
      { origin: `other\n5\n${root}` },
      { origin: "tab\t" },
      { size: -1 },
      { size: 1.5 },
      { size: 2 ** 53 },
      { root: new Uint8Array(31) },
      { extensions: [""] },
      { extensions: ["one\ntwo"] }
    ]
    for (const part of wrong) {
      assert.isTrue(Result.isFailure(sign({ ...checkpoint, ...part })), JSON.stringify(part))
    }
  })
})
