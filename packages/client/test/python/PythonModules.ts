/** The Python client's own tests, each module of them as one test. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, it } from "@effect/vitest"
import { run } from "../../../server/test/contract/Tools.ts"
import { startServer } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { PYTHON_CLIENT, PYTHON_ENVIRONMENT, PYTHON_PATIENCE } from "./PythonHere.ts"

/** Those that take seconds: they wait, fork, kill, interrupt and outlast processes. */
const LONG = [
  "tests.test_aside",
  "tests.test_client",
  "tests.test_ends",
  "tests.test_errors",
  "tests.test_forks",
  "tests.test_interrupted",
  "tests.test_relay",
  "tests.test_spool_late"
]

/** Whether a module is a trial. */
export const isLong = (module: string): boolean => LONG.includes(module)

/** Its tests; among them the conformance suite, and some against a real server. */
const modules = readdirSync(join(PYTHON_CLIENT, "tests"))
  .filter((file) => /^test_\w+\.py$/.test(file))
  .map((file) => `tests.${file.slice(0, -".py".length)}`)

/** Registers a test for each of some modules, in the suite that calls it. */
export const passModules = (isMeant: (module: string) => boolean): void => {
  const folder = temporaryFolder()
  let env: Record<string, string> = {}

  beforeAll(async () => {
    const server = await startServer({ database: join(folder, "cairn.db"), tenant: true })
    env = {
      ...PYTHON_ENVIRONMENT,
      ...PYTHON_PATIENCE,
      CAIRN_TEST_URL: server.baseUrl,
      CAIRN_TEST_KEY: server.key
    }
  })

  // Each waits for most of its time.
  it.concurrent.each(modules.filter(isMeant))("passes %s", async (module) => {
    const { code, said } = await run("python3", ["-W", "error", "-m", "unittest", "-v", module], {
      cwd: PYTHON_CLIENT,
      env
    })
    assert.strictEqual(code, 0, said)
    // Nothing that should have run was left out.
    assert.notInclude(said, "skipped=")
  })
}
