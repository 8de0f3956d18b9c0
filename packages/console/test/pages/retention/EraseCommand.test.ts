import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { eraseCommands } from "../../../src/page/pages/retention/EraseCommand.ts"
import { shellQuote } from "../../../src/page/pages/retention/ShellQuote.ts"

/** What a shell makes of a text that it is given as an argument. */
const heard = (text: string): string =>
  execFileSync("bash", ["-c", `printf %s ${shellQuote(text)}`], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" }
  })

describe("shellQuote", () => {
  it("gives a shell the text, whatever is in it", () => {
    for (const text of [
      "ada",
      "",
      "it's",
      "a b",
      '$HOME `id` $(id) \\ " !',
      "-rf",
      "ünïcödé 日本語 \u{1F600}",
      "a\u202eb",
      "two\nlines",
      "tab\tand'quote\u200b\\",
      "a;b&c|d>e<f*?[]{}~#"
    ]) {
      assert.strictEqual(heard(text), text)
    }
  })

  it("shows what cannot be seen, and leaves what a shell takes as it is", () => {
    assert.strictEqual(shellQuote("a\u202eb"), "$'a\\u202eb'")
    assert.strictEqual(shellQuote("ada@example.com"), "ada@example.com")
  })
})

describe("eraseCommands", () => {
  const erasure = { workspaceId: "wsp_1", id: "o'ada", reason: "request of 2026-05-01" }

  it("shows first, and then asks, for a person", () => {
    const [dryRun, erase] = eraseCommands({ ...erasure, kind: "actor" })
    assert.strictEqual(
      erase,
      "cairn erase --workspace wsp_1 --actor 'o'\\''ada' --reason 'request of 2026-05-01'"
    )
    assert.strictEqual(dryRun, `${erase} --dry-run`)
  })

  it("takes the events of a tenant from a file", () => {
    for (const command of eraseCommands({ ...erasure, kind: "tenant" })) {
      assert.include(command, "--event \"$ids\" --reason 'request of 2026-05-01'")
      execFileSync("bash", ["-n", "-c", command])
    }
  })
})
