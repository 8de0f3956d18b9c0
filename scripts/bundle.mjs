/**
 * Bundles the server and its command into packages/server/bundle: one file a thread or process and what they
 * share, in place of the thousand modules they are written in; and with them the pages that the server serves
 * at / and at /viewer. It halves the time to the first request and the memory of an idle server.
 *
 * Does nothing when nothing changed since the last time.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")
const server = join(root, "packages/server")
const bundle = join(server, "bundle")
const stampFile = join(bundle, ".stamp")

/** Packages whose sources do not go into the bundle; those of every other do. */
const apart = ["bench", "reference", "testing"]

/** Packages that hold a page, which is built into a folder of its name. */
const pages = ["console", "viewer"]

const stampOf = () => {
  const hash = createHash("sha256")
  const packages = readdirSync(join(root, "packages")).filter((name) => !apart.includes(name))
  const inputs = packages.flatMap((name) => {
    const src = join(root, "packages", name, "src")
    return readdirSync(src, { recursive: true, encoding: "utf8" }).map((file) => join(src, file))
  })
  const settings = [
    "package-lock.json",
    // Snippets that a page shows.
    ...readdirSync(join(root, "docs/snippets")).map((name) => `docs/snippets/${name}`),
    "packages/ui/vite.ts",
    ...pages.map((page) => `packages/${page}/vite.config.ts`)
  ].map((file) => join(root, file))
  for (const file of [...inputs.sort(), ...settings, fileURLToPath(import.meta.url)]) {
    const { mtimeMs, size } = statSync(file)
    hash.update(`${file}\n${mtimeMs}\n${size}\n`)
  }
  return hash.digest("hex")
}

const stamp = stampOf()
if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== stamp) {
  // A test runner sets a mode of its own, in which libraries keep their checks for developers.
  process.env.NODE_ENV = "production"
  const { rolldown } = await import("rolldown")
  rmSync(bundle, { recursive: true, force: true })
  const build = await rolldown({
    input: {
      bin: join(server, "src/bin.ts"),
      LogThread: join(server, "src/thread/LogThread.ts"),
      DeliveryThread: join(server, "src/thread/DeliveryThread.ts"),
      FileProcess: join(root, "packages/delivery/src/sinks/file/FileProcess.ts"),
      ScrubProcess: join(root, "packages/storage-sqlite/src/ScrubProcess.ts"),
      StoreCheckProcess: join(root, "packages/storage-sqlite/src/StoreCheckProcess.ts"),
      BackupProcess: join(server, "src/thread/BackupProcess.ts")
    },
    platform: "node",
    resolve: { conditionNames: ["@cairn/source", "node", "import", "default"] },
    // A native module: loaded from node_modules as it is.
    external: [/^node:/, "bcrypt"],
    // The oldest Node that is supported knows no later syntax.
    transform: { target: "node22.19" },
    treeshake: { moduleSideEffects: false }
  })
  // Each thread keeps the text of what it runs: without comments it is half as long, and where every
  // character is of ASCII it takes a byte for each instead of two.
  await build.write({
    dir: bundle,
    format: "esm",
    sourcemap: false,
    chunkFileNames: "[name].js",
    comments: { legal: true, annotation: false, jsdoc: false },
    charset: "ascii"
  })
  const { build: buildPage } = await import("vite")
  for (const page of pages) {
    await buildPage({
      configFile: join(root, "packages", page, "vite.config.ts"),
      build: { outDir: join(bundle, page) }
    })
  }
  writeFileSync(stampFile, stamp)
}
