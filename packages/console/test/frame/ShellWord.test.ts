import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { shellWord } from "../../src/page/frame/ShellWord.ts"

describe("A word of a command", () => {
  it.each(["ada@example.com", "o'neill@example.com", "$(id)", "a b;c", "*", "`id`", "-n\n"])(
    "%j is one word to the shell",
    (text) => {
      assert.strictEqual(execFileSync("bash", ["-c", `printf %s ${shellWord(text)}`]).toString(), text)
    }
  )

  it("that needs no quotes has none", () => {
    assert.strictEqual(shellWord("ada@example.com"), "ada@example.com")
  })
})
