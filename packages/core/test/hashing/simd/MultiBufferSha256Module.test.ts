import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const script = fileURLToPath(new URL("../../../../../scripts/wasm.mjs", import.meta.url))
const generated = new URL("../../../src/hashing/simd/MultiBufferSha256Module.ts", import.meta.url)

describe("the module for SHA-256 side by side", () => {
  it("is what its WebAssembly text source makes", () => {
    const made = execFileSync(process.execPath, [script, "--print", "MultiBufferSha256.wat"], {
      encoding: "utf8"
    })
    assert.strictEqual(readFileSync(generated, "utf8"), made, "`npm run generate:wasm` makes it")
  })
})
