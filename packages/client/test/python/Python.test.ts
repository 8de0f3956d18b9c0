/** The Python client: its own tests, where a Python is here, and what it has from the OpenAPI document. */
import { fork } from "node:child_process"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { openSpool } from "../../src/spool/index.ts"
import { generatePython, PYTHON_FILES } from "./GeneratedPython.ts"
import { hasPython, startPython } from "./PythonHere.ts"
import { isLong, passModules } from "./PythonModules.ts"

const spoolingNode = fileURLToPath(new URL("../spool/SpoolingProcess.ts", import.meta.url))

describe("what the Python client has from the OpenAPI document", () => {
  it("is made from the document as it is now: `npm run generate:client` makes it", async () => {
    const { types, endpoints } = await generatePython()
    assert.isTrue(types === (await readFile(PYTHON_FILES.types, "utf8")), PYTHON_FILES.types)
    assert.isTrue(endpoints === (await readFile(PYTHON_FILES.endpoints, "utf8")), PYTHON_FILES.endpoints)
  })
})

describe.skipIf(!hasPython())("the Python client (skipped: no python3 from 3.9 on)", () => {
  const folder = temporaryFolder()

  passModules((module) => !isLong(module))

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
