/** The types of `<cairn-viewer>`, in the JSX of React, as docs/Viewer.md declares and uses it. */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const folder = join(root, "node_modules/.cache", `viewer-types-${process.pid}`)

const snippet = (language: string): string => {
  const page = readFileSync(join(root, "docs/Viewer.md"), "utf8")
  const [, text = ""] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page) ?? []
  return text
}

const CONFIGURATION = {
  compilerOptions: {
    target: "ES2024",
    lib: ["ES2024", "DOM"],
    types: [],
    module: "ESNext",
    moduleResolution: "Bundler",
    customConditions: ["@cairn/source"],
    allowImportingTsExtensions: true,
    jsx: "react-jsx",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true
  },
  include: ["."]
}

/** What the compiler says of a program beside the declaration. */
const complaints = (program: string): Promise<string> => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(CONFIGURATION))
  writeFileSync(join(folder, "cairn-viewer.d.ts"), snippet("ts"))
  writeFileSync(join(folder, "Program.tsx"), program)
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, "-p", folder], (_, stdout, stderr) => resolve(`${stdout}${stderr}`))
  })
}

describe("the types of <cairn-viewer>", () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("fit the documentation's component", async () => {
    assert.strictEqual(await complaints(snippet("tsx")), "")
  })

  it("find what the element has not", async () => {
    const found = await complaints(
      [
        'export const one = <cairn-viewer theme="blue" />',
        'export const two = <cairn-viewer tokenUrl="/token" />',
        "export const three = <cairn-viewer oncairn-filter={(event) => event.query} />",
        "export const four = <cairn-viewer tokenSource={() => 1} />"
      ].join("\n")
    )
    const lines = [...found.matchAll(/Program\.tsx\((\d),/g)].map(([, line]) => line)
    assert.deepStrictEqual(lines, ["1", "2", "3", "4"], found)
  })
})
