import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type FetchedNode,
  fetchNode,
  localNodeVersion,
  npmFlags,
  oldestNodeVersion,
  shellEnvironment
} from "@cairn/testing/OldestNode"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { consumerOf, typesOf } from "./Consumers.ts"
import {
  type Installation,
  runProgram,
  TYPED_PROGRAM_PRINTS,
  typedProgram,
  useService
} from "./EmbeddedPrograms.ts"
import { embeddedServer, loadViewer, startServing, useInstalled } from "./InstalledService.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const minutes = 60_000

const Manifest = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.String,
    version: Schema.String,
    private: Schema.optionalKey(Schema.Boolean),
    exports: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    bin: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })
)
const decodeManifest = Schema.decodeUnknownSync(Manifest)

const SourceMap = Schema.fromJsonString(Schema.Struct({ sources: Schema.Array(Schema.String) }))
const decodeSourceMap = Schema.decodeUnknownSync(SourceMap)

/** Runs a command in `cwd`; rejects with all that it printed when it fails. */
const runApart = (
  cwd: string,
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = shellEnvironment
): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, timeout: 15 * minutes }, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr })
      else reject(new Error(`${[command, ...args].join(" ")} failed\n${stdout}${stderr}`))
    })
  })

/** The same; returns all that it printed. */
const run = async (
  cwd: string,
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = shellEnvironment
): Promise<string> => {
  const { stdout, stderr } = await runApart(cwd, command, args, env)
  return `${stdout}${stderr}`
}

/** Runs the program of a development dependency, given as a path in node_modules. */
const runTool = (cwd: string, program: string, args: ReadonlyArray<string>) =>
  run(cwd, process.execPath, [join(root, "node_modules", program), ...args])

