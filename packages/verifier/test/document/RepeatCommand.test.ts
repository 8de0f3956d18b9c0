/** The command that a report gives is read back by the command's own parser, as a shell passes it on. */
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { formatVerifierKey, makeVerifierKey, type VerifierKey } from "@cairn/core/note"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Command } from "effect/cli"
import fc from "fast-check"
import { readKnowledge, verifyFlags } from "../../src/command/VerifyFlags.ts"
import { repeatCommand } from "../../src/document/RepeatCommand.ts"
import { type AuditorKnowledge, BroughtThings } from "../../src/evidence/AuditorKnowledge.ts"
import { layerTools } from "../../src/index.ts"
import { Obligations } from "../../src/report/Obligations.ts"
import { sha256, signerOf } from "../Bundles.ts"

const generated = generatedTests(import.meta.url)

/** The words that a shell makes of each command. None is empty, so that an empty one ends a command. */
const words = (commands: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = commands.map((command) => `printf '%s\\0' ${command}\nprintf '\\0'`)
  const { stdout } = spawnSync("bash", ["-s"], {
    input: lines.join("\n"),
    encoding: "utf8",
    env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
    maxBuffer: 2 ** 26
  })
  return stdout
    .split("\0\0")
    .slice(0, -1)
    .map((each) => each.split("\0").slice(1))
}

interface Asked {
  readonly files: ReadonlyArray<string>
  readonly knowledge: AuditorKnowledge
}

/** What the command makes of its arguments, in place of a check. */
const parsed = (args: ReadonlyArray<string>): Promise<Asked> => {
  let asked: Asked | undefined
  const command = Command.make("cairn-verify", verifyFlags, (given) =>
    Effect.map(readKnowledge(given), (knowledge) => {
      asked = { files: [given.file, ...Option.toArray(given.newer)], knowledge }
    })
  )
  return Effect.runPromise(
    Command.runWith(command, { version: "1.2.3" })(args).pipe(
      Effect.provide(layerTools),
      Effect.provide(NodeServices.layer),
      Effect.andThen(Effect.suspend(() => Effect.fromNullishOr(asked)))
    )
  )
}

/** What makes two checks the same. */
const essence = ({ trustedKeys = [], anyKey = false, ...rest }: AuditorKnowledge) => {
  const keys = [...new Set(trustedKeys.map(formatVerifierKey))]
  return {
    keys,
    // One key is any key.
    anyKey: anyKey && keys.length > 1,
    address: rest.anchorAddress ?? null,
    blocks: [...(rest.knownBlocks ?? [])],
    hasNode: (rest.node ?? null) !== null,
    chainId: rest.chainId ?? 8453
  }
}

const repeated = (names: ReadonlyArray<string>, knowledge: AuditorKnowledge) => {
  const obligations = new Obligations()
  new BroughtThings(obligations, knowledge)
  const files = names.map((name, index) => ({ name, bytes: 1, sha256: `${index}`.repeat(64) }))
  return repeatCommand(files, obligations.report.brought, knowledge.chainId ?? 8453)
}

const keyOf = (seed: number, name: string): VerifierKey =>
  Result.getOrThrow(makeVerifierKey(sha256, name, signerOf(seed).publicKey))

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })

const fileName = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
    fc.constantFrom(
      "-x.gz",
      "--json",
      "-3",
      "--",
      "=x",
      "~",
      "a b",
      "it's",
      "a\u200bb",
      "#1",
      "!!",
      "$HOME",
      "*"
    )
  )
  .filter((name) => name.isWellFormed() && !/[/\0]/.test(name) && name !== "." && name !== "..")

const keyName = fc
  .oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom("audit.example/log", "-dash", "--json", "x".repeat(600), "it's", "a\u200bb")
  )
  .filter((name) => Result.isSuccess(makeVerifierKey(sha256, name, signerOf(1).publicKey)))

/** A check, in values that a corpus can keep. */
interface Check {
  readonly names: ReadonlyArray<string>
  readonly keys: ReadonlyArray<readonly [seed: number, name: string]>
  readonly anyKey: boolean
  readonly address: string | null
  readonly blocks: ReadonlyArray<readonly [number: number, hash: string]>
  readonly hasNode: boolean
  readonly chainId: number
}

const digits = (length: number) => hex(length).map((text) => `0x${text}`)

const check: fc.Arbitrary<Check> = fc.record({
  names: fc.array(fileName, { minLength: 1, maxLength: 2 }),
  keys: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), keyName), { maxLength: 3 }),
  anyKey: fc.boolean(),
  address: fc.option(digits(40)),
  blocks: fc.array(fc.tuple(fc.nat(), digits(64)), { maxLength: 50 }),
  hasNode: fc.boolean(),
  chainId: fc.constantFrom(8453, 84_532, 1)
})

const knowledgeOf = ({ keys, anyKey, address, blocks, hasNode, chainId }: Check): AuditorKnowledge => ({
  trustedKeys: keys.map(([seed, name]) => keyOf(seed, name)),
  anyKey,
  anchorAddress: address,
  knownBlocks: new Map(blocks),
  node: hasNode ? "https://node.example" : null,
  chainId
})

describe("the command that repeats a check", () => {
  it("asks for the very same check, whatever was given", () =>
    generated.samples(check, { count: 300 }, async (samples) => {
      const checks = samples.map((made) => {
        const given = knowledgeOf(made)
        return { made, given, command: repeated(made.names, given).command }
      })
      const spoken = words(checks.map(({ command }) => command))
      for (const [index, { made, given, command }] of checks.entries()) {
        const asked = await parsed(spoken[index] ?? [])
        assert.deepStrictEqual(essence(asked.knowledge), essence(given), command)
        const [first, second] = made.names
        const names = first === second ? [`earlier/${first}`, `later/${second}`] : made.names
        assert.deepStrictEqual(
          asked.files,
          names.map((name) => resolve(name)),
          command
        )
      }
    }))

  it("tells two files of one name apart, and says so", () => {
    const { command, besides } = repeated(["log.gz", "log.gz"], {})
    assert.strictEqual(command, "cairn-verify \\\n  earlier/log.gz \\\n  later/log.gz")
    assert.match(besides.join(), /folders earlier and later/)
  })

  it("says how many hashes of blocks it leaves out, and leaves out nothing else", async () => {
    const blocks = new Map(Array.from({ length: 53 }, (_, index) => [index, `0x${"a".repeat(64)}`]))
    const given = { trustedKeys: [keyOf(1, "a")], knownBlocks: blocks, node: "a node", chainId: 84_532 }
    const { command, besides } = repeated(["log.gz"], given)
    const [spoken = []] = words([command])
    const asked = essence((await parsed(spoken)).knowledge)
    assert.deepStrictEqual(asked, { ...essence(given), blocks: [...blocks].slice(0, 50) })
    assert.match(besides.join(), /Also given: 3 more --block-hash options/)
  })
})
