/** The snippets that show how to send an event: `docs/snippets`, a file for each language. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** A language's snippet. */
export interface Snippet {
  readonly language: string
  /** Its name behind the backticks of Markdown. */
  readonly fence: string
  /** The file. */
  readonly file: string
  readonly text: string
  /** Whether the client library of the language makes the key and the time. */
  readonly hasLibrary: boolean
  /** The program that runs it, and what it is given. */
  readonly program: string
  readonly args: ReadonlyArray<string>
}

const snippet = (
  language: string,
  fence: string,
  name: string,
  program: string,
  args: ReadonlyArray<string> = [],
  hasLibrary = false
): Snippet => {
  const file = join(root, "docs/snippets", name)
  const text = readFileSync(file, "utf8")
  return { language, fence, file, text, hasLibrary, program, args: [...args, file] }
}

/** The snippets, in the order in which they are shown. */
export const SNIPPETS: ReadonlyArray<Snippet> = [
  snippet("curl", "sh", "send.sh", "sh"),
  snippet("TypeScript", "ts", "send.ts", process.execPath, ["--conditions=@cairn/source"], true),
  snippet("Python", "python", "send.py", "python3", [], true),
  snippet("Go", "go", "send.go", "go", ["run"]),
  snippet("PHP", "php", "send.php", "php"),
  snippet("Ruby", "ruby", "send.rb", "ruby"),
  snippet("Java", "java", "Send.java", "java")
]

/** The members of the event that a snippet sends, as its language writes the names of members. */
export const membersOf = ({ text }: Snippet): ReadonlyArray<string> => {
  const names = [...text.matchAll(/^\s*["']?([a-z_]+)["']?\s*(?::|=>) /gm)].map(([, name = ""]) => name)
  const set = [...text.matchAll(/^\s*event\["([a-z_]+)"\]/gm)].map(([, name = ""]) => name)
  return [...new Set([...names, ...set])].filter((name) => name !== "url")
}

/** Where the snippets are shown: README, and the module behind `/docs`. */
export const README = join(root, "README.md")
export const SNIPPETS_MODULE = join(root, "packages/api/src/SendingSnippets.ts")

const MARKED = /(<!-- snippets -->\n)[\s\S]*(<!-- \/snippets -->)/

/** A text of README with the snippets between its marks, each folded under its language. */
export const readmeWithSnippets = (readme: string): string => {
  const parts = SNIPPETS.map(
    ({ language, fence, text }) =>
      `<details>\n<summary>${language}</summary>\n\n\`\`\`${fence}\n${text.trimEnd()}\n\`\`\`\n\n</details>\n`
  )
  return readme.replace(MARKED, (_, begin: string, end: string) => `${begin}\n${parts.join("\n")}\n${end}`)
}

/** The module behind `/docs`. */
export const snippetsModule = (): string => {
  const parts = SNIPPETS.map(
    ({ language, fence, text }) => `### ${language}\n\n\`\`\`${fence}\n${text.trimEnd()}\n\`\`\`\n`
  )
  const lines = parts
    .join("\n")
    .split("\n")
    .map((line) => `  ${JSON.stringify(line)}`)
  return `/**
 * How to send an event, in each language, as Markdown. Made from \`docs/snippets\` by \`npm run
 * generate:snippets\`; not to be edited.
 */
export const SENDING_SNIPPETS: string = [
${lines.join(",\n")}
].join("\\n")
`
}
