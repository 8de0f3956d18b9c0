/** Access that ends while the body of a request is on its way: the request counts no more. */
import { type ClientRequest, request as nodeRequest } from "node:http"
import { Access, Api, permissionFor } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { MemberManagement } from "@cairn/core/management"
import { SignIn } from "@cairn/core/people"
import { ApiKeys, ManagedWorkspaces, type Member, Members, roleAllows } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Result } from "effect"
import { Authenticator } from "../../src/http/gate/Authenticator.ts"
import { WorkspaceDirectory } from "../../src/http/gate/WorkspaceDirectory.ts"
import { ServerFront } from "../../src/http/plumbing/NodeServer.ts"
import { signedIn } from "./SignedIn.ts"
import { makeKey, makeTenant, makeWorkspace, send, TestServer, testServer } from "./TestServer.ts"

/** Every endpoint that a request with a body reaches: the contract gives it one, or it is no GET. */
const ROUTES = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .filter(({ path, method }) => path.startsWith("/api/v1/") && method !== "GET")
  .map(({ identifier, method, path, annotations, payload }) => ({
    method,
    body: payload.size > 0 ? '{"name":"late"}' : "{}",
    path: path.replace(/:\w+/g, "x"),
    permission: permissionFor(identifier),
    access: Context.get(annotations, Access)
  }))

/** Those that a key which is remembered is let in to without an Effect. */
const INGESTING = ROUTES.filter(({ path }) => /\/events(?:\/batch)?$/.test(path))

interface Held {
  readonly name: string
  readonly finish: Effect.Effect<{ readonly status: number; readonly text: string }>
}

/**
 * Sends a request as far as its body, and returns once the server waits for that: with `isAsked` it says so,
 * which it does only where an Effect handles the request.
 */
const hold = Effect.fnUntraced(function* (
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string },
  headers: Record<string, string>,
  isAsked = true
) {
  const { port } = yield* TestServer
  return yield* Effect.promise(
    () =>
      new Promise<Held>((resolve, reject) => {
        let answered: (answer: { readonly status: number; readonly text: string }) => void = () => {}
        const answer = new Promise<{ readonly status: number; readonly text: string }>((done) => {
          answered = done
        })
        const name = `${method} ${path}`
        const given = { "content-type": "application/json", "content-length": body.length }
        const sent: ClientRequest = nodeRequest(
          {
            host: "127.0.0.1",
            port,
            method,
            path,
            agent: false,
            headers: { ...headers, ...given, ...(isAsked ? { expect: "100-continue" } : {}) }
          },
          (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk: Buffer) => chunks.push(chunk))
            response.on("end", () => {
              const text = Buffer.concat(chunks).toString()
              answered({ status: response.statusCode ?? 0, text })
              reject(new Error(`${name} was answered at once: ${response.statusCode} ${text}`))
            })
          }
        )
        sent.on("error", reject)
        const goOn = () => {
          sent.write(body.slice(0, 1))
          resolve({
            name,
            finish: Effect.promise(() => {
              sent.end(body.slice(1))
              return answer
            })
          })
        }
        sent.once("continue", goOn)
        sent.flushHeaders()
        // What comes on another connection after the head is answered after the head was read.
        if (!isAsked)
          sent.once("socket", (socket) =>
            socket.once("connect", () => fetch(`http://127.0.0.1:${port}/healthz`).then(goOn, reject))
          )
      })
  )
})

/** What people change of a workspace, by the store. */
const stateOf = Effect.fnUntraced(function* (workspaceId: string) {
  const keys = yield* (yield* ApiKeys).list(workspaceId)
  return {
    keys: keys.map(({ id, revoked_at }) => ({ id, revoked_at })),
    workspace: yield* (yield* ManagedWorkspaces).get(workspaceId)
  }
})

const modifyMember = ({ workspace_id, id }: Member, change: (member: Member) => Member) =>
  Effect.flatMap(Members, ({ modify }) =>
    modify(workspace_id, id, (member) => Result.succeed(change(member)))
  )

const asKey = { id: "key_x", name: null, type: "api_key", address: null } as const

const shutOut = (workspaceId: string) =>
  Effect.gen(function* () {
    const now = yield* Micros.now
    yield* (yield* ManagedWorkspaces).update(workspaceId, { ip_allowlist: ["192.0.2.0/24"] }, now)
    ;(yield* WorkspaceDirectory).forget(workspaceId)
  })

