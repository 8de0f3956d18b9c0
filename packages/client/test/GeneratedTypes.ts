/** `src/Schema.ts` as `openapi-typescript` makes it from the OpenAPI document. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { openApiDocument } from "@cairn/api"
import { npmTools } from "../../server/test/contract/Tools.ts"

/** The file. */
export const SCHEMA_FILE = fileURLToPath(new URL("../src/Schema.ts", import.meta.url))

const documentText = (): string => JSON.stringify(openApiDocument("/"))

/** The file's first line, which tells the document that it was made from. */
export const headline = (): string =>
  `// Made by \`npm run generate:client\` from the OpenAPI document with the SHA-256 ${createHash("sha256")
    .update(documentText())
    .digest("hex")}; not to be edited.`

/** The whole file, or why it cannot be made here. */
export const generateTypes = async (): Promise<{ readonly text: string } | { readonly missing: string }> => {
  const tools = await npmTools()
  if ("missing" in tools) return tools
  const folder = await mkdtemp(join(tmpdir(), "cairn-types-"))
  try {
    const [source, target] = [join(folder, "openapi.json"), join(folder, "schema.ts")]
    await writeFile(source, documentText())
    const bin = join(tools.folder, "node_modules/openapi-typescript/bin/cli.js")
    await promisify(execFile)(process.execPath, [bin, source, "--immutable", "--output", target])
    return { text: `${headline()}\n${await readFile(target, "utf8")}` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
