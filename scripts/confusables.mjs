// Writes the characters that look like those of the prefix `cairn.`, from Unicode's list:
//
//   node scripts/confusables.mjs confusables.txt
//
// The list is https://www.unicode.org/Public/security/latest/confusables.txt.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const TARGET = fileURLToPath(new URL("../packages/core/src/event/Confusables.ts", import.meta.url))
/** What the characters of the prefix look like, each by itself or two together. */
const WANTED = ["c", "a", "i", "r", "n", ".", "rn", ".."]
/** Code points of a line. */
const LINE = 10

/** The same without marks and letter case; what looks like an `l` looks like a capital `i`. */
const folded = (text, form) =>
  text.normalize(form).replace(/\p{M}/gu, "").toLowerCase().replace(/[l1|]/g, "i")

const file = process.argv[2]
if (file === undefined) throw new Error("name the file with the list")
const text = readFileSync(file, "utf8")
const version = /^# Version: ([\d.]+)/m.exec(text)?.[1]
if (version === undefined) throw new Error("the list names no version")
const characters = (hex) =>
  hex
    .trim()
    .split(" ")
    .map((code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .join("")
const found = new Map(WANTED.map((wanted) => [wanted, []]))
for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
  const [source, target] = line.replace(/#.*/, "").split(";")
  if (target === undefined) continue
  const [from, to] = [characters(source), folded(characters(target), "NFD")]
  // What is another form of the letter itself is found without the list.
  const plain = folded(from, "NFKD").replace(/m/g, "rn")
  if (found.has(to) && plain !== to) found.get(to).push(from.codePointAt(0))
}
const lines = [...found].map(([wanted, codes]) => {
  const escaped = codes.sort((one, other) => one - other).map((code) => `\\u{${code.toString(16)}}`)
  const parts = []
  for (let at = 0; at < escaped.length; at += LINE) parts.push(`"${escaped.slice(at, at + LINE).join("")}"`)
  return `  "${wanted}": [${parts.join(", ")}]`
})
writeFileSync(
  TARGET,
  `/**
 * Characters that look like those of \`cairn.\`, by Unicode's confusables.txt, version ${version} (UTS #39,
 * © Unicode, Inc., https://www.unicode.org/license.txt). Without other forms of the letters themselves, which
 * NFKD gives. Made by \`scripts/confusables.mjs\`; not to be edited.
 */
export const CONFUSABLES: Readonly<Record<string, ReadonlyArray<string>>> = {
${lines.join(",\n")}
}
`
)
