// Holds prose to 110 columns, which a terminal beside an editor shows whole, to the words that the glossary
// prefers, links between docs to files and headings that are there, and decisions to the same sections.
// `npm run lint` runs it; a folder to look at may be given as an argument.
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const WIDTH = 110

const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)))

/** Pages whose tables may be wider, and why: a row of a table cannot be wrapped. */
const WIDE_TABLES = new Map([
  ["docs/Configuration.md", "derived from the settings' declarations, a row each"],
  ["docs/Doctor.md", "derived from the checks of the doctor, a row each"],
  ["docs/Metrics.md", "derived from the families of metrics, a row each"],
  ["docs/Performance.md", "a row has what was measured beside its limit"]
])

/** Pages whose examples may be wider, and why. */
const WIDE_EXAMPLES = new Map([
  ["docs/Evidence.md", "lines of a bundle, as they are hashed"],
  ["docs/HashFormat.md", "bytes, as they are hashed"],
  ["docs/Retention.md", "lines of an archive, as they are hashed"],
  ["examples/verify-python/README.md", "messages, a line each"]
])

/** What is not ours, or is made by a program. */
const isOurs = (file) =>
  !/(^|\/)(node_modules|dist|server\/bundle|coverage|testdata|corpus)\/|^docs\/api\/|client\/src\/Schema\.ts$/.test(
    file
  )

const find = (patterns) =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: (name) => name === "node_modules" }))
    .map((file) => file.replaceAll("\\", "/"))
    .filter(isOurs)
    .sort()

const read = (file) => readFileSync(join(root, file), "utf8")

/** The lines of a text with their numbers, without addresses, which cannot be broken. */
const linesOf = (text) =>
  text
    .split("\n")
    .map((line, index) => ({ line, number: index + 1, breakable: line.replace(/https?:\/\/\S+/g, "") }))

const isWide = (text) => [...text].length > WIDTH

const wideProse = (file) => {
  const marked = linesOf(read(file)).map((one, index, lines) => ({
    ...one,
    isRow: one.line.startsWith("|"),
    isExample: lines.slice(0, index).filter(({ line }) => line.startsWith("```")).length % 2 === 1
  }))
  return marked
    .filter(({ breakable }) => isWide(breakable))
    .filter(({ isRow }) => !(isRow && WIDE_TABLES.has(file)))
    .filter(({ isExample }) => !(isExample && WIDE_EXAMPLES.has(file)))
    .map(({ number, line }) => `${file}:${number}: ${[...line].length} columns`)
}

