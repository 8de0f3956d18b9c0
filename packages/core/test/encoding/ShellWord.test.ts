import { execFileSync, spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { shellOption, shellWord } from "../../src/encoding/ShellWord.ts"

/** What a shell makes of words of a command, in a locale. */
const heard = (words: ReadonlyArray<string>, locale: string, shell = "bash"): ReadonlyArray<string> =>
  execFileSync(shell, ["-c", `printf '%s\\0' ${words.join(" ")}`], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, LC_ALL: locale }
  })
    .split("\0")
    .slice(0, -1)

const TEXTS = [
  "ada@example.com",
  "o'neill@example.com",
  "",
  "it's",
  "a b;c",
  '$HOME `id` $(id) \\ " !',
  "-rf",
  "-n\n",
  "=ls",
  "~",
  "*",
  "ünïcödé 日本語 \u{1F600}",
  "a\u202eb",
  "Müller\u200b!1'\\x",
  "\u{e0041}1",
  "two\nlines",
  "tab\tand'quote\u200b\\",
  "a;b&c|d>e<f*?[]{}~#"
]

describe("a word of a command", () => {
  it.each(["C", "C.UTF-8"])("is the text to bash, whatever is in it, in the locale %s", (locale) => {
    assert.deepStrictEqual(heard(TEXTS.map(shellWord), locale), TEXTS)
    assert.deepStrictEqual(
      heard(
        TEXTS.map((text) => shellOption("reason", text)),
        locale
      ),
      TEXTS.map((text) => `--reason=${text}`)
    )
  })

  it.skipIf(spawnSync("zsh", ["--version"]).status !== 0)("is the text to zsh", () => {
    assert.deepStrictEqual(heard(TEXTS.map(shellWord), "C.UTF-8", "zsh"), TEXTS)
  })

  it("shows what cannot be seen, and leaves what a shell takes as it is", () => {
    assert.strictEqual(shellWord("a\u202eb"), "$'a\\xe2\\x80\\xaeb'")
    assert.strictEqual(shellWord("ada@example.com"), "ada@example.com")
    assert.strictEqual(shellWord("a=b"), "a=b")
  })

  it("that zsh would take for the place of a command is quoted", () => {
    assert.strictEqual(shellWord("=ls"), "'=ls'")
    assert.strictEqual(shellOption("actor", "=ls"), "--actor='=ls'")
  })

  it("is no option, whatever it begins with, if it is an option's value", () => {
    assert.strictEqual(shellOption("actor", "-x"), "--actor='-x'")
  })
})
