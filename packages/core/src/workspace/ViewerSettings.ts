/** How the viewer of a workspace tells events: its own sentences, by action and language. */
import { Schema } from "effect"
import { MAX_IDENTIFIER } from "../event/EventInput.ts"
import { type Fault, jsonPath } from "../event/InvalidInput.ts"
import { nameFault } from "../event/TextFault.ts"

/** The languages that the viewer speaks. */
const LANGUAGES = ["en", "de", "ja"] as const

/** Most actions that have a sentence of their own. */
const MAX_SENTENCES = 200

/** Most characters of a sentence. */
const MAX_SENTENCE = 200

/** What a sentence is filled with. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  "actor",
  "action",
  "resource",
  "resource_type",
  "target",
  "tenant"
])

/** What sentences are, for the reader of the OpenAPI document. */
const SENTENCES =
  "By action, or `prefix.*` for all actions below a prefix, and by language (`en`, `de`, `ja`): a sentence such as `{actor} deleted {resource}`. " +
  "It is filled with `{actor}`, `{action}`, `{resource}`, `{resource_type}`, `{target}` and `{tenant}`"

/** The settings. */
export const ViewerSettings = Schema.Struct({
  sentences: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String)).annotate({
    description: SENTENCES
  })
}).annotate({ identifier: "ViewerSettings", description: "How the viewer of the workspace tells events" })
export type ViewerSettings = typeof ViewerSettings.Type

type Sentences = ViewerSettings["sentences"]

/** What is wrong with an action or `prefix.*`; undefined if nothing is. */
const patternFault = (pattern: string): string | undefined => {
  const fault = nameFault(pattern, { least: 1, most: MAX_IDENTIFIER })
  if (fault !== undefined) return `the action ${fault}`
  const action = pattern.endsWith(".*") ? pattern.slice(0, -2) : pattern
  return action === "" || action.includes("*")
    ? "must be an action such as document.deleted, or a prefix such as document.*"
    : undefined
}

/** What is wrong with a sentence; undefined if nothing is. */
const sentenceFault = (sentence: string): string | undefined => {
  const fault = nameFault(sentence, { least: 1, most: MAX_SENTENCE })
  if (fault !== undefined) return fault
  const names = Array.from(sentence.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name)
  const known = [...PLACEHOLDERS].map((name) => `{${name}}`).join(", ")
  return /[{}]/.test(sentence.replaceAll(/\{[^{}]*\}/g, "")) || names.some((name) => !PLACEHOLDERS.has(name))
    ? `must have no other braces than those of ${known}`
    : undefined
}

const isLanguage = (language: string): boolean => LANGUAGES.some((known) => known === language)

/** A fault by where it is within the sentences. */
interface Placed {
  readonly path: ReadonlyArray<string>
  readonly reason: string
}

function* faultsOf(sentences: Sentences): Generator<Placed> {
  const all = Object.entries(sentences)
  if (all.length > MAX_SENTENCES) {
    yield { path: [], reason: `must have at most ${MAX_SENTENCES} actions` }
    return
  }
  for (const [pattern, byLanguage] of all) {
    const fault = patternFault(pattern)
    if (fault !== undefined) yield { path: [pattern], reason: fault }
    const texts = Object.entries(byLanguage)
    if (texts.length === 0) yield { path: [pattern], reason: `must have one of ${LANGUAGES.join(", ")}` }
    for (const [language, sentence] of texts) {
      const wrong = isLanguage(language)
        ? sentenceFault(sentence)
        : `is no language of the viewer: it speaks ${LANGUAGES.join(", ")}`
      if (wrong !== undefined) yield { path: [pattern, language], reason: wrong }
    }
  }
}

/** What is wrong with the settings, by where they stand in a body. */
export const viewerSettingsFaults = ({ sentences }: ViewerSettings): ReadonlyArray<Fault> =>
  Array.from(faultsOf(sentences), ({ path, reason }) => ({
    path: jsonPath(["viewer", "sentences", ...path]),
    reason
  }))

/** Within brackets of a pattern: where a line ends, and U+0000. */
const NO_TEXT = "\\n\\u000b\\f\\r\\u0085\\u2028\\u2029\\u0000"

/** One line with something to see; the names of placeholders are the only braces. */
const SENTENCE_FORM = (() => {
  const filled = `\\{(?:${[...PLACEHOLDERS].join("|")})\\}`
  const any = `(?:[^{}${NO_TEXT}]|${filled})*`
  return `^${any}(?:[^{}\\s${NO_TEXT}]|${filled})${any}$`
})()

/** An action, or anything before `.*`. */
const ACTION_FORM = `^(?:[^*${NO_TEXT}]*[^*\\s${NO_TEXT}][^*${NO_TEXT}]*|[^*${NO_TEXT}]+\\.\\*)$`

/** Says of a value's form what is checked of all the settings together. */
const described = (json: Readonly<Record<string, unknown>>) =>
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => json })

const SentenceInput = Schema.String.check(
  described({ minLength: 1, maxLength: MAX_SENTENCE, pattern: SENTENCE_FORM })
)

const SentencesInput = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, SentenceInput).check(
    described({ minProperties: 1, propertyNames: { type: "string", enum: LANGUAGES } })
  )
)

/** The settings as they are given. */
export const ViewerSettingsInput = Schema.Struct({
  sentences: SentencesInput.annotate({
    description: SENTENCES
  }).check(
    Schema.makeFilter(
      (sentences) => Array.from(faultsOf(sentences), ({ path, reason }) => ({ path, issue: reason })),
      {
        toJsonSchema: () => ({
          maxProperties: MAX_SENTENCES,
          propertyNames: { type: "string", minLength: 1, maxLength: MAX_IDENTIFIER, pattern: ACTION_FORM }
        })
      }
    )
  )
}).annotate({
  identifier: "ViewerSettingsInput",
  description: "How the viewer of the workspace tells events"
})

/** Characters of sentences that the record of a change repeats: it must stay within an event's limits. */
const MOST_RECORDED = 2_000

/**
 * What the record of a change says of the settings before and after: the sentences that differ, as many as
 * fit, and how many more there are.
 */
export const viewerSettingsChange = (from: ViewerSettings | null, to: ViewerSettings | null) => {
  const [before, after] = [from?.sentences ?? {}, to?.sentences ?? {}]
  const kept = { before: new Map<string, Sentences[string]>(), after: new Map<string, Sentences[string]>() }
  let [left, omitted] = [MOST_RECORDED, 0]
  const of = (sentences: Sentences, pattern: string) =>
    Object.hasOwn(sentences, pattern) ? sentences[pattern] : undefined
  for (const pattern of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [of(before, pattern), of(after, pattern)]
    const texts = [JSON.stringify(was), JSON.stringify(is)]
    if (texts[0] === texts[1]) continue
    left -= pattern.length + texts.join("").length
    if (left < 0) omitted++
    if (left >= 0 && was !== undefined) kept.before.set(pattern, was)
    if (left >= 0 && is !== undefined) kept.after.set(pattern, is)
  }
  return {
    from: from === null ? null : { sentences: Object.fromEntries(kept.before) },
    to: to === null ? null : { sentences: Object.fromEntries(kept.after) },
    ...(omitted === 0 ? {} : { omitted })
  }
}
