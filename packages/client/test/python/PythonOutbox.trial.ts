/** The outbox of the Python client over psycopg, on a real PostgreSQL. */
import { join } from "node:path"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, describe, it } from "@effect/vitest"
import { pythonPackages, run } from "../../../server/test/contract/Tools.ts"
import { killLeftovers } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { pgBouncer, startPgBouncer } from "../outbox/PgBouncer.ts"
import { hasPython, PYTHON_CLIENT, PYTHON_ENVIRONMENT, PYTHON_PATIENCE } from "./PythonHere.ts"

describe.skipIf(!hasPython())("the outbox of the Python client (skipped: no python3 from 3.9 on)", () => {
  const folder = temporaryFolder()
  killLeftovers()

  it("keeps its promises over psycopg and sqlite3", async ({ skip }) => {
    const driver = await pythonPackages("psycopg", join(PYTHON_CLIENT, "tests/requirements.txt"))
    if ("missing" in driver) return skip(driver.missing)
    const database = await (await sharedPostgres()).newDatabase()
    const bouncer =
      pgBouncer === undefined
        ? {}
        : { CAIRN_TEST_PGBOUNCER: await startPgBouncer(pgBouncer, database, folder) }
    const { code, said } = await run(
      "python3",
      ["-W", "error", "-m", "unittest", "-v", "tests.test_outbox"],
      {
        cwd: PYTHON_CLIENT,
        env: {
          ...PYTHON_ENVIRONMENT,
          ...PYTHON_PATIENCE,
          PYTHONPATH: `${PYTHON_ENVIRONMENT.PYTHONPATH}:${driver.folder}`,
          CAIRN_TEST_POSTGRES: database,
          ...bouncer
        }
      }
    )
    assert.strictEqual(code, 0, said)
    assert.include(said, "PostgresTest")
    if (pgBouncer !== undefined) assert.notInclude(said, "skipped=")
  })
})
