/** A server that is reached through a proxy, by which it knows its clients' addresses. */
import { createServer } from "node:net"
import { type Server, type ServerOptions, startServer } from "./CairnProcess.ts"

/** A port on which nobody listens. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })

/** Where people reach it, beyond the proxy. */
const BASE_URL = "https://audit.example.com"

/**
 * Starts a server whose proxy is whoever asks it; its `baseUrl` is where the proxy does. Each browser of a
 * trial can have an address of its own: all of them together would be too many for one network.
 */
export const startProxiedServer = async ({ variables, ...options }: ServerOptions): Promise<Server> => {
  const port = await freePort()
  const server = await startServer({
    ...options,
    variables: {
      CAIRN_PORT: String(port),
      CAIRN_BASE_URL: BASE_URL,
      CAIRN_TRUSTED_PROXIES: "127.0.0.1",
      ...variables
    }
  })
  return { ...server, baseUrl: `http://127.0.0.1:${port}` }
}
