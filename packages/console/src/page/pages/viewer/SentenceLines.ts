/**
 * The workspace's own sentences, as a form holds them: a line each, `document.* en: {actor} changed
 * {resource}`.
 */
import type { Schemas } from "../../data/Session.ts"

type Settings = Schemas["Workspace"]["viewer"]

/** The setting as lines. */
export const linesOf = (settings: Settings): string =>
  Object.entries(settings?.sentences ?? {})
    .flatMap(([action, byLanguage]) =>
      Object.entries(byLanguage).map(([language, sentence]) => `${action} ${language}: ${sentence}`)
    )
    .join("\n")

/** What lines say: the setting, and the lines that are no sentence or a second one of their kind. */
interface ReadLines {
  readonly settings: Settings
  readonly wrong: ReadonlyArray<string>
}

const LANGUAGE = /\s(?:en|de|ja):/

/** The parts of a line: action, language and sentence; undefined if one of them is missing. */
const partsOf = (line: string): readonly [string, string, string] | undefined => {
  const at = line.search(LANGUAGE)
  const [action, sentence] = [line.slice(0, Math.max(0, at)).trim(), line.slice(at + 4).trim()]
  return action === "" || sentence === "" ? undefined : [action, line.slice(at + 1, at + 3), sentence]
}

/** Reads lines; those without anything but spaces say nothing. */
export const readLines = (text: string): ReadLines => {
  const sentences = new Map<string, Map<string, string>>()
  const wrong: Array<string> = []
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line === "") continue
    const [action = "", language = "", sentence = ""] = partsOf(line) ?? []
    const known = sentences.get(action) ?? new Map<string, string>()
    if (action === "" || known.has(language)) wrong.push(line)
    else sentences.set(action, known.set(language, sentence))
  }
  const entries = Array.from(sentences, ([action, known]) => [action, Object.fromEntries(known)] as const)
  return { settings: entries.length === 0 ? null : { sentences: Object.fromEntries(entries) }, wrong }
}

const FIELD = /^viewer(?:\.sentences)?(?:\.|$)/

/** What the service finds wrong, by action and language; undefined if it is nothing of the sentences. */
export const sentenceFaults = (fields: Readonly<Record<string, string>>): string | undefined => {
  const found = Object.entries(fields)
    .filter(([field]) => FIELD.test(field))
    .map(([field, message]) => [field.replace(FIELD, ""), message].filter((part) => part !== "").join(": "))
  return found.length === 0 ? undefined : found.join("; ")
}
