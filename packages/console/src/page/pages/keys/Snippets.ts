/** How to use a new key, ready to be pasted. */
import { shellWord } from "@cairn/core/encoding"

/** The languages that there are snippets in. */
export type SnippetLanguage = "curl" | "TypeScript" | "Python" | "Go"

/** The files of docs/snippets, which the project's tests run. */
export type SnippetFiles = Readonly<Record<SnippetLanguage, string>>

/** What to do to send an event. */
export interface Snippet {
  readonly language: SnippetLanguage
  /** The file to write, where it takes one. */
  readonly file: { readonly name: string; readonly text: string } | undefined
  /** The commands to run. */
  readonly commands: string
}

/** What a snippet is made for. */
export interface SnippetPlace {
  /** The service's address. */
  readonly url: string
  readonly key: string
  /** The resource's id in the event, by which it is found. */
  readonly mark: string
}

const FILES: Readonly<
  Record<
    Exclude<SnippetLanguage, "curl">,
    { readonly name: string; readonly commands: ReadonlyArray<string> }
  >
> = {
  TypeScript: { name: "send.mts", commands: ["npm install @cairn/client", "node send.mts"] },
  Python: { name: "send.py", commands: ["pip install cairn-client", "python3 send.py"] },
  Go: { name: "send.go", commands: ["go run send.go"] }
}

const settings = ({ url, key }: SnippetPlace): ReadonlyArray<string> => [
  `export CAIRN_URL=${shellWord(url)}`,
  `export CAIRN_API_KEY=${shellWord(key)}`
]

/** The snippet's event as one that reads as a test, with a resource that is found among others. */
const marked = (text: string, mark: string): string =>
  text
    .replaceAll('"invoice.paid"', '"cairn-test.sent"')
    .replaceAll('"invoice"', '"cairn-test"')
    .replaceAll('"42"', JSON.stringify(mark))

/** Without comments, which not every shell takes when it is typed into, and without what would end it. */
const forTyping = (script: string): ReadonlyArray<string> =>
  script
    .trim()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("case "))

/** How to send an event with a key, in each language. */
export const sendingSnippets = (files: SnippetFiles, place: SnippetPlace): ReadonlyArray<Snippet> => [
  {
    language: "curl",
    file: undefined,
    commands: [...settings(place), ...forTyping(marked(files.curl, place.mark))].join("\n")
  },
  ...(["TypeScript", "Python", "Go"] as const).map((language) => ({
    language,
    file: { name: FILES[language].name, text: marked(files[language], place.mark).trim() },
    commands: [...settings(place), ...FILES[language].commands].join("\n")
  }))
]

/** How to read an event with a key. */
export const readingSnippet = (place: SnippetPlace): string =>
  [
    ...settings(place),
    'curl "$CAIRN_URL/api/v1/events?limit=1" \\',
    '  --header "Authorization: Bearer $CAIRN_API_KEY"'
  ].join("\n")
