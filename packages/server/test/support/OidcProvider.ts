/**
 * A real provider of OpenID Connect, which people sign in to without a browser, and in front of it a proxy by
 * which a test changes what it answers.
 */
import {
  createServer,
  type IncomingMessage,
  request as nodeRequest,
  type RequestListener,
  type Server,
  type ServerResponse
} from "node:http"
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import Provider from "oidc-provider"

/** Somebody who has an account. Claims that are left out are not told. */
export interface OidcAccount {
  readonly sub: string
  readonly email?: unknown
  readonly email_verified?: unknown
  readonly name?: unknown
  readonly groups?: unknown
}

/** How a provider is set up. */
export interface OidcProviderOptions {
  readonly accounts: ReadonlyArray<OidcAccount>
  /** `cairn` unless set. */
  readonly clientId?: string
  /** Null for a public client; `hunter2` and more unless set. */
  readonly clientSecret?: string | null
  /** Where people may be sent back to; unless set, to the service on any port of this machine. */
  readonly redirectUris?: ReadonlyArray<string>
  /** Whether the ID token says all, or the userinfo does. */
  readonly claimsIn?: "id_token" | "userinfo"
}

/** What a provider is asked for. */
export type OidcPart = "metadata" | "keys" | "token" | "userinfo"

type Json = Readonly<Record<string, unknown>>

/** What the proxy does with requests for a part. */
export type Meddling =
  /** Changes the answer, and its status if there is another. */
  | { readonly change: (answer: Json) => Json | Promise<Json>; readonly status?: number }
  /** Takes the request and never answers. */
  | "hang"
  /** Answers with 5 MB of JSON. */
  | "large"
  /** Sends the client to the same place of another host. */
  | { readonly redirectTo: string }
  /** Closes the connection. */
  | "reset"

/** The client's secret unless a test sets one. */
export const CLIENT_SECRET = "hunter2-hunter2-hunter2-hunter2-hunter2"

const PARTS: Readonly<Record<string, OidcPart>> = {
  "/.well-known/openid-configuration": "metadata",
  "/jwks": "keys",
  "/token": "token",
  "/me": "userinfo"
}

const CALLBACKS = ["http://127.0.0.1/sign-in/oidc/callback", "http://localhost/sign-in/oidc/callback"]

const LARGE = 5_000_000
const TTL = 600

/** What one provider keeps, apart from every other's: the library's own memory is one for all. */
const memory = () => {
  const stored = new Map<string, Record<string, unknown>>()
  return (kind: string) => {
    const of = async (id: string) => stored.get(`${kind} ${id}`)
    const all = () => [...stored].filter(([key]) => key.startsWith(`${kind} `))
    return {
      find: of,
      findByUid: async (uid: string) => all().find(([, { uid: known }]) => known === uid)?.[1],
      findByUserCode: async () => undefined,
      upsert: async (id: string, payload: Record<string, unknown>) => {
        stored.set(`${kind} ${id}`, payload)
      },
      consume: async (id: string) => {
        Object.assign((await of(id)) ?? {}, { consumed: Math.floor(Date.now() / 1_000) })
      },
      destroy: async (id: string) => {
        stored.delete(`${kind} ${id}`)
      },
      revokeByGrantId: async (grantId: string) => {
        for (const [key, { grantId: known }] of all()) if (known === grantId) stored.delete(key)
      }
    }
  }
}

const listen = (
  listener: RequestListener,
  port = 0
): Promise<{ readonly server: Server; readonly port: number }> =>
  new Promise((resolve) => {
    const server = createServer(listener)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve({ server, port: typeof address === "object" && address !== null ? address.port : 0 })
    })
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Gives a request to the provider behind the proxy. */
const forward = (port: number, request: IncomingMessage): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, url, headers } = request
    const sent = nodeRequest({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, resolve)
    sent.on("error", reject)
    request.pipe(sent)
  })

const answerWith = async (
  meddling: Exclude<Meddling, "hang"> | undefined,
  inner: number,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  if (meddling === "reset") return void request.socket.destroy()
  if (meddling === "large") {
    response.writeHead(200, { "content-type": "application/json" })
    return void response.end(JSON.stringify({ padding: "x".repeat(LARGE) }))
  }
  if (meddling !== undefined && "redirectTo" in meddling) {
    return void response.writeHead(307, { location: meddling.redirectTo }).end()
  }
  const answer = await forward(inner, request)
  const body = await bodyOf(answer)
  const { statusCode = 500, headers } = answer
  if (meddling === undefined) return void response.writeHead(statusCode, headers).end(body)
  const changed = JSON.stringify(await meddling.change(JSON.parse(body.toString())))
  const { "content-length": _, ...rest } = headers
  response.writeHead(meddling.status ?? statusCode, rest).end(changed)
}

