import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedderOf, workspaceOf } from "../../src/http/endpoints/ViewerPage.ts"
import { breakableStorage, setBroken } from "./BreakableStorage.ts"
import { storage } from "./Storage.ts"
import {
  FRAME_ANCESTORS,
  makeKey,
  makeTenant,
  type Received,
  send,
  testServer,
  testServerOver
} from "./TestServer.ts"

/** A built page, as far as the server can tell. */
const folder = mkdtempSync(join(tmpdir(), "cairn-viewer-"))
mkdirSync(join(folder, "assets"))
writeFileSync(join(folder, "index.html"), "<!doctype html><title>Audit log</title>")
writeFileSync(join(folder, "refused.html"), "<!doctype html><title>Refused</title>")
writeFileSync(join(folder, "element.js"), "2")
writeFileSync(join(folder, "element.js.br"), "the element as the build compressed it")
writeFileSync(join(folder, "assets", "index-1.js"), "1")
writeFileSync(join(folder, "assets", "index-1.js.br"), "as the build compressed it")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const built = testServer({ viewerFolder: folder })

const policyOf = ({ headers }: Received) => String(headers["content-security-policy"]).split("; ")

const framedBy = (page: Received) =>
  policyOf(page).find((directive) => directive.startsWith("frame-ancestors"))

/** The page at the address that a token opens, and at the one that it has after a reload. */
const open = Effect.fnUntraced(function* (key: string, workspaceId: string) {
  const issued = yield* send({ path: "/api/v1/viewer-token", key, body: {} })
  const { token } = issued.json<{ token: string }>()
  const pages = [`token=${token}`, `workspace=${workspaceId}`].map((query) =>
    send({ path: `/viewer?theme=dark&${query}` })
  )
  return (yield* Effect.all(pages)).map(framedBy)
})

const SERVICE = `frame-ancestors ${FRAME_ANCESTORS.join(" ")}`

