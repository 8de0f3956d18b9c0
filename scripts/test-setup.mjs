// Before any test: the bundle that tests start as a process is that of the sources as they are.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export const setup = () => {
  execFileSync(process.execPath, [fileURLToPath(new URL("bundle.mjs", import.meta.url))], {
    stdio: "inherit"
  })
}
