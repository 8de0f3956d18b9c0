/**
 * A Chromium as people have one, a proxy with TLS before a server, and the pages of somebody else. Unlike the
 * browser of `@cairn/testing`, which knows two names alone, it reaches this machine by its own names.
 */

import { accessSync, constants } from "node:fs"
import { createServer, request } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { delimiter, join } from "node:path"
import { PATIENCE } from "@cairn/testing/Chromium"
import { afterAll } from "@effect/vitest"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { certificate } from "../../../delivery/test/peers/Certificates.ts"
import { freePort } from "./ProxiedServer.ts"

/** A name of this machine that browsers do not trust without TLS, and one of another site. */
export const PLAIN_NAME = "cairn.example.test"
export const FOREIGN_NAME = "elsewhere.example"

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const RULES = [
  ...[PLAIN_NAME, FOREIGN_NAME].map((name) => `MAP ${name} 127.0.0.1`),
  "EXCLUDE localhost",
  "EXCLUDE 127.0.0.1",
  "MAP * ~NOTFOUND"
].join(",")

/** Starts Chromium, which ends after the tests of the file that asks for it. */
export const launchPeopleBrowser = async (): Promise<Browser> => {
  const executablePath = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "chromium"))
    .find(isExecutable)
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    // Pages that are left are kept and shown again, as people's browsers do.
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
    args: ["--no-sandbox", `--host-resolver-rules=${RULES}`]
  })
  afterAll(() => browser.close())
  return browser
}

/** A person at a browser of its own: cookies and pages are shared with nobody. */
export const newPerson = async (
  browser: Browser,
  options: { readonly javaScriptEnabled?: boolean } = {}
): Promise<{ readonly context: BrowserContext; readonly page: Page }> => {
  const context = await browser.newContext({ locale: "en-GB", ignoreHTTPSErrors: true, ...options })
  context.setDefaultTimeout(PATIENCE)
  return { context, page: await context.newPage() }
}

const listening = async (server: ReturnType<typeof createServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A proxy that ends TLS. */
export interface TlsProxy {
  /** Where people reach it. */
  readonly origin: string
  /** Where it passes requests on to: the server has to listen there. */
  readonly variables: Record<string, string>
}

/** Starts a proxy for `https://localhost`, with a certificate that nobody has signed whom a browser knows. */
export const startTlsProxy = async (): Promise<TlsProxy> => {
  const serverPort = await freePort()
  const server = createSecureServer(certificate(["localhost"]), (incoming, outgoing) => {
    const { method, url = "/", headers, socket } = incoming
    const passed = request(
      new URL(url, `http://127.0.0.1:${serverPort}`),
      { method, headers: { ...headers, "x-forwarded-for": socket.remoteAddress } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(outgoing)
      }
    )
    passed.on("error", () => outgoing.destroy())
    incoming.pipe(passed)
  })
  const port = await listening(server)
  const origin = `https://localhost:${port}`
  return {
    origin,
    variables: {
      CAIRN_PORT: String(serverPort),
      CAIRN_BASE_URL: origin,
      CAIRN_TRUSTED_PROXIES: "127.0.0.1"
    }
  }
}

/** Starts a server with an empty page of somebody else, at every path; gives its port. */
export const startForeignPages = (tls: boolean): Promise<number> => {
  const answer: Parameters<typeof createServer>[1] = (_, response) => {
    response
      .writeHead(200, { "content-type": "text/html" })
      .end('<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>')
  }
  return listening(tls ? createSecureServer(certificate(["localhost"]), answer) : createServer(answer))
}