describe("Who may embed /viewer", () => {
  const patch = (key: string, viewer_frame_ancestors: ReadonlyArray<string> | null) =>
    send({ path: "/api/v1/workspace", method: "PATCH", key, body: { viewer_frame_ancestors } })

  it.live(
    "is what the workspace says, from the next request on, and what the service says without that",
    () =>
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        const other = yield* makeTenant()
        assert.deepStrictEqual(yield* open(key, workspace.id), [SERVICE, SERVICE])
        for (const [ancestors, directive] of [
          [
            ["https://a.example", "https://*.b.example:8443"],
            "frame-ancestors https://a.example https://*.b.example:8443"
          ],
          [[], "frame-ancestors 'none'"],
          [null, SERVICE]
        ] as const) {
          const changed = yield* patch(key, ancestors)
          assert.strictEqual(changed.status, 200, changed.text)
          assert.deepStrictEqual(
            changed.json<{ data: { viewer_frame_ancestors: unknown } }>().data.viewer_frame_ancestors,
            ancestors
          )
          assert.deepStrictEqual(yield* open(key, workspace.id), [directive, directive])
          assert.deepStrictEqual(yield* open(other.key, other.workspace.id), [SERVICE, SERVICE])
        }
      }).pipe(Effect.provide(built))
  )

  it.live("is also a page of the service, where the browser says that one asks for a frame", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const ask = (headers: Record<string, string>) =>
        send({ path: `/viewer?workspace=${workspace.id}`, headers })
      const frame = { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" }
      const own = yield* ask(frame)
      assert.strictEqual(framedBy(own), `${SERVICE} 'self'`)
      assert.include(String(own.headers.vary).split(", "), "sec-fetch-dest")
      assert.include(String(own.headers.vary).split(", "), "sec-fetch-site")
      for (const headers of [
        {},
        { ...frame, "sec-fetch-site": "same-site" },
        { ...frame, "sec-fetch-site": "cross-site" },
        { ...frame, "sec-fetch-site": "none" },
        { ...frame, "sec-fetch-dest": "document" },
        { "sec-fetch-dest": "iframe" },
        { "sec-fetch-site": "same-origin" }
      ]) {
        assert.strictEqual(framedBy(yield* ask(headers)), SERVICE, JSON.stringify(headers))
      }
      yield* patch(key, [])
      assert.strictEqual(framedBy(yield* ask(frame)), "frame-ancestors 'self'")
      assert.strictEqual(framedBy(yield* ask({})), "frame-ancestors 'none'")
      const script = yield* send({ path: "/viewer/assets/index-1.js", headers: frame })
      assert.strictEqual(framedBy(script), "frame-ancestors 'none'")
    }).pipe(Effect.provide(built))
  )

  it.live("is for the scope admin to say", () =>
    Effect.gen(function* () {
      const { workspace, key: admin } = yield* makeTenant()
      const { key } = yield* makeKey(workspace.id)
      assert.strictEqual((yield* patch(key, ["https://a.example"])).status, 403)
      assert.deepStrictEqual(yield* open(admin, workspace.id), [SERVICE, SERVICE])
    }).pipe(Effect.provide(built))
  )

  it.live("is what the service says for a workspace that there is not, and for no page but the first", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* patch(key, [])
      for (const query of ["", "?workspace=wsp_00000000-0000-4000-8000-000000000000", "?workspace=x"]) {
        assert.strictEqual(framedBy(yield* send({ path: `/viewer${query}` })), SERVICE)
      }
      const script = yield* send({ path: "/viewer/assets/index-1.js" })
      assert.strictEqual(framedBy(script), "frame-ancestors 'none'")
    }).pipe(Effect.provide(built))
  )

  it.live(
    "is not guessed while it cannot be read: the page is 503, and is there for nobody's workspace",
    () =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        yield* setBroken(true)
        const page = yield* send({ path: `/viewer?workspace=${workspace.id}` })
        assert.strictEqual(page.status, 503)
        assert.isString(page.headers["retry-after"])
        assert.strictEqual((yield* send({ path: "/viewer" })).status, 200)
      }).pipe(
        Effect.provide(
          testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())), { viewerFolder: folder })
        )
      )
  )
})

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
      const policy = policyOf(page)
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
      const packed = yield* send({
        path: "/viewer/assets/index-1.js",
        headers: { "accept-encoding": "gzip, deflate, br, zstd" }
      })
      assert.strictEqual(packed.text, "as the build compressed it")
      assert.strictEqual(packed.headers["content-encoding"], "br")
      assert.strictEqual(packed.headers.vary, "accept-encoding")
      const { etag = "" } = packed.headers
      assert.notStrictEqual(etag, script.headers.etag)
      const known = yield* send({
        path: "/viewer/assets/index-1.js",
        headers: { "accept-encoding": "br", "if-none-match": etag }
      })
      assert.strictEqual(known.status, 304)
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
      assert.strictEqual(workspaceOf(`workspace=${workspace.id}&theme=dark`), workspace.id)
      const other = "wsp_00000000-0000-4000-8000-000000000000"
      assert.strictEqual(workspaceOf(`workspace=${other}&token=${token}`), workspace.id)
      for (const query of [
        "",
        "token=",
        "token=a.b.c",
        "token=%ff",
        `token=${token}&token=${token}`,
        `token=a.b.c&workspace=${other}`,
        "workspace=wsp_1",
        `workspace=${other}%00`
      ]) {
        assert.isNull(workspaceOf(query), query)
      }
    }).pipe(Effect.provide(built))
  )
})

