// Makes the API reference out of the doc comments: a module for every door of every published package, named
// by what an import names. `npm run docs:api` writes it to docs/api, which is not committed. It runs on a
// TypeScript of its own, because TypeDoc needs the compiler's JavaScript interface, which TypeScript 7 no
// longer has. It fails for a link that leads nowhere.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Application, Converter, OptionDefaults, ReflectionKind } from "typedoc"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Every door that a published package has: the specifier of its import, and the source behind it. */
const doors = new Map(
  globSync("packages/*/package.json", { cwd: root }).flatMap((file) => {
    const { name, private: isPrivate, exports = {} } = JSON.parse(readFileSync(join(root, file), "utf8"))
    if (isPrivate) return []
    return Object.entries(exports).flatMap(([subpath, conditions]) => {
      const source = conditions["@cairn/source"]
      return source === undefined ? [] : [[join(root, file, "..", source), name + subpath.slice(1)]]
    })
  })
)

const app = await Application.bootstrap({
  name: "Cairn",
  entryPoints: [...doors.keys()],
  tsconfig: join(root, "tsconfig.json"),
  // The type check has its own TypeScript and has passed.
  skipErrorChecking: true,
  out: process.argv[2] ?? join(root, "docs/api"),
  treatWarningsAsErrors: true,
  // The client's types, which are made from the OpenAPI document, use it.
  blockTags: [...OptionDefaults.blockTags, "@description"],
  readme: "none",
  router: "structure",
  // What a class has from Effect is described there.
  excludeExternals: true,
  excludePrivate: true,
  excludeInternal: true,
  githubPages: false,
  disableSources: true,
  includeVersion: false,
  validation: { invalidLink: true, notExported: false, notDocumented: false }
})

app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
  if (!reflection.kindOf(ReflectionKind.Module)) return
  const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName
  reflection.name = doors.get(file) ?? reflection.name
})

const project = await app.convert()
if (project === undefined || app.logger.hasErrors()) process.exit(1)
app.validate(project)
await app.generateOutputs(project)
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0
process.stdout.write(`${doors.size} modules, ${Object.keys(project.reflections).length} declarations\n`)
