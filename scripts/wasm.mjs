// Makes the generated TypeScript module of each WebAssembly text source, which lies beside it:
//
//   npm run generate:wasm
//
// With --print NAME.wat it prints that module instead of writing it.
import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import wabt from "wabt"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Where the sources lie, and the name by which each module exports its code. */
const sources = [["packages/core/src/hashing/simd/MultiBufferSha256.wat", "MULTI_BUFFER_SHA256"]]

/** Characters of base64 in a line. */
const LINE = 96

const { parseWat } = await wabt()

/** The TypeScript module that holds the code of a WebAssembly text. */
const generate = (file, text, name) => {
  const module = parseWat(file, text, { simd: true })
  module.validate()
  const code = Buffer.from(module.toBinary({}).buffer).toString("base64")
  const lines = code.match(new RegExp(`.{1,${LINE}}`, "g")).map((line) => `  "${line}"`)
  return [
    `/** The code of ${file} in base64. \`npm run generate:wasm\` makes this file. */`,
    `export const ${name} =`,
    lines.join(" +\n"),
    ""
  ].join("\n")
}

const { values } = parseArgs({ options: { print: { type: "string" } } })
for (const [path, name] of sources) {
  const file = basename(path)
  if (values.print !== undefined && values.print !== file) continue
  const module = generate(file, readFileSync(join(root, path), "utf8"), name)
  if (values.print === undefined) writeFileSync(join(root, path.replace(/\.wat$/, "Module.ts")), module)
  else process.stdout.write(module)
}
