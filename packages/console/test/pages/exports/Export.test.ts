import { CairnApiError, CairnConnectionError, type SessionCalls } from "@cairn/client/session"
import { assert, describe, it } from "@effect/vitest"
import { fileAddress, fileSize, isMoving, stateOf } from "../../../src/page/pages/exports/Export.ts"

const NOW = Date.parse("2026-01-31T09:00:00.000Z")

describe("an export", () => {
  it("whose file is deleted is ready no longer", () => {
    assert.strictEqual(
      stateOf({ status: "completed", expires_at: "2026-01-31T09:00:01.000000Z" }, NOW),
      "completed"
    )
    assert.strictEqual(
      stateOf({ status: "completed", expires_at: "2026-01-31T09:00:00.000000Z" }, NOW),
      "ended"
    )
    assert.strictEqual(stateOf({ status: "failed", expires_at: null }, NOW), "failed")
  })

  it("is looked at again while it is being made", () => {
    const moving = (["pending", "processing", "completed", "failed"] as const).map((status) =>
      isMoving({ status })
    )
    assert.deepStrictEqual(moving, [true, true, false, false])
  })

  it("has a size that can be read", () => {
    assert.strictEqual(fileSize(0, "en"), "0 bytes")
    assert.strictEqual(fileSize(999, "en"), "999 bytes")
    assert.strictEqual(fileSize(35_400, "en"), "35 kB")
    assert.strictEqual(fileSize(1_250_000, "de"), "1,3 MB")
    assert.strictEqual(fileSize(7_000_000_000_000_000, "en"), "7,000 TB")
  })
})

describe("the address of a file", () => {
  const asked = { id: "exp_1", download_url: "/api/v1/exports/exp_1/download?signature=1" }
  const callsThat = (download: () => Promise<Response>) =>
    ({ exports: { download } }) as unknown as SessionCalls

  it("is where the service leads who has signed in", async () => {
    const answer = new Response("file")
    Object.defineProperty(answer, "url", { value: "https://audit.example/files/exports/exp_1" })
    const address = await fileAddress(
      callsThat(async () => answer),
      asked
    )
    assert.strictEqual(address, "https://audit.example/files/exports/exp_1")
    // What it began to read is the browser's to fetch.
    assert.isTrue(answer.bodyUsed)
  })

  it("is the export's link where the page cannot reach the store", async () => {
    const calls = callsThat(() => Promise.reject(new CairnConnectionError("blocked")))
    assert.strictEqual(await fileAddress(calls, asked), asked.download_url)
  })

  it("is none where the service refuses", async () => {
    const refusal = new CairnApiError({
      code: "not_found",
      status: 404,
      message: "There is no such export"
    })
    const outcome = await fileAddress(
      callsThat(() => Promise.reject(refusal)),
      asked
    ).catch((error: unknown) => error)
    assert.strictEqual(outcome, refusal)
  })
})
