// Puts an entry of a built package, and all that it imports of other packages, into one file, so that the
// package depends on nothing for it: `node bundle-entry.mjs <folder>` replaces `dist/<folder>/index.js`.
// What the package shares with its other entries, such as its errors, stays where it is. Files of the folder
// that import other packages are removed: they are in the bundle.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { rolldown } from "rolldown"

const [folder = ""] = process.argv.slice(2)
const dist = resolve("dist", folder)
const entry = join(dist, "index.js")

/** Whether a module is of this package, and outside of the folder. */
const isShared = (id) => id.startsWith(resolve("dist")) && !id.startsWith(dist)

const bundle = await rolldown({
  input: entry,
  platform: "browser",
  external: (id, importer) =>
    id.startsWith(".") && importer !== undefined && isShared(resolve(dirname(importer), id))
})
// In lines: Node prints the one that throws an error which nobody catches.
const { output } = await bundle.generate({
  format: "esm",
  minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
  comments: { legal: true, annotation: true, jsdoc: false },
  dir: dist
})
const [chunk, ...others] = output
const foreign = chunk.imports.filter((id) => !id.startsWith("."))
if (others.length > 0 || foreign.length > 0) {
  throw new Error(
    `${relative(".", entry)} is no single file: it needs ${[...foreign, ...others.map(({ fileName }) => fileName)]}`
  )
}
const FOREIGN = /from "(?!\.|node:)/
for (const name of readdirSync(dist)) {
  const isCode = /\.(?:js|d\.ts)$/.test(name)
  if (isCode && FOREIGN.test(readFileSync(join(dist, name), "utf8"))) {
    for (const end of ["", ".map"]) rmSync(join(dist, `${name}${end}`), { force: true })
  }
}
rmSync(`${entry}.map`, { force: true })
writeFileSync(entry, chunk.code)
