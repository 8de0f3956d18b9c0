/**
 * Generated tests: each run makes new inputs from a seed, after those of a corpus. A failure names the seed,
 * and `CAIRN_SEED` repeats the run.
 *
 * The corpus of `test/encoding/Csv.test.ts` is `test/corpus/encoding/Csv.json`: for each generated test of
 * the file, by its title, the inputs that failed once or are notable, with the reason. An entry has either
 * `input`, the arguments of a property, or `seed`, from which a story is generated again. What JSON lacks is
 * written as an object: `{"$bytes": "00ff"}`, `{"$bigint": "1"}`, `{"$number": "-0"}`,
 * `{"$undefined": true}`.
 */
import { readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { Cause, Effect, Schema } from "effect"
import * as FastCheck from "fast-check"
import { expect } from "vitest"
import { type SeededRandom, seededRandom } from "./SeededRandom.ts"

const Why = { why: Schema.NonEmptyString }

/** What is kept of one run: the arguments of a property, or the seed of a story. */
const CorpusEntry = Schema.Union([
  Schema.Struct({ ...Why, input: Schema.Array(Schema.Json) }),
  Schema.Struct({ ...Why, seed: Schema.Int, path: Schema.optionalKey(Schema.String) })
])
export type CorpusEntry = typeof CorpusEntry.Type

/** A file of the corpus: for each generated test of one file, by its title, at least one entry. */
export const Corpus = Schema.Record(Schema.String, Schema.NonEmptyArray(CorpusEntry))
const decodeCorpus = Schema.decodeSync(Schema.fromJsonString(Corpus), { onExcessProperty: "error" })

/** The file that holds the corpus of the test file, or of the contract suite, at `url`. */
export const corpusFile = (url: string): string => {
  const file = fileURLToPath(url)
  const folder = file.includes(`${sep}test${sep}`) ? "test" : "src"
  const [before = "", ...parts] = file.split(`${sep}${folder}${sep}`)
  const inside = parts.join(`${sep}${folder}${sep}`).replace(/(\.test|\.trial)?\.ts$/, ".json")
  return join(before, "test", "corpus", inside)
}

/** What the corpus of the file at `url` keeps for a test. */
export const corpusEntries = (url: string, title: string): ReadonlyArray<CorpusEntry> => {
  const found = decodeCorpus(readFileSync(corpusFile(url), "utf8"))[title]
  if (found === undefined) throw new Error(`${corpusFile(url)} has no entry for "${title}"`)
  return found
}

/**
 * The seed of this run: `CAIRN_SEED`, or else the one that the test prefers, or else a new one, which
 * `CAIRN_RUN_SEED` says where the same trials run twice.
 */
export const seedOfRun = (preferred?: number): number => {
  const given = process.env.CAIRN_SEED
  const drawn = Number(process.env.CAIRN_RUN_SEED ?? Math.floor(Math.random() * 2 ** 31))
  if (given === undefined) return preferred ?? drawn
  if (!/^-?\d{1,10}$/.test(given)) throw new RangeError(`CAIRN_SEED is no integer: ${given}`)
  return Number(given)
}

const revive = (_: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if ("$bytes" in value) return Uint8Array.from(Buffer.from(String(value.$bytes), "hex"))
  if ("$bigint" in value) return BigInt(String(value.$bigint))
  if ("$number" in value) return Number(value.$number)
  return value
}

/** A value of a corpus as the value that it stands for. */
const revived = (json: Schema.Json): unknown => {
  const isUndefined = typeof json === "object" && json !== null && "$undefined" in json
  return isUndefined ? undefined : JSON.parse(JSON.stringify(json), revive)
}

/**
 * The arguments of a property. The corpus was written for them; a property that has others now fails with
 * them.
 */
const argumentsOf = <A>(input: ReadonlyArray<Schema.Json>): A => input.map(revived) as A

/** What failed: a story or property from the seed of a run, or from one that the corpus of a file keeps. */
interface FailedSeed {
  /** `CAIRN_SEED` with it repeats the failure. */
  readonly run: number
  /** The seed of the corpus; undefined if a new input failed. */
  readonly kept: number | undefined
}

/** Adds to a failure how to repeat it. */
const explain = (failure: unknown, { run, kept }: FailedSeed, url: string): unknown => {
  const file = relative(process.cwd(), corpusFile(url))
  const origin =
    kept === undefined
      ? `Keep what failed in ${file}.`
      : `It failed with the seed ${kept} of ${file}, which every run tries first.`
  const hint = `CAIRN_SEED=${run} repeats this run. ${origin}`
  if (!(failure instanceof Error)) return new Error(`${String(failure)}\n\n${hint}`)
  failure.message = `${failure.message}\n\n${hint}`
  return failure
}

/** The title of the test that is running, with those of its suites before it. */
export const titleOfTest = (): string => {
  const title = expect.getState().currentTestName
  if (title === undefined) throw new Error("a generated test runs outside a test")
  return title
}

/** Which stories a run tells. */
export interface Stories {
  /**
   * How many, each from a seed of its own: the seed of the run and those that follow it. One, unless given.
   */
  readonly count?: number
  /** The seed of the run, unless `CAIRN_SEED` gives another. A new one at each run, unless given. */
  readonly seed?: number
}

/** The generated tests of one file. */
export interface GeneratedTests {
  /** Checks a property with the corpus of this test, and then with new inputs, as `FastCheck.assert` does. */
  readonly property: <Arguments>(
    property: FastCheck.IProperty<Arguments>,
    parameters?: FastCheck.Parameters<Arguments>
  ) => void
  /** Checks all at once the inputs of the corpus, and then `count` values of `arbitrary`. */
  readonly samples: <A>(
    arbitrary: FastCheck.Arbitrary<A>,
    options: Stories,
    check: (samples: ReadonlyArray<A>) => void | Promise<void>
  ) => Promise<void>
  /** Runs a story from each seed of the corpus, and then from the seeds of this run. */
  readonly stories: (options: Stories, story: (random: SeededRandom, seed: number) => void) => void
  /** {@link GeneratedTests.stories} for a story that is a promise. */
  readonly promises: (
    options: Stories,
    story: (random: SeededRandom, seed: number) => Promise<void>
  ) => Promise<void>
  /** {@link GeneratedTests.stories} for a story that is an Effect. */
  readonly effects: <A, E, R>(
    options: Stories,
    story: (random: SeededRandom, seed: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<void, E, R>
}

/** The seeds of the corpus, and then those of this run. */
const chosenSeeds = (
  url: string,
  { count = 1, seed }: Stories
): ReadonlyArray<FailedSeed & { readonly seed: number }> => {
  const first = seedOfRun(seed)
  return [
    ...corpusEntries(url, titleOfTest()).flatMap((entry) =>
      "seed" in entry ? [{ seed: entry.seed, run: first, kept: entry.seed }] : []
    ),
    ...Array.from({ length: count }, (_, index) => ({
      seed: first + index,
      run: first + index,
      kept: undefined
    }))
  ]
}
/** Checks a property of the file at `url` with its corpus, and then with new inputs. */
const checkProperty = <A>(
  url: string,
  checked: FastCheck.IProperty<A>,
  parameters: FastCheck.Parameters<A>
): void => {
  const seed = seedOfRun(parameters.seed)
  const kept = corpusEntries(url, titleOfTest())
  for (const entry of kept) {
    if (!("seed" in entry)) continue
    const replay = entry.path === undefined ? {} : { path: entry.path, numRuns: 1 }
    try {
      void FastCheck.assert(checked, { ...parameters, ...replay, seed: entry.seed })
    } catch (failure) {
      throw explain(failure, { run: seed, kept: entry.seed }, url)
    }
  }
  try {
    const examples = kept.flatMap((entry) => ("input" in entry ? [argumentsOf<A>(entry.input)] : []))
    void FastCheck.assert(checked, {
      ...parameters,
      seed,
      examples: [...examples, ...(parameters.examples ?? [])]
    })
  } catch (failure) {
    throw explain(failure, { run: seed, kept: undefined }, url)
  }
}

/**
 * The generated tests of the file at `url`, which is its `import.meta.url`. A test without an entry in the
 * corpus fails, so that each has at least one input that every run begins with.
 */
export const generatedTests = (url: string): GeneratedTests => {
  const entries = () => corpusEntries(url, titleOfTest())
  const chosen = (options: Stories) => chosenSeeds(url, options)

  const samples: GeneratedTests["samples"] = async <A>(
    arbitrary: FastCheck.Arbitrary<A>,
    options: Stories,
    check: (samples: ReadonlyArray<A>) => void | Promise<void>
  ) => {
    const seed = seedOfRun(options.seed)
    const kept = entries().flatMap((entry) =>
      "input" in entry ? argumentsOf<ReadonlyArray<A>>(entry.input) : []
    )
    try {
      await check([...kept, ...FastCheck.sample(arbitrary, { numRuns: options.count ?? 1, seed })])
    } catch (failure) {
      throw explain(failure, { run: seed, kept: undefined }, url)
    }
  }

  const stories: GeneratedTests["stories"] = (options, story) => {
    for (const { seed, ...origin } of chosen(options)) {
      try {
        story(seededRandom(seed), seed)
      } catch (failure) {
        throw explain(failure, origin, url)
      }
    }
  }

  const promises: GeneratedTests["promises"] = async (options, story) => {
    for (const { seed, ...origin } of chosen(options)) {
      try {
        await story(seededRandom(seed), seed)
      } catch (failure) {
        throw explain(failure, origin, url)
      }
    }
  }

  const effects: GeneratedTests["effects"] = (options, story) =>
    Effect.gen(function* () {
      for (const { seed, ...origin } of chosen(options)) {
        yield* Effect.tapCause(story(seededRandom(seed), seed), (cause) =>
          Effect.sync(() => explain(Cause.squash(cause), origin, url))
        )
      }
    })

  return {
    property: (checked, parameters = {}) => checkProperty(url, checked, parameters),
    samples,
    stories,
    promises,
    effects
  }
}