const readPackages = async () => {
  const folders = await readdir(join(root, "packages"))
  const all = await Promise.all(
    folders.sort().map(async (folder) => {
      const manifest = decodeManifest(await readFile(join(root, "packages", folder, "package.json"), "utf8"))
      const tarball = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`
      const specifiers = Object.keys(manifest.exports ?? {}).map(
        (subpath) => manifest.name + subpath.slice(1)
      )
      return { ...manifest, tarball, specifiers }
    })
  )
  return all.filter((candidate) => candidate.private !== true)
}

const decodeVersions = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ devDependencies: Schema.Record(Schema.String, Schema.String) }))
)

/** The packages that a package.json names for development, with their versions. */
const readVersions = async (file: string) =>
  decodeVersions(await readFile(join(root, file), "utf8")).devDependencies

/** A person's environment in which a Node comes first, where it is there. */
const environmentOf = (node: FetchedNode | undefined): NodeJS.ProcessEnv =>
  node === undefined || "missing" in node
    ? shellEnvironment
    : { ...shellEnvironment, PATH: [dirname(node.program), shellEnvironment.PATH].join(delimiter) }

/** What the programs of the pages use besides our packages, in the versions that they are tested with. */
const readUsed = async (): Promise<ReadonlyArray<string>> => {
  const { effect } = await readVersions("package.json")
  const servers = Object.entries(await readVersions("examples/embed/package.json"))
  return [`effect@${effect}`, ...servers.map(([name, version]) => `${name}@${version}`)]
}

/** The programs that a page shows, in its order. */
const programsOf = async (page: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(join(root, page), "utf8")
  return [...text.matchAll(/```js\n([\s\S]+?)```/g)].map(([, program = ""]) => program)
}

const compilerOptions = {
  target: "ES2024",
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true
}

const Problems = Schema.fromJsonString(Schema.Array(Schema.Array(Schema.Unknown)))

/** What is wrong with the types of each package, by its tarball. */
const checkTypes = async (folder: string): Promise<ReadonlyMap<string, ReadonlyArray<unknown>>> => {
  const program = fileURLToPath(new URL("TypesOfTarballs.ts", import.meta.url))
  const files = packages.map(({ tarball }) => join(folder, tarball))
  const { stdout } = await runApart(root, process.execPath, [program, ...files])
  const problems = Schema.decodeUnknownSync(Problems)(stdout)
  return new Map(packages.map(({ tarball }, index) => [tarball, problems[index] ?? ["it was not checked"]]))
}

const packages = await readPackages()
const oldestNode = await oldestNodeVersion()
const supportedNodes = [oldestNode, await localNodeVersion()]

describe("the published packages", () => {
  let folder = ""
  let consumer = ""
  /** By version. */
  let nodes: ReadonlyMap<string, FetchedNode> = new Map()
  /** By tarball. */
  let problemsOfTypes: ReadonlyMap<string, ReadonlyArray<unknown>> = new Map()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cairn-publish-"))
    consumer = join(folder, "consumer")
    await mkdir(consumer)
    const fetching = Promise.all(
      supportedNodes.map(async (version) => [version, await fetchNode(version)] as const)
    )
    await runTool(root, "turbo/bin/turbo", ["run", "build", "--cache=local:rw", "--output-logs=errors-only"])
    const workspaces = packages.map(({ name }) => `--workspace=${name}`)
    await run(root, "npm", ["pack", "--pack-destination", folder, ...workspaces])
    const tarballs = packages.map(({ tarball }) => join("..", tarball))
    await writeFile(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }))
    nodes = new Map(await fetching)
    // Linked: a package finds what its own package.json names, and nothing that another one brought.
    const flags = [...npmFlags, "--install-strategy=linked", "--engine-strict"]
    const args = ["install", ...flags, ...tarballs, ...(await readUsed())]
    const installing = run(consumer, "npm", args, environmentOf(nodes.get(oldestNode)))
    // All end before one that has failed is told of, and before the folder is removed.
    const checking = checkTypes(folder)
    await Promise.allSettled([installing, checking])
    await installing
    problemsOfTypes = await checking
  }, 20 * minutes)

  afterAll(() => rm(folder, { recursive: true, force: true }))

  const installationOn = (version: string, skip: (note: string) => never): Installation => {
    const node = nodes.get(version) ?? { missing: `Node ${version} was not fetched` }
    if ("missing" in node) return skip(node.missing)
    return { consumer, node: node.program, environment: shellEnvironment }
  }

  describe.each(packages)("$name", ({ name, tarball, specifiers }) => {
    it("has nothing that publint would change", { timeout: minutes }, async () => {
      const bytes = await readFile(join(folder, tarball))
      const pack = { tarball: Uint8Array.from(bytes).buffer }
      const { messages, pkg } = await publint({ pack, strict: true })
      assert.deepStrictEqual(
        messages.map((message) => formatMessage(message, pkg, { color: false })),
        []
      )
    })

    it("has types that resolve as its code does", () => {
      assert.deepStrictEqual(problemsOfTypes.get(tarball), [])
    })

    it("ships the sources that its source maps and declaration maps name", async () => {
      const installed = join(consumer, "node_modules", name)
      const files = await readdir(join(installed, "dist"), { recursive: true })
      const maps = files.filter((file) => file.endsWith(".map")).map((file) => join(installed, "dist", file))
      assert.isNotEmpty(maps)
      for (const map of maps) {
        for (const source of decodeSourceMap(await readFile(map, "utf8")).sources) {
          assert.isTrue(existsSync(join(map, "..", source)), `${map} names ${source}`)
        }
      }
    })

    it("carries its licence", () => {
      assert.isTrue(existsSync(join(consumer, "node_modules", name, "LICENSE")))
    })

    it("runs under Node in a project of its own", { timeout: minutes }, async () => {
      const file = join(consumer, `${tarball}.ts`)
      await writeFile(file, consumerOf(specifiers))
      await run(consumer, process.execPath, [file])
    })
  })

  const commands = packages.flatMap(({ bin }) => Object.keys(bin ?? {}))
  it.each(commands)(
    "install the command %s, which explains itself",
    { timeout: minutes },
    async (command) => {
      const program = join(consumer, "node_modules", ".bin", command)
      assert.include(await run(consumer, program, ["--help"]), command)
    }
  )

  it("serve, by a program of one's own, with the viewer's page", { timeout: 2 * minutes }, async () => {
    const file = join(consumer, "serve.js")
    await writeFile(file, embeddedServer)
    const cwd = await mkdtemp(join(consumer, "data-"))
    const server = startServing({ cwd, env: shellEnvironment }, process.execPath, [file])
    try {
      await loadViewer(await server.baseUrl)
    } finally {
      await server.stop()
    }
  })

  const alone = packages.filter(({ name }) => name === "@cairn/client")
  describe.each(alone)("install $name alone", ({ name, tarball, specifiers }) => {
    let empty = ""

    beforeAll(async () => {
      empty = await mkdtemp(join(folder, "alone-"))
      await writeFile(join(empty, "package.json"), JSON.stringify({ private: true, type: "module" }))
      await run(empty, "npm", ["install", ...npmFlags, join(folder, tarball)])
    }, minutes)

    it("with no other package", { timeout: minutes }, async () => {
      const modules = join(empty, "node_modules")
      const visible = (await readdir(modules)).filter((entry) => !entry.startsWith("."))
      assert.deepStrictEqual(visible, ["@cairn"])
      assert.deepStrictEqual(await readdir(join(modules, "@cairn")), [name.slice("@cairn/".length)])
      await writeFile(join(empty, "consumer.ts"), consumerOf(specifiers))
      await run(empty, process.execPath, ["consumer.ts"])
    })

    it("without a line of code that an error would print for pages", async () => {
      const dist = join(empty, "node_modules", name, "dist")
      for (const file of await readdir(dist, { recursive: true })) {
        if (!file.endsWith(".js")) continue
        const lines = (await readFile(join(dist, file), "utf8")).split("\n")
        assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 2500, file)
      }
    })

    const resolutions = [
      ["NodeNext", { module: "NodeNext" }],
      ["a bundler", { module: "ESNext", moduleResolution: "Bundler" }]
    ] as const
    // The spool is for Node, and speaks of its Buffer; all else has the types of the platform.
    const platforms = [
      ["Node", /./, { types: ["node"], typeRoots: [join(root, "node_modules", "@types")] }],
      ["a browser", /^(?!.*\/spool$)/, { types: [], lib: ["ES2024", "DOM"] }]
    ] as const
    const projects = resolutions.flatMap(([by, resolution]) =>
      platforms.map(([on, names, types]) => ({ by, on, names, options: { ...resolution, ...types } }))
    )
    it.each(projects)("with whole types, by $by for $on", { timeout: minutes }, async (project) => {
      const { by, on, names, options } = project
      const files = [`${by}-${on}.ts`.replaceAll(" ", "-")]
      await writeFile(join(empty, `${files[0]}`), typesOf(specifiers.filter((one) => names.test(one))))
      await writeFile(
        join(empty, `${files[0]}.json`),
        JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, files })
      )
      await runTool(empty, "typescript/bin/tsc", ["--project", `${files[0]}.json`])
    })
  })

  const resolutions = [
    ["in a strict project", { module: "NodeNext" }],
    ["where a bundler resolves them", { module: "ESNext", moduleResolution: "Bundler" }]
  ] as const
  it.each(resolutions)("type-check together %s", { timeout: 2 * minutes }, async (_, resolution) => {
    // Some of them speak of Node's own types, which every Node project in TypeScript has.
    const typeRoots = [join(root, "node_modules", "@types")]
    const options = { ...compilerOptions, ...resolution, types: ["node"], typeRoots }
    const specifiers = packages.flatMap((one) => one.specifiers)
    const files = [`all.${resolution.module}.ts`, "typed.ts"] as const
    await writeFile(join(consumer, files[0]), consumerOf(specifiers))
    await writeFile(join(consumer, files[1]), typedProgram)
    const project = `tsconfig.${resolution.module}.json`
    await writeFile(join(consumer, project), JSON.stringify({ compilerOptions: options, files }))
    await runTool(consumer, "typescript/bin/tsc", ["--project", project])
  })

  it("type-check for a browser, as far as the core is concerned", { timeout: 2 * minutes }, async () => {
    const options = { ...compilerOptions, module: "ESNext", moduleResolution: "Bundler", types: [] }
    const specifiers = packages
      .filter(({ name }) => name === "@cairn/core")
      .flatMap((core) => core.specifiers)
    await writeFile(join(consumer, "browser.ts"), consumerOf(specifiers))
    await writeFile(
      join(consumer, "tsconfig.browser.json"),
      JSON.stringify({ compilerOptions: options, files: ["browser.ts"] })
    )
    await runTool(consumer, "typescript/bin/tsc", ["--project", "tsconfig.browser.json"])
  })

  it.for(supportedNodes)(
    "serve, record, verify and prove on Node %s",
    { timeout: 5 * minutes },
    (version, { skip }) => useInstalled(installationOn(version, skip))
  )

  describe.each(["this Node", `Node ${oldestNode}`])("embed a log on %s", (nodeName) => {
    const installation = (skip: (note: string) => never): Installation =>
      nodeName === "this Node"
        ? { consumer, node: process.execPath, environment: shellEnvironment }
        : installationOn(oldestNode, skip)

    it("in a typed program", { timeout: minutes }, async ({ skip }) => {
      const printed = await runProgram(installation(skip), "typed.ts", typedProgram)
      assert.strictEqual(printed.trim(), TYPED_PROGRAM_PRINTS)
    })

    it("in the program of the core's page", { timeout: minutes }, async ({ skip }) => {
      const [program = ""] = await programsOf("packages/core/README.md")
      assert.match(await runProgram(installation(skip), "core.js", program), /^20\S+Z ada\ntrue \[\]$/m)
    })

    const services = [
      ["Express on SQLite", "packages/storage-sqlite/README.md", 0],
      ["Fastify on SQLite", "README.md", 1],
      ["Fastify on PostgreSQL", "packages/storage-postgres/README.md", 0]
    ] as const
    it.for(services)("in %s", { timeout: minutes }, async ([name, page, index], { skip }) => {
      const program = (await programsOf(page))[index] ?? ""
      const variables = { DATABASE_URL: await (await sharedPostgres()).newDatabase() }
      await useService(installation(skip), `${name.replaceAll(" ", "-")}.js`, program, variables)
    })
  })
})
