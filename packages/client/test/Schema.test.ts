import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { headline, SCHEMA_FILE } from "./GeneratedTypes.ts"

describe("src/Schema.ts", () => {
  it("is made from the OpenAPI document as it is now: `npm run generate:client` makes it", async () => {
    const [first] = (await readFile(SCHEMA_FILE, "utf8")).split("\n")
    assert.strictEqual(first, headline())
  })
})
