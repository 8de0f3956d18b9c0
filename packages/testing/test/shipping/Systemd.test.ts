import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { because, findTool, root, runTool } from "./Tools.ts"

const UNIT = "ops/systemd/cairn.service"
/** At most 2.0 of 10. */
const EXPOSURE = ["security", "--offline=true", "--threshold=20", "--no-pager"]

const analyze = findTool([["systemd-analyze"]], "--version")

const unit = readFileSync(join(root, UNIT), "utf8")
const values = (name: string): ReadonlyArray<string> =>
  unit.split("\n").flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []))

describe("the unit of systemd", () => {
  it("reads secrets as credentials, and sets nothing that stands in the way of a file", () => {
    const [credential = ""] = values("LoadCredential")[0]?.split(":") ?? []
    assert.include(values("Environment"), `CAIRN_SECRET_KEY_FILE=%d/${credential}`)
    assert.deepStrictEqual(
      values("Environment").filter((one) => /^CAIRN_(?!\w+_FILE=)/.test(one)),
      []
    )
  })

  it.skipIf(analyze === undefined)(`is well-formed${because(analyze, "systemd-analyze")}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-unit-"))
    try {
      const file = join(folder, "cairn.service")
      // The program is not installed here.
      writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
      const { code, said } = runTool(["systemd-analyze", "verify", "--man=no", file])
      assert.deepStrictEqual([code, said], [0, ""])
      writeFileSync(file, unit.replace("ProtectClock", "ProtectClok"))
      assert.include(runTool(["systemd-analyze", "verify", "--man=no", file]).said, "ProtectClok")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.skipIf(analyze === undefined)(
    `leaves the service little to do harm with${because(analyze, "systemd-analyze")}`,
    () => {
      const { code, said } = runTool(["systemd-analyze", ...EXPOSURE, UNIT])
      assert.strictEqual(code, 0, said)
    }
  )
})
