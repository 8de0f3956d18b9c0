import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { cairn, cairnJson } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()

describe("cairn workspace", () => {
  it("changes what is given, shows it, and takes the service's own again", { timeout: 120_000 }, async () => {
    const database = join(folder, "cairn.db")
    await cairnJson(["workspace", "create", "Acme"], { database })
    const shown = async () => Object(await cairnJson(["workspace", "show", "Acme"], { database }))
    const update = (...flags: ReadonlyArray<string>) =>
      cairn(["workspace", "update", "Acme", ...flags], { database })

    const set = await update("--anchor-every", "3600", "--frame-ancestors", "none", "--plan", "pro")
    assert.strictEqual(set.code, 0, set.stderr)
    assert.deepInclude(await shown(), {
      plan: "pro",
      anchor_schedule: { every_seconds: 3_600, offset_seconds: 0 },
      viewer_frame_ancestors: []
    })

    assert.strictEqual((await update("--anchor-every", "default", "--frame-ancestors", "default")).code, 0)
    assert.deepInclude(await shown(), { plan: "pro", anchor_schedule: null, viewer_frame_ancestors: null })

    for (const wrong of ["hourly", "59", "60.5", ""]) {
      const refused = await update("--anchor-every", wrong)
      assert.notStrictEqual(refused.code, 0, wrong)
      assert.match(refused.stderr, /anchor.(every|schedule)/, wrong)
    }
    assert.deepInclude(await shown(), { anchor_schedule: null })
  })
})
