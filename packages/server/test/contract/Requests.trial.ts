/**
 * Requests that schemathesis makes of the OpenAPI document, as it is served: for every operation those that
 * it allows and those that it does not, in an order that the document's resources suggest, with all its
 * checks. What a schema cannot say is in `tools/exemptions.py`, with a reason for each.
 */
import { join } from "node:path"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { pythonTools, run, toolsFolder } from "./Tools.ts"

/** Cases of each operation in each of its phases that draw. */
const CASES = isEndurance() ? 100 : 2

/** Its answers go on for as long as somebody listens: tests of its own have what it refuses. */
const ENDLESS = "/api/v1/events/live"

const MAIN = "from schemathesis.cli import schemathesis; schemathesis()"

describe("generated requests", () => {
  const folder = temporaryFolder()

  it("get what the document says, whether it allows them or not", { timeout: 3_600_000 }, async ({
    skip
  }) => {
    const tools = await pythonTools()
    if ("missing" in tools) return skip(tools.missing)
    const server = await startServer({
      database: join(folder, "cairn.db"),
      tenant: true,
      variables: { CAIRN_LOG_LEVEL: "error", CAIRN_STREAM_FOLDER: join(folder, "streams") }
    })
    const headers = { authorization: `Bearer ${server.key}` }
    const keys = await fetch(`${server.baseUrl}/api/v1/api-keys`, { headers })
    const { data } = (await keys.json()) as { readonly data: ReadonlyArray<{ readonly id: string }> }
    assert.lengthOf(data, 1)
    const args = [
      [
        "run",
        `${server.baseUrl}/openapi.json`,
        "--header",
        `Authorization: Bearer ${server.key}`,
        "--checks",
        "all",
        // A busy machine is no failure.
        "--request-timeout",
        "120",
        "--max-response-time",
        "120"
      ],
      ["--phases", "examples,coverage,fuzzing,stateful", "--max-examples", String(CASES)],
      ["--exclude-path", ENDLESS],
      ["--seed", "1", "--continue-on-failure", "--no-color", "--warnings", "off"]
    ].flat()
    const { code, output, said } = await run("python3", ["-c", MAIN, ...args], {
      cwd: folder,
      env: {
        PYTHONPATH: `${toolsFolder}:${tools.folder}`,
        SCHEMATHESIS_HOOKS: "exemptions",
        OWN_KEY_ID: data[0]?.id ?? ""
      }
    })
    assert.strictEqual(code, 0, said.slice(-20_000))
    // All of the document, and not a server that refuses whatever comes.
    const [, selected, whole] = /Selected: (\d+)\/(\d+)/.exec(output) ?? []
    assert.strictEqual(Number(selected) + 1, Number(whole))
    const workspace = await fetch(`${server.baseUrl}/api/v1/workspace`, { headers })
    assert.strictEqual(workspace.status, 200)
  })
})
