/** The Python client: its own tests, where a Python is here, and what it has from the OpenAPI document. */
import { fork } from "node:child_process"
import { readdirSync } from "node:fs"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { run } from "../../../server/test/contract/Tools.ts"
import { startServer } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { openSpool } from "../../src/spool/index.ts"
import { generatePython, PYTHON_FILES } from "./GeneratedPython.ts"
import { hasPython, PYTHON_CLIENT, PYTHON_ENVIRONMENT, PYTHON_PATIENCE, startPython } from "./PythonHere.ts"

const spoolingNode = fileURLToPath(new URL("../spool/SpoolingProcess.ts", import.meta.url))

/** Its tests; among them the conformance suite, and some against a real server. */
const modules = readdirSync(join(PYTHON_CLIENT, "tests"))
  .filter((file) => /^test_\w+\.py$/.test(file))
  .map((file) => `tests.${file.slice(0, -".py".length)}`)

describe("what the Python client has from the OpenAPI document", () => {
  it("is made from the document as it is now: `npm run generate:client` makes it", async () => {
    const { types, endpoints } = await generatePython()
    assert.isTrue(types === (await readFile(PYTHON_FILES.types, "utf8")), PYTHON_FILES.types)
    assert.isTrue(endpoints === (await readFile(PYTHON_FILES.endpoints, "utf8")), PYTHON_FILES.endpoints)
  })
})

describe.skipIf(!hasPython())("the Python client (skipped: no python3 from 3.9 on)", () => {
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
  it.concurrent.each(modules)("passes %s", async (module) => {
    const { code, said } = await run("python3", ["-W", "error", "-m", "unittest", "-v", module], {
      cwd: PYTHON_CLIENT,
      env
    })
    assert.strictEqual(code, 0, said)
    // Nothing that should have run was left out.
    assert.notInclude(said, "skipped=")
  })

  it("takes over the spool of a TypeScript process that was killed", async () => {
    const place = join(folder, "from-node")
    const keys = ["a", "ключ 😀", "c"]
    const child = fork(spoolingNode, [place, ...keys])
    const gone = new Promise((resolve) => child.once("exit", resolve))
    await new Promise((resolve) => child.once("message", resolve))
    child.kill("SIGKILL")
    await gone
    const adopting = startPython("tests.adopting", [place])
    assert.deepStrictEqual([(await adopting.ended).code, adopting.stderr()], [0, ""])
    assert.deepStrictEqual(JSON.parse(adopting.stdout()), keys)
  })

  it("leaves a spool that TypeScript takes over, and only once it is killed", async () => {
    const place = join(folder, "from-python")
    await mkdir(place)
    const spooling = startPython("tests.spooling", [place, "a", "ключ 😀", "c"])
    await new Promise((resolve) => spooling.child.stdout?.once("data", resolve))
    const keysIn = async () => {
      const spool = await openSpool({ folder: place })
      const taken = await spool.take({ count: 100, bytes: 1_000_000 })
      await spool.close()
      return taken.map(({ key }) => key)
    }
    assert.deepStrictEqual(await keysIn(), [])
    spooling.child.kill("SIGKILL")
    await spooling.ended
    assert.deepStrictEqual(await keysIn(), ["a", "ключ 😀", "c"])
  })
})
