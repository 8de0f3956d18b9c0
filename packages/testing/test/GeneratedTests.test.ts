import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Corpus, corpusFile, generatedTests } from "@cairn/testing/GeneratedTests"
import { seededStory } from "@cairn/testing/SeededTrial"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as FastCheck from "fast-check"
import { vi } from "vitest"

const generated = generatedTests(import.meta.url)
const root = fileURLToPath(new URL("../../../", import.meta.url))

afterEach(() => {
  vi.unstubAllEnvs()
})

/** The message with which `run` fails. */
const messageOf = (run: () => void): string => {
  try {
    run()
  } catch (failure) {
    if (failure instanceof Error) return failure.message
  }
  return assert.fail("it did not fail with an error")
}

const seedIn = (message: string): string => /CAIRN_SEED=(-?\d+) repeats this run/.exec(message)?.[1] ?? ""

describe("a generated test", () => {
  it("runs the inputs of its corpus first", () => {
    const seen: Array<unknown> = []
    generated.property(
      FastCheck.property(FastCheck.anything(), (input) => void seen.push(input)),
      { numRuns: 5 }
    )
    assert.deepStrictEqual(seen.slice(0, 3), ["kept", [Uint8Array.of(0, 255), 1n, -0], undefined])
    assert.lengthOf(seen, 5)
  })

  it("runs the seeds of its corpus first", () => {
    const seen: Array<number> = []
    generated.stories({ count: 2, seed: 20 }, (_, seed) => void seen.push(seed))
    assert.deepStrictEqual(seen, [7, 20, 21])
  })

  it("prints its seed when it fails", () => {
    const fails = () =>
      generated.property(FastCheck.property(FastCheck.integer(), (input) => assert.strictEqual(input, 0)))
    const message = messageOf(fails)
    assert.isNotEmpty(seedIn(message))
    assert.include(message, join("test", "corpus", "GeneratedTests.json"))
    vi.stubEnv("CAIRN_SEED", "12")
    assert.strictEqual(seedIn(messageOf(fails)), "12")
  })

  it("prints the seed of a story that fails", () => {
    const fails = (seed: number) => () =>
      generated.stories({ count: 9, seed: 20 }, (_, own) => assert.notStrictEqual(own, seed))
    assert.strictEqual(seedIn(messageOf(fails(23))), "23")
    assert.strictEqual(seedIn(messageOf(fails(7))), "20")
    assert.include(messageOf(fails(7)), "failed with the seed 7 of")
  })

  it("prints the seed of a promise that fails", async () => {
    const fails = async (seed: number) => {
      try {
        await generated.promises({ count: 9, seed: 20 }, async (_, own) => assert.notStrictEqual(own, seed))
      } catch (failure) {
        return messageOf(() => {
          throw failure
        })
      }
      return assert.fail("it did not fail")
    }
    assert.strictEqual(seedIn(await fails(23)), "23")
    assert.strictEqual(seedIn(await fails(7)), "20")
    assert.include(await fails(7), "failed with the seed 7 of")
  })

  it("checks the inputs of its corpus with the others, and prints the seed of a check that fails", async () => {
    const seen: Array<unknown> = []
    await generated.samples(FastCheck.integer(), { count: 3 }, (samples) => void seen.push(...samples))
    assert.deepStrictEqual(seen.slice(0, 2), ["kept", "too"])
    assert.lengthOf(seen, 5)
    const check = () =>
      generated.samples(FastCheck.integer(), { count: 3, seed: 20 }, async () => assert.fail("on purpose"))
    const failure = await check().then(
      () => assert.fail("it did not fail"),
      (error: Error) => error
    )
    assert.include(failure.message, "on purpose")
    assert.strictEqual(seedIn(failure.message), "20")
  })

  it.effect("prints the seed of an Effect that fails", () =>
    Effect.gen(function* () {
      const died = generated.effects({ count: 9, seed: 20 }, (_, seed) =>
        Effect.sync(() => assert.notStrictEqual(seed, 23))
      )
      const failed = generated.effects({ seed: 20 }, () => Effect.fail(new Error("on purpose")))
      assert.strictEqual(seedIn(String(yield* Effect.exit(died))), "23")
      const { message } = yield* Effect.flip(failed)
      assert.strictEqual(seedIn(message), "20")
      assert.include(message, "failed with the seed 7 of")
    })
  )

  it("makes the same inputs again with CAIRN_SEED", () => {
    const inputs = () => {
      const seen: Array<number> = []
      generated.property(FastCheck.property(FastCheck.integer(), (input) => void seen.push(input)))
      return seen
    }
    vi.stubEnv("CAIRN_SEED", "12")
    const first = inputs()
    assert.deepStrictEqual(inputs(), first)
    vi.stubEnv("CAIRN_SEED", "13")
    assert.notDeepEqual(inputs(), first)
    vi.stubEnv("CAIRN_SEED", "twelve")
    assert.include(messageOf(inputs), "CAIRN_SEED is no integer: twelve")
  })

  it("fails without an entry in a corpus", () => {
    const runs = () => generated.property(FastCheck.property(FastCheck.integer(), () => true))
    assert.include(messageOf(runs), "has no entry")
  })
})

describe("a story of a contract", () => {
  it.effect("names the seed with which it failed, and runs from the one that CAIRN_SEED gives", () =>
    Effect.gen(function* () {
      const fails = seededStory(import.meta.url, (random) =>
        Effect.fail(new Error(`drew ${random.below(1_000_000)}`))
      )
      const first = yield* Effect.flip(fails)
      assert.include(first.message, "CAIRN_SEED=14 repeats this trial")
      vi.stubEnv("CAIRN_SEED", "12")
      const second = yield* Effect.flip(fails)
      assert.include(second.message, "CAIRN_SEED=12 repeats this trial")
      assert.notStrictEqual(first.message.split("\n")[0], second.message.split("\n")[0])
    })
  )
})

describe("the corpora", () => {
  const files = globSync(
    ["{packages,examples}/*/test/**/*.{test,trial}.ts", "packages/testing/src/contracts/*.ts"],
    { cwd: root }
  )
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]))

  const usesCorpus = (file: string) =>
    /\b(?:generatedTests|seededTrial|seededStory)\(\s*import\.meta\.url/.test(sources.get(file) ?? "")

  it("are read by the tests that use them, and belong to a file that is there", () => {
    const expected = files.filter(usesCorpus).map((file) => corpusFile(pathToFileURL(join(root, file)).href))
    assert.isAbove(expected.length, 30)
    for (const file of expected) assert.isTrue(existsSync(file), file)
    const found = globSync("{packages,examples}/*/test/corpus/**/*.json", { cwd: root })
    assert.sameMembers(
      found.map((file) => join(root, file)),
      expected
    )
    for (const file of found) {
      Schema.decodeSync(Schema.fromJsonString(Corpus))(readFileSync(join(root, file), "utf8"))
    }
  })

  it("are had by every test that draws at random", () => {
    const drawing = [...sources].filter(
      ([file, text]) => text.includes("seededRandom(") && !file.startsWith("packages/testing/src/")
    )
    assert.isAbove(drawing.length, 10)
    for (const [file] of drawing) assert.isTrue(usesCorpus(file), file)
  })

  it("are passed over by no property test: none asserts by itself", () => {
    for (const [file, text] of sources) assert.notMatch(text, /\b(?:fc|FastCheck)\.(?:assert|sample)\(/, file)
  })
})
