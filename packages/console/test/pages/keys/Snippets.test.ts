import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { readingSnippet, sendingSnippets } from "../../../src/page/pages/keys/Snippets.ts"

const file = (name: string) =>
  readFileSync(new URL(`../../../../../docs/snippets/${name}`, import.meta.url), "utf8")

const FILES = {
  curl: file("send.sh"),
  TypeScript: file("send.ts"),
  Python: file("send.py"),
  Go: file("send.go")
}
const PLACE = { url: "https://audit.example.com", key: "cairn_secret", mark: "first-1234abcd" }
const snippets = sendingSnippets(FILES, PLACE)

describe("The snippets of a new key", () => {
  it.each(snippets.map((snippet) => [snippet.language, snippet] as const))(
    "in %s name the service and the key, and mark the event",
    (_, { file: written, commands }) => {
      assert.include(commands, "export CAIRN_URL=https://audit.example.com\n")
      assert.include(commands, "export CAIRN_API_KEY=cairn_secret\n")
      const text = written?.text ?? commands
      assert.include(text, '"first-1234abcd"')
      assert.notInclude(text, '"42"')
      assert.include(text, '"cairn-test.sent"', "it reads as a test, which stays")
      assert.notInclude(text, "invoice")
    }
  )

  it("can be typed into a shell: no comments, nothing that ends it, and nothing that it does not read", () => {
    for (const { commands } of snippets) {
      for (const line of commands.split("\n")) assert.notMatch(line, /^#|\bexit\b/)
      execFileSync("bash", ["-n", "-c", commands])
    }
    execFileSync("bash", ["-n", "-c", readingSnippet(PLACE)])
  })

  it("keep an address with characters of the shell one word", () => {
    const url = "https://audit.example.com/$(id)'"
    const [curl] = sendingSnippets(FILES, { ...PLACE, url })
    const told = `${curl?.commands.split("\n")[0]}; printf %s "$CAIRN_URL"`
    assert.strictEqual(execFileSync("bash", ["-c", told]).toString(), url)
  })
})
