import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { generateTypes, SCHEMA_FILE } from "./GeneratedTypes.ts"

describe("src/Schema.ts", () => {
  it("is what the generator makes, byte for byte", async ({ skip }) => {
    const generated = await generateTypes()
    if ("missing" in generated) return skip(generated.missing)
    assert.isTrue(generated.text === (await readFile(SCHEMA_FILE, "utf8")), "npm run generate:client")
  })
})