describe("/viewer where it may not be embedded", () => {
  const ALLOWED = "https://app.example"
  /** A workspace that lets pages of one origin embed its viewer, and how to ask for the page. */
  const setUp = Effect.fnUntraced(function* (ancestors: ReadonlyArray<string> = [ALLOWED]) {
    const { workspace, key } = yield* makeTenant()
    const body = { viewer_frame_ancestors: ancestors }
    yield* send({ path: "/api/v1/workspace", method: "PATCH", key, body })
    return (query: Record<string, string>, headers: Record<string, string> = {}) =>
      send({ path: `/viewer?${new URLSearchParams({ workspace: workspace.id, ...query })}`, headers })
  })
  const isRefusal = ({ status, text }: Received) => status === 403 && text.includes("<title>Refused</title>")

  it.live("is a page that anybody may embed, and that holds nothing", () =>
    Effect.gen(function* () {
      const ask = yield* setUp()
      const refused = yield* ask({ origin: "https://other.example", token: "a.secret.token" })
      assert.isTrue(isRefusal(refused), refused.text)
      assert.isUndefined(framedBy(refused))
      assert.include(policyOf(refused), "default-src 'none'")
      assert.include(policyOf(refused), "trusted-types 'none'")
      assert.strictEqual(refused.headers["cache-control"], "no-store")
      assert.isUndefined(refused.headers["access-control-allow-origin"])
      assert.notInclude(refused.text, "secret")
      assert.notInclude(refused.text, ALLOWED)
      assert.include(String(refused.headers.vary).split(", "), "referer")
    }).pipe(Effect.provide(built))
  )

  it.live("is the page with the log, under its policy, where the origin may embed it", () =>
    Effect.gen(function* () {
      const ask = yield* setUp([ALLOWED, "https://*.b.example", "http:"])
      for (const origin of [ALLOWED, "https://x.b.example", "http://anything.example:8080"]) {
        const page = yield* ask({ origin })
        assert.strictEqual(page.status, 200, origin)
        assert.strictEqual(framedBy(page), `frame-ancestors ${ALLOWED} https://*.b.example http:`)
      }
    }).pipe(Effect.provide(built))
  )

  it.live("is known by what the browser says of a frame, where the address does not say it", () =>
    Effect.gen(function* () {
      const ask = yield* setUp()
      const from = (referer: string, dest = "iframe") => ask({}, { "sec-fetch-dest": dest, referer })
      assert.isTrue(isRefusal(yield* from("https://other.example/")))
      assert.isTrue(isRefusal(yield* from("https://other.example/", "embed")))
      assert.strictEqual((yield* from("https://other.example/", "document")).status, 200)
      assert.strictEqual((yield* from(`${ALLOWED}/`)).status, 200)
      assert.strictEqual((yield* from("nonsense")).status, 200)
    }).pipe(Effect.provide(built))
  )

  it.live("is not guessed: what is no origin of the web is left to the browser and the policy", () =>
    Effect.gen(function* () {
      const ask = yield* setUp()
      for (const origin of ["null", "capacitor://localhost", "x", ""]) {
        const page = yield* ask({ origin })
        assert.strictEqual(page.status, 200, origin)
        assert.strictEqual(framedBy(page), `frame-ancestors ${ALLOWED}`)
      }
    }).pipe(Effect.provide(built))
  )

  it.live("is never said to a page of the service itself", () =>
    Effect.gen(function* () {
      const ask = yield* setUp([])
      const own = { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" }
      assert.strictEqual((yield* ask({ origin: "https://other.example" }, own)).status, 200)
    }).pipe(Effect.provide(built))
  )

  it.live("has no address of its own", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ path: "/viewer/refused.html" })).status, 404)
    }).pipe(Effect.provide(built))
  )

  it("knows who embeds the page, unless it is the service or nobody says", () => {
    const frame = { "sec-fetch-dest": "iframe", host: "cairn.example" } as const
    const at = (query: string, referer?: string) =>
      embedderOf(query, referer === undefined ? frame : { ...frame, referer }, "https://cairn.example")
    assert.strictEqual(at("origin=https%3A%2F%2Fa.example"), "https://a.example")
    assert.strictEqual(at("", "https://a.example:8443/page?x"), "https://a.example:8443")
    assert.strictEqual(at("origin=https%3A%2F%2Fa.example", "https://b.example/"), "https://a.example")
    assert.isUndefined(at("origin=https%3A%2F%2Fcairn.example"))
    assert.isUndefined(at("", "https://cairn.example/w"))
    assert.isUndefined(at(""))
    assert.isUndefined(at("origin=a&origin=b"))
    assert.isUndefined(at(`origin=${"a".repeat(400)}`))
  })
})

describe("/viewer/element.js", () => {
  const path = "/viewer/element.js"

  it.live("is a script for pages of every origin, also where those are isolated", () =>
    Effect.gen(function* () {
      const script = yield* send({ path, headers: { origin: "https://a.example" } })
      assert.strictEqual(script.status, 200)
      assert.strictEqual(script.text, "2")
      assert.strictEqual(script.headers["content-type"], "text/javascript; charset=utf-8")
      assert.strictEqual(script.headers["access-control-allow-origin"], "*")
      assert.strictEqual(script.headers["cross-origin-resource-policy"], "cross-origin")
      assert.strictEqual(framedBy(script), "frame-ancestors 'none'")
    }).pipe(Effect.provide(built))
  )

  it.live("is kept for an hour, and then by its tag: its name stays when it changes", () =>
    Effect.gen(function* () {
      const script = yield* send({ path, headers: { "accept-encoding": "br" } })
      assert.strictEqual(script.text, "the element as the build compressed it")
      assert.strictEqual(
        script.headers["cache-control"],
        "public, max-age=3600, stale-while-revalidate=86400"
      )
      const { etag = "" } = script.headers
      assert.match(etag, /"[0-9a-f]{16}/)
      const again = yield* send({ path, headers: { "accept-encoding": "br", "if-none-match": etag } })
      assert.strictEqual(again.status, 304)
      assert.strictEqual(again.headers["access-control-allow-origin"], "*")
    }).pipe(Effect.provide(built))
  )
})