type Person = Effect.Success<ReturnType<typeof signedIn>>

/** What ends a member's access. */
const ENDS = {
  "is removed": ({ member }: Person) =>
    Effect.flatMap(Members, ({ remove }) => remove(member.workspace_id, member.id)),
  "is lowered": ({ member }: Person) => modifyMember(member, (now) => ({ ...now, role: "member" })),
  "comes to an end": ({ member }: Person) =>
    Effect.flatMap(Micros.now, (now) => modifyMember(member, (before) => ({ ...before, expires_at: now }))),
  "signs out": ({ member }: Person) => Effect.flatMap(SignIn, ({ endAll }) => endAll(member.email, null)),
  "is signed out by an admin": ({ member }: Person) =>
    Effect.flatMap(MemberManagement, ({ endSessions }) => endSessions(asKey, member.workspace_id, member.id)),
  "is shut out by the allowlist": ({ member }: Person) => shutOut(member.workspace_id)
} as const

describe.concurrent("A request whose body is long on its way", () => {
  for (const [name, end] of Object.entries(ENDS)) {
    it.live(`changes nothing for a member who ${name} meanwhile, on every endpoint`, () =>
      Effect.gen(function* () {
        assert.isAtLeast(ROUTES.length, 35)
        const workspace = yield* makeWorkspace()
        const person = yield* signedIn(workspace.id, "owner")
        // The workspace has seen the session, and another owner remains.
        yield* send({ path: "/api/v1/usage", headers: person.headers })
        yield* signedIn(workspace.id, "owner")
        const isOfPerson = name === "signs out"
        const routes = ROUTES.filter(({ access }) => access !== "session" || isOfPerson)
        const held = yield* Effect.forEach(routes, (route) =>
          Effect.map(hold(route, person.headers), (request) => ({ ...request, route }))
        )
        yield* end(person)
        const before = yield* stateOf(workspace.id)
        for (const { name: request, finish, route } of held) {
          const { status, text } = yield* finish
          const may = route.permission !== null && roleAllows("member", route.permission)
          if (name === "is lowered" && may) continue
          assert.include([401, 403], status, `${request}: ${text}`)
        }
        assert.deepStrictEqual(yield* stateOf(workspace.id), before)
      }).pipe(Effect.provide(testServer()))
    )
  }

  for (const name of ["is revoked", "expires", "is shut out by the allowlist"] as const) {
    it.live(`changes nothing for a key that ${name} meanwhile, on every endpoint`, () =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const scopes = ["ingest", "read", "export", "viewer", "admin"] as const
        const expires_at = name === "expires" ? (yield* Micros.now) + 4 * Micros.SECOND : null
        const { key, stored } = yield* makeKey(workspace.id, scopes, { expires_at })
        const routes = ROUTES.filter(({ access }) => access !== "session")
        const held = yield* Effect.forEach(
          routes,
          (route) => hold(route, { authorization: `Bearer ${key}` }),
          { concurrency: 8 }
        )
        // The key and its workspace are in memory by now, so that these are taken without an Effect.
        const front = yield* ServerFront
        const { take } = front
        let taken = 0
        front.take = (request, response) => {
          const isTaken = take(request, response)
          if (isTaken) taken++
          return isTaken
        }
        const ingesting = yield* Effect.forEach(INGESTING, (route) =>
          hold(route, { authorization: `Bearer ${key}` }, false)
        )
        // PostgreSQL's inbox needs an Effect.
        if (process.env.CAIRN_TEST_STORAGE !== "postgres") assert.strictEqual(taken, INGESTING.length)
        if (name === "is revoked") {
          yield* (yield* ApiKeys).revoke(workspace.id, stored.id, yield* Micros.now)
          ;(yield* Authenticator).forget(stored.id)
        } else if (name === "is shut out by the allowlist") yield* shutOut(workspace.id)
        // A key is looked at again where the body took longer than what may be remembered of keys.
        yield* Effect.sleep(expires_at === null ? "300 millis" : "4 seconds")
        const before = yield* stateOf(workspace.id)
        for (const { name: request, finish } of [...held, ...ingesting]) {
          const { status, text } = yield* finish
          assert.include([401, 403], status, `${request}: ${text}`)
        }
        assert.deepStrictEqual(yield* stateOf(workspace.id), before)
      }).pipe(Effect.provide(testServer()))
    )
  }
})
