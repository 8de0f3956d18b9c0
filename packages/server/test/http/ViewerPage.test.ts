import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { workspaceOf } from "../../src/viewer/ViewerPage.ts"
import { FRAME_ANCESTORS, makeTenant, send, testServer } from "./TestServer.ts"

/** A built page, as far as the server can tell. */
const folder = mkdtempSync(join(tmpdir(), "cairn-viewer-"))
mkdirSync(join(folder, "assets"))
writeFileSync(join(folder, "index.html"), "<!doctype html><title>Audit log</title>")
writeFileSync(join(folder, "assets", "index-1.js"), "1")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const built = testServer({ viewerFolder: folder })

describe("/viewer", () => {
  it.live("is the page, which may run only its own script and be embedded only where it is allowed", () =>
    Effect.gen(function* () {
      const page = yield* send({ path: "/viewer?token=nonsense" })
      assert.strictEqual(page.status, 200)
      assert.strictEqual(page.text, "<!doctype html><title>Audit log</title>")
      assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(page.headers["cache-control"], "no-store")
      assert.strictEqual(page.headers["referrer-policy"], "no-referrer")
      assert.strictEqual(page.headers["x-content-type-options"], "nosniff")
      const policy = (page.headers["content-security-policy"] ?? "").toString().split("; ")
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "script-src 'self'")
      assert.include(policy, "connect-src 'self'")
      assert.include(policy, `frame-ancestors ${FRAME_ANCESTORS.join(" ")}`)
      assert.isUndefined(page.headers["x-frame-options"])
    }).pipe(Effect.provide(built))
  )

  it.live("keeps what the page loads for ever, under names that change with what is in it", () =>
    Effect.gen(function* () {
      const script = yield* send({ path: "/viewer/assets/index-1.js" })
      assert.strictEqual(script.status, 200)
      assert.strictEqual(script.text, "1")
      assert.strictEqual(script.headers["cache-control"], "public, max-age=31536000, immutable")
      const head = yield* send({ path: "/viewer/assets/index-1.js", method: "HEAD" })
      assert.strictEqual(head.text, "")
    }).pipe(Effect.provide(built))
  )

  it.live("is nothing else: no other path, no other method", () =>
    Effect.gen(function* () {
      for (const path of [
        "/viewer/",
        "/viewer/assets/../index.html",
        "/viewer/%2e%2e/package.json",
        "/viewers"
      ]) {
        assert.strictEqual((yield* send({ path })).status, 404, path)
      }
      const post = yield* send({ path: "/viewer", method: "POST" })
      assert.strictEqual(post.status, 405)
      assert.strictEqual(post.headers.allow, "GET, HEAD")
    }).pipe(Effect.provide(built))
  )

  it.live("is 404 where the page was not built", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ path: "/viewer" })).status, 404)
    }).pipe(Effect.provide(testServer({ viewerFolder: join(folder, "missing") })))
  )

  it.live("knows the workspace of a token in its address, whatever else is wrong with it", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const issued = yield* send({ path: "/api/v1/viewer-token", key, body: {} })
      const { token } = issued.json<{ token: string }>()
      assert.strictEqual(workspaceOf(`theme=dark&token=${token}`), workspace.id)
      for (const query of ["", "token=", "token=a.b.c", "token=%ff", `token=${token}&token=${token}`]) {
        assert.isNull(workspaceOf(query), query)
      }
    }).pipe(Effect.provide(built))
  )
})