const COMMENT = /^\s*(\/\/|\/\*|\*|#)/

const wideComments = (file) =>
  linesOf(read(file))
    .filter(({ line, breakable }) => COMMENT.test(line) && isWide(breakable))
    .map(({ number, line }) => `${file}:${number}: a comment of ${[...line].length} columns`)

/** The anchor that a heading has on the repository's pages. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const headingsOf = (file) =>
  [...read(file).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading))

const brokenLinks = (file) =>
  [...read(file).matchAll(/\]\((?!\w+:)([^()[\]#\s]*)(?:#([^()[\]\s]+))?\)/g)].flatMap(([, path, anchor]) => {
    const target = path === "" ? file : join(dirname(file), path)
    if (!existsSync(join(root, target))) return [`${file}: ${path} is not there`]
    if (anchor === undefined || !target.endsWith(".md") || headingsOf(target).includes(anchor)) return []
    return [`${file}: ${path} has no heading #${anchor}`]
  })

const GLOSSARY = "docs/Glossary.md"

const phrasesIn = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, phrase]) => phrase)

/** Where a text has one of the phrases, also over the end of a line, and into the next line of a comment. */
const occurrences = (text, phrases) => {
  const wanted = phrases.map((phrase) => phrase.split(" "))
  const words = [...text.matchAll(/\w+/g)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    index,
    end: index + word.length
  }))
  const isGap = (at) => /^\s+(?:(?:\*|#|\/\/)\s*)?$/.test(text.slice(words[at - 1].end, words[at].index))
  const isAt = (phrase, start) =>
    phrase.every(
      (word, offset) => words[start + offset]?.word === word && (offset === 0 || isGap(start + offset))
    )
  return words.flatMap(({ index }, start) =>
    wanted
      .filter((phrase) => isAt(phrase, start))
      .map((phrase) => ({ index, end: words[start + phrase.length - 1].end }))
  )
}

/** What the glossary's table has in code in its second column: words to avoid, and after "but" exceptions. */
const wordsToAvoid = () => {
  const table = existsSync(join(root, GLOSSARY)) ? read(GLOSSARY).split("## Words to prefer")[1] : undefined
  const cells = [...(table ?? "").matchAll(/^\|[^|]*\|([^|]*)\|$/gm)].map(([, cell]) => cell.split(", but "))
  const [avoided, excepted] = [0, 1].map((at) => cells.flatMap((cell) => phrasesIn(cell[at] ?? "")))
  return { avoided, excepted }
}

const { avoided, excepted } = wordsToAvoid()

/** The file's text; of the contracts, without the titles of their tests. */
const wordsOf = (file) =>
  file.startsWith("packages/testing/src/")
    ? read(file).replace(/^.*$/gm, (line) => (COMMENT.test(line) ? line : ""))
    : read(file)

const avoidedWords = (file) => {
  const text = wordsOf(file)
  const exceptions = occurrences(text, excepted)
  return occurrences(text, avoided)
    .filter(({ index, end }) => !exceptions.some((one) => one.index < end && index < one.end))
    .map(({ index, end }) => {
      const phrase = text.slice(index, end).replace(/\s+(?:(?:\*|#|\/\/)\s*)?/g, " ")
      return `${file}:${text.slice(0, index).split("\n").length}: "${phrase}", see ${GLOSSARY}`
    })
}

/**
 * Not tests, whose titles may say it shorter, migrations, which stay as they were applied, change logs of
 * releases, nor the page that lists the words.
 */
const isWorded = (file) => !/(^|\/)(tests?|migrations)\/|\/CHANGELOG\.md$/.test(file) && file !== GLOSSARY

const SECTIONS = ["Context", "Decision", "Reasons", "Rejected"]

/** Decisions that lack a section that the others have, or have them in another order. */
const otherSections = (file) => {
  const found = [...read(file).matchAll(/^\*\*(\w+)\.?\*\*/gm)].map(([, section]) => section)
  return found.filter((one) => SECTIONS.includes(one)).join() === SECTIONS.join()
    ? []
    : [`${file}: its sections are not ${SECTIONS.join(", ")}`]
}

const docs = find(["*.md", "{docs,.changeset,packages,examples}/**/*.md"])
const sources = find([
  "*.{ts,mjs}",
  "{scripts,packages,examples}/**/*.{ts,tsx,mjs,js,py,css}",
  "{.ci,.github,.changeset}/**/{run,*.yml,*.mjs}"
])

const worded = avoided.length === 0 ? [] : find(["clients/**/*.{md,py}"]).concat(docs, sources)
const decisions = find(["docs/decisions/[0-9]*.md"])

const found = [
  ...docs.flatMap(wideProse),
  ...docs.flatMap(brokenLinks),
  ...sources.flatMap(wideComments),
  ...worded.filter(isWorded).flatMap(avoidedWords),
  ...decisions.flatMap(otherSections)
]
for (const one of found) process.stdout.write(`${one}\n`)
process.stdout.write(
  found.length === 0
    ? `${docs.length} documents and the comments of ${sources.length} files keep within ${WIDTH} columns and to the glossary\n`
    : `${found.length} found: prose keeps within ${WIDTH} columns and to the words of ${GLOSSARY}, and links lead somewhere\n`
)
process.exitCode = found.length === 0 ? 0 : 1
