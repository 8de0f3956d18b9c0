/** The types of the Python client, as mypy sees them. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { pythonPackages, run } from "../../../server/test/contract/Tools.ts"
import { hasPython, PYTHON_CLIENT, PYTHON_ENVIRONMENT } from "./PythonHere.ts"

describe.skipIf(!hasPython())("the types of the Python client (skipped: no python3 from 3.9 on)", () => {
  it("are whole: mypy --strict finds nothing", async ({ skip }) => {
    const mypy = await pythonPackages("mypy", join(PYTHON_CLIENT, "tests/requirements-types.txt"))
    if ("missing" in mypy) return skip(mypy.missing)
    const args = ["-m", "mypy", "--strict", "--cache-dir=/dev/null", "src/cairn_client"]
    const { code, said } = await run("python3", args, {
      cwd: PYTHON_CLIENT,
      env: { ...PYTHON_ENVIRONMENT, PYTHONPATH: mypy.folder }
    })
    assert.strictEqual(code, 0, said)
  })
})
