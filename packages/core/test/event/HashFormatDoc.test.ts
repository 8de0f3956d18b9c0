import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { Micros } from "@cairn/core/encoding"
import { contentHash, eventHash } from "@cairn/core/event"
import { portableSha256 } from "@cairn/core/hashing"
import { assert, describe, it } from "@effect/vitest"

const page = readFileSync(new URL("../../../../docs/HashFormat.md", import.meta.url), "utf8")
const script = /```sh\n([\s\S]+?)```/.exec(page)?.[1] ?? ""
const printed = /prints\n\n```\n([\s\S]+?)```/.exec(page)?.[1] ?? ""

describe("docs/HashFormat.md", () => {
  it("reproduces a hash with printf and sha256sum alone", () => {
    const output = execFileSync("sh", ["-c", script], { encoding: "utf8" })
    assert.strictEqual(output, printed)
    const commands = script.match(/(?<=\$\(|\| |^)(?:[a-z0-9]+)(?= )/gm) ?? []
    assert.sameMembers(
      [...new Set(commands)].filter((name) => name !== "echo" && name !== "cut"),
      ["printf", "sha256sum"]
    )
  })

  it("gives the hashes that the core computes", () => {
    const content = /^content='(.+)'$/m.exec(script)?.[1] ?? ""
    const salt = /^salt=(\w+)$/m.exec(script)?.[1] ?? ""
    const [expectedContent, expectedEvent] = printed.trim().split("\n")
    const hashOfContent = contentHash(portableSha256, salt, content)
    assert.strictEqual(hashOfContent, expectedContent)
    assert.strictEqual(
      eventHash(portableSha256, {
        contentHash: hashOfContent,
        createdAt: Micros.parse("2026-01-15T09:30:00.123456Z") ?? 0,
        id: "3f2b8c1e-5d64-4f7a-9c0b-1e2d3c4b5a69",
        previousEventHash: null,
        sequence: 1,
        workspaceId: "wsp_9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d"
      }),
      expectedEvent
    )
  })
})
