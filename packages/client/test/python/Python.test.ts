/** The Python client: its own tests, where a Python is here, and what it has from the OpenAPI document. */
import { spawnSync } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { run } from "../../../server/test/contract/Tools.ts"
import { startServer } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { generatePython, PYTHON_FILES } from "./GeneratedPython.ts"

const project = fileURLToPath(new URL("../../../../clients/python/", import.meta.url))
const isNewEnough = "import sys; sys.exit(sys.version_info < (3, 9))"
const hasPython = spawnSync("python3", ["-c", isNewEnough]).status === 0

describe("what the Python client has from the OpenAPI document", () => {
  it("is made from the document as it is now: `npm run generate:client` makes it", async () => {
    const { types, endpoints } = await generatePython()
    assert.isTrue(types === (await readFile(PYTHON_FILES.types, "utf8")), PYTHON_FILES.types)
    assert.isTrue(endpoints === (await readFile(PYTHON_FILES.endpoints, "utf8")), PYTHON_FILES.endpoints)
  })
})

describe.skipIf(!hasPython)("the Python client (skipped: no python3 from 3.9 on)", () => {
  const folder = temporaryFolder()
  let env: Record<string, string> = {}

  beforeAll(async () => {
    const server = await startServer({ database: join(folder, "cairn.db"), demo: true })
    env = {
      PYTHONPATH: join(project, "src"),
      PYTHONDONTWRITEBYTECODE: "1",
      CAIRN_TEST_URL: server.baseUrl,
      CAIRN_TEST_KEY: server.key
    }
  })

  it("passes its tests, the conformance suite among them, and works with a real server", async () => {
    const { code, said } = await run("python3", ["-W", "error", "-m", "unittest", "discover", "-t", "."], {
      cwd: project,
      env
    })
    assert.strictEqual(code, 0, said)
    // Nothing that should have run was left out.
    assert.notInclude(said, "skipped=")
  })
})
