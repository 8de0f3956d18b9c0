/** Checks of where the service listens, and of the address that clients reach it at. */
import { isIP } from "node:net"
import { Effect } from "effect"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, fault, warning } from "../Check.ts"
import { listenerAt } from "../Listener.ts"
import { Skipped } from "../Skipped.ts"

const needs = [SETTINGS.host.name, SETTINGS.port.name]

/** Whether a name means all addresses of the machine. */
const isAny = (host: string): boolean => host === "0.0.0.0" || host === "::"

const port: Check = {
  id: "port",
  title: "Port",
  looks: "Whether another program has the port: a server cannot start then",
  needs,
  run: ({ settings: { host, port: number } }) =>
    Effect.gen(function* () {
      if (number === 0) return yield* new Skipped({ reason: "CAIRN_PORT is 0, which takes a free one" })
      const found = yield* listenerAt(host, number)
      return found === "another"
        ? [
            fault(
              `the port ${number} is taken by a program that is not Cairn`,
              `stop it (ss -ltnp 'sport = :${number}' names it), or set CAIRN_PORT to another`
            )
          ]
        : []
    })
}

const metricsPort: Check = {
  id: "metrics-port",
  title: "Port of metrics",
  looks: "Whether another program has the port of `CAIRN_METRICS_PORT`, or the service itself has it",
  needs: [...needs, SETTINGS.metricsHost.name, SETTINGS.metricsPort.name],
  run: ({ settings: { metrics, host, port: own } }) =>
    Effect.gen(function* () {
      if (metrics.port === null || metrics.port === 0)
        return yield* new Skipped({ reason: "CAIRN_METRICS_PORT names none" })
      if (metrics.port === own && (metrics.host === host || isAny(metrics.host) || isAny(host)))
        return [
          fault(
            `CAIRN_METRICS_PORT and CAIRN_PORT are both ${own}: a server cannot start`,
            "set CAIRN_METRICS_PORT to another port"
          )
        ]
      const found = yield* listenerAt(metrics.host, metrics.port, "/metrics")
      return found === "another"
        ? [
            fault(
              `the port ${metrics.port} of metrics is taken by a program that is not Cairn`,
              `stop it (ss -ltnp 'sport = :${metrics.port}' names it), or set CAIRN_METRICS_PORT to another`
            )
          ]
        : []
    })
}

const isOnMachine = (hostname: string): boolean =>
  hostname === "localhost" || hostname.endsWith(".localhost") || /^127\.|^\[::1\]$/.test(hostname)

const LIMIT_MILLIS = 5_000

/** Whether what answers there answers as Cairn does. */
const leadsToCairn = (baseUrl: string) =>
  Effect.tryPromise(async (signal) => {
    const answer = await fetch(`${baseUrl}/healthz`, {
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MILLIS)])
    })
    const text = await answer.text()
    return answer.status === 200 && /^\{"status":"ok"\}/.test(text)
  })

const baseUrl: Check = {
  id: "base-url",
  title: "Address of the service",
  looks: "Whether `CAIRN_BASE_URL` is not https, or does not lead to a server while one listens here",
  needs: [...needs, SETTINGS.baseUrl.name],
  run: ({ settings: { host, port: number, baseUrl: url } }) =>
    Effect.gen(function* () {
      if (url === "") return yield* new Skipped({ reason: "CAIRN_BASE_URL is not set" })
      const { protocol, hostname } = new URL(url)
      const open =
        protocol === "http:" && !isOnMachine(hostname)
          ? [
              warning(
                "CAIRN_BASE_URL is not https: keys and sessions travel unencrypted, and nobody can sign in",
                "put a proxy with TLS in front (docs/Install.md), and set CAIRN_BASE_URL to https://…"
              )
            ]
          : []
      if (number === 0 || (yield* listenerAt(host, number)) !== "cairn") return open
      const leads = yield* Effect.orElseSucceed(leadsToCairn(url), () => false)
      return leads
        ? open
        : [
            ...open,
            fault(
              "a server listens here, and CAIRN_BASE_URL does not lead to it",
              "correct CAIRN_BASE_URL, or the proxy and the name that it stands for (curl $CAIRN_BASE_URL/healthz)"
            )
          ]
    })
}

const proxies: Check = {
  id: "trusted-proxies",
  title: "Trusted proxies",
  looks:
    "Whether everybody is believed to be a proxy, or nobody though one must be in front of an https address",
  needs: [SETTINGS.baseUrl.name, SETTINGS.trustedProxies.name],
  run: ({ settings: { baseUrl: url, trustedProxies }, environment }) => {
    const texts = environment[SETTINGS.trustedProxies.name] ?? ""
    if (texts.split(",").some((text) => /\/0$/.test(text.trim())))
      return Effect.succeed([
        warning(
          "every address is believed to be a proxy: a client can claim any address",
          "set CAIRN_TRUSTED_PROXIES to the addresses of the proxies alone"
        )
      ])
    return Effect.succeed(
      url.startsWith("https://") && trustedProxies.length === 0 && isIP(new URL(url).hostname) === 0
        ? [
            warning(
              "no proxy is trusted, though one must be in front of an https address: all clients count as the proxy",
              "set CAIRN_TRUSTED_PROXIES to the address of the proxy, as the server sees it"
            )
          ]
        : []
    )
  }
}

/** Checks of addresses. */
export const ADDRESS_CHECKS: ReadonlyArray<Check> = [port, metricsPort, baseUrl, proxies]
