/**
 * Clients that the generators of others make from the OpenAPI document, as it is served, against a real
 * server: each ingests with metadata, filters, pages, verifies and asks for a proof.
 */
import { copyFile, cp, mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type Server, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { type Fetched, goTools, npmTools, pythonTools, type Ran, run, toolsFolder } from "./Tools.ts"

const TYPESCRIPT = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url))

const TYPES = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [fileURLToPath(new URL("../../../../node_modules/@types", import.meta.url))]
  },
  include: ["*.ts", "generated/**/*.ts"]
}

describe("generated clients", () => {
  const folder = temporaryFolder()
  const npm = npmTools()
  let server: Server

  beforeAll(async () => {
    server = await startServer({ database: join(folder, "cairn.db"), tenant: true })
    const document = await (await fetch(`${server.baseUrl}/openapi.json`)).text()
    await writeFile(join(folder, "openapi.json"), document)
  })

  /** A folder of its own for a client. */
  const place = async (name: string, tools: string): Promise<string> => {
    const home = join(folder, name)
    await mkdir(home, { recursive: true })
    await symlink(join(tools, "node_modules"), join(home, "node_modules"))
    await writeFile(join(home, "package.json"), JSON.stringify({ type: "module" }))
    await writeFile(join(home, "tsconfig.json"), JSON.stringify(TYPES))
    await copyFile(join(toolsFolder, "programs", `${name}.ts`), join(home, "program.ts"))
    return home
  }

  const succeed = async (ran: Promise<Ran>): Promise<string> => {
    const { code, output, said } = await ran
    assert.strictEqual(code, 0, said.slice(0, 4000))
    return output
  }

  const variables = (name: string) => ({
    BASE_URL: server.baseUrl,
    API_KEY: server.key,
    ACTION: `${name}.tried`
  })

  const assertTold = (output: string) =>
    assert.deepStrictEqual(JSON.parse(output), {
      seats: [3, 2, 1],
      more: [true, false],
      valid: true,
      proven: true
    })

  const missing = (found: Fetched): string | undefined => ("missing" in found ? found.missing : undefined)

  it("work as openapi-typescript and openapi-fetch type them", async ({ skip }) => {
    const tools = await npm
    if ("missing" in tools) return skip(missing(tools))
    const home = await place("openapi-typescript", tools.folder)
    const bin = join(tools.folder, "node_modules/openapi-typescript/bin/cli.js")
    await succeed(run(process.execPath, [bin, "../openapi.json", "--output", "schema.ts"], { cwd: home }))
    await succeed(run(process.execPath, [TYPESCRIPT, "-p", "."], { cwd: home }))
    const env = variables("openapi-typescript")
    assertTold(await succeed(run(process.execPath, ["program.ts"], { cwd: home, env })))
  })

  it("work as @hey-api/openapi-ts makes them", async ({ skip }) => {
    const tools = await npm
    if ("missing" in tools) return skip(missing(tools))
    const home = await place("hey-api", tools.folder)
    const settings = {
      input: "../openapi.json",
      output: { path: "generated", importFileExtension: ".ts" },
      plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"]
    }
    await writeFile(join(home, "settings.mjs"), `export default ${JSON.stringify(settings)}\n`)
    const bin = join(tools.folder, "node_modules/@hey-api/openapi-ts/bin/run.js")
    await succeed(run(process.execPath, [bin, "--file", "settings.mjs"], { cwd: home }))
    await succeed(run(process.execPath, [TYPESCRIPT, "-p", "."], { cwd: home }))
    const env = variables("hey-api")
    assertTold(await succeed(run(process.execPath, ["program.ts"], { cwd: home, env })))
  })

  it("work as openapi-python-client makes them", async ({ skip }) => {
    const tools = await pythonTools()
    if ("missing" in tools) return skip(tools.missing)
    const home = join(folder, "python")
    const path = { PYTHONPATH: tools.folder }
    const generate = [
      "-m",
      "openapi_python_client",
      "generate",
      "--path",
      "openapi.json",
      "--output-path",
      home
    ]
    const said = await run("python3", generate, { cwd: folder, env: path })
    assert.strictEqual(said.code, 0, said.said)
    // It says what it leaves out of a document that it cannot read whole.
    assert.notMatch(said.said, /unable to parse|unsupported|skipping (?!integration)/i)
    const env = { PYTHONPATH: `${home}:${tools.folder}`, ...variables("python") }
    assertTold(await succeed(run("python3", [join(toolsFolder, "programs/program.py")], { cwd: home, env })))
  })

  it("work as oapi-codegen makes them", async ({ skip }) => {
    const tools = await goTools()
    if ("missing" in tools) return skip(tools.missing)
    const home = join(folder, "go")
    await cp(tools.folder, home, { recursive: true })
    const generate = [
      "tool",
      "oapi-codegen",
      "-generate",
      "types,client",
      "-package",
      "main",
      "../openapi.json"
    ]
    await writeFile(join(home, "generated.go"), await succeed(run("go", generate, { cwd: home })))
    assertTold(await succeed(run("go", ["run", "."], { cwd: home, env: variables("go") })))
  })
})
