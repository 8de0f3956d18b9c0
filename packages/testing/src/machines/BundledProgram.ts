/**
 * Programs bundled into one file each: loading hundreds of modules and stripping their types takes a second.
 */
import { join } from "node:path"
import { rolldown } from "rolldown"

/** Bundles the program with this entry into a folder; returns the path of the file, for Node to run. */
export const bundleProgram = async (entry: string, folder: string): Promise<string> => {
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    resolve: { conditionNames: ["@cairn/source", "node", "import", "default"] },
    treeshake: { moduleSideEffects: false }
  })
  const file = join(folder, "program.js")
  await bundle.write({ file, format: "esm", sourcemap: false })
  await bundle.close()
  return file
}