const providerAt = (issuer: string, options: OidcProviderOptions, key: Json) => {
  const { clientId = "cairn", clientSecret = CLIENT_SECRET, accounts, claimsIn = "id_token" } = options
  const known = new Map(accounts.map((account) => [account.sub, account]))
  return new Provider(issuer, {
    adapter: memory(),
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    clients: [
      {
        client_id: clientId,
        ...(clientSecret === null ? {} : { client_secret: clientSecret }),
        token_endpoint_auth_method: clientSecret === null ? "none" : "client_secret_basic",
        redirect_uris: options.redirectUris ?? CALLBACKS,
        // Such a client may come back to any port (RFC 8252 section 7.3), which tests do not know beforehand.
        application_type: options.redirectUris === undefined ? "native" : "web"
      }
    ],
    conformIdTokenClaims: claimsIn === "userinfo",
    cookies: { keys: ["a key for the provider's own cookies"] },
    features: { devInteractions: { enabled: false } },
    findAccount: async (_, id) => {
      const account = known.get(id)
      return account && { accountId: id, claims: async () => ({ ...account }) }
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [key] },
    loadExistingGrant: async ({ oidc: { client, session, provider } }) => {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope("openid email profile")
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    ttl: {
      AccessToken: TTL,
      AuthorizationCode: TTL,
      Grant: TTL,
      IdToken: TTL,
      Interaction: TTL,
      Session: TTL
    }
  })
}

/** What a browser keeps for the provider. */
class CookieJar {
  readonly #cookies = new Map<string, string>()

  take(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";")
      const at = pair.indexOf("=")
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }

  get header(): string {
    return Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join("; ")
  }
}

/**
 * Follows the provider's redirects until it sends the browser away; gives the address that it sends it to.
 */
const walk = async (issuer: string, url: string, choice: string): Promise<string> => {
  const jar = new CookieJar()
  let next = url
  for (let steps = 0; steps < 10; steps++) {
    const response = await fetch(next, { redirect: "manual", headers: { cookie: jar.header } })
    jar.take(response)
    const location = response.headers.get("location")
    if (location === null) throw new Error(`${next} answers ${response.status} ${await response.text()}`)
    const target = new URL(location, next)
    if (target.origin !== issuer) return target.href
    if (target.pathname.startsWith("/interaction/")) target.search = choice
    next = target.href
  }
  throw new Error("the provider sends the browser around for ever")
}

/** A provider that runs. */
export interface OidcProvider {
  readonly issuer: string
  /**
   * Signs in as an account on the page that a service has sent the browser to; gives the callback's address.
   */
  readonly signIn: (url: string, sub: string) => Promise<string>
  /** Says no on that page; gives the callback's address. */
  readonly deny: (url: string) => Promise<string>
  /** Changes what is answered from now on. */
  readonly meddle: (part: OidcPart, meddling: Meddling) => void
  /** Ends all that was changed. */
  readonly behave: () => void
  /** How many requests wait for an answer that never comes. */
  readonly hanging: () => number
  /**
   * How the last request for a part proved who sent it: `Basic` or another scheme; undefined for not at all.
   */
  readonly lastScheme: (part: OidcPart) => string | undefined
  /** How often a part was asked for. */
  readonly asked: (part: OidcPart) => number
  /** Signs with the provider's own key. */
  readonly sign: (claims: JWTPayload) => Promise<string>
  /** The public key that everybody knows, as JSON. */
  readonly publicKey: string
  /** Stops listening, and listens again on the same port. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a provider on a port of its own; whoever asks for it closes it. */
export const startOidcProvider = async (options: OidcProviderOptions): Promise<OidcProvider> => {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true })
  const key = { kid: "provider-key", use: "sig", alg: "RS256" }
  const meddlings = new Map<OidcPart, Meddling>()
  const counts = new Map<OidcPart, number>()
  const schemes = new Map<OidcPart, string | undefined>()
  const hanging = new Set<ServerResponse>()

  const front: RequestListener = (request, response) => {
    const part = PARTS[new URL(request.url ?? "", "http://localhost").pathname]
    if (part !== undefined) {
      counts.set(part, (counts.get(part) ?? 0) + 1)
      schemes.set(part, request.headers.authorization?.split(" ")[0])
    }
    const meddling = part === undefined ? undefined : meddlings.get(part)
    if (meddling === "hang") {
      hanging.add(response)
      return void response.on("close", () => hanging.delete(response))
    }
    answerWith(meddling, inner.port, request, response).catch(() => response.destroy())
  }
  let outer = await listen(front)
  const { port } = outer
  const issuer = `http://127.0.0.1:${port}`

  const provider = providerAt(issuer, options, { ...(await exportJWK(privateKey)), ...key })
  const handle = provider.callback()
  const inner = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", issuer)
    if (!pathname.startsWith("/interaction/")) return void handle(request, response)
    const sub = searchParams.get("sub")
    const result = sub === null ? { error: "access_denied" } : { login: { accountId: sub }, consent: {} }
    void provider.interactionFinished(request, response, result)
  })

  return {
    issuer,
    signIn: (url, sub) => walk(issuer, url, new URLSearchParams({ sub }).toString()),
    deny: (url) => walk(issuer, url, ""),
    meddle: (part, meddling) => void meddlings.set(part, meddling),
    behave: () => meddlings.clear(),
    hanging: () => hanging.size,
    lastScheme: (part) => schemes.get(part),
    asked: (part) => counts.get(part) ?? 0,
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid }).sign(privateKey),
    publicKey: JSON.stringify(await exportJWK(publicKey)),
    down: () => close(outer.server),
    up: async () => {
      outer = await listen(front, port)
    },
    close: async () => {
      await close(outer.server)
      await close(inner.server)
    }
  }
}
