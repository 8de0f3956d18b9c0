/** The OpenAPI document, read by linters that others wrote. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { openApiDocument } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { npmTools, run } from "./Tools.ts"

/** Health checks refuse no request: a supervisor learns whatever it sends along. */
const UNREFUSED = ["/healthz", "/readyz"]

/** A file of redocly's: problems that are none, by the rule and the place. */
const exemptions = (file: string): string => {
  const places = UNREFUSED.map((path) => `      - '#/paths/${path.replaceAll("/", "~1")}/get/responses'\n`)
  return `${file}:\n    operation-4xx-response:\n${places.join("")}`
}

describe("the linters of OpenAPI documents", () => {
  const folder = temporaryFolder()
  const tools = npmTools()

  const writeDocument = async (): Promise<string> => {
    const file = join(folder, "openapi.json")
    await writeFile(file, JSON.stringify(openApiDocument("https://audit.acme.org"), null, 1))
    return file
  }

  it("has nothing that redocly warns of", async ({ skip }) => {
    const found = await tools
    if ("missing" in found) return skip(found.missing)
    const bin = join(found.folder, "node_modules/@redocly/cli/bin/cli.js")
    await writeDocument()
    await writeFile(join(folder, ".redocly.lint-ignore.yaml"), exemptions("openapi.json"))
    const { said } = await run(process.execPath, [bin, "lint", "--format=json", "openapi.json"], {
      cwd: folder,
      env: { REDOCLY_TELEMETRY: "off" }
    })
    const { problems } = JSON.parse(said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1))
    assert.deepStrictEqual(problems, [])
  })

  it("has nothing that spectral warns of", async ({ skip }) => {
    const found = await tools
    if ("missing" in found) return skip(found.missing)
    const rules = join(folder, "spectral.yaml")
    await writeFile(rules, 'extends: ["spectral:oas"]\n')
    const bin = join(found.folder, "node_modules/@stoplight/spectral-cli/dist/index.js")
    const args = ["lint", "--ruleset", rules, "--format", "json", "--quiet", await writeDocument()]
    const { output } = await run(process.execPath, [bin, ...args])
    assert.deepStrictEqual(JSON.parse(output), [])
  })
})
