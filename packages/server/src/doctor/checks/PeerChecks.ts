/** Checks of the services that the operator has configured: reached as the server does, and sent nothing. */

import { ExportStore } from "@cairn/core/export"
import { checkMailServer } from "@cairn/delivery"
import { databaseAge } from "@cairn/geo"
import { Effect, Layer, Result } from "effect"
import { errorText } from "../../command/ErrorText.ts"
import { OpenIdConnect } from "../../http/signin/OpenIdConnect.ts"
import { chainAdapter } from "../../layers/Anchoring.ts"
import { layerExportStore } from "../../layers/ExportStore.ts"
import { layerTokenSigner } from "../../secret/JoseTokens.ts"
import type { ExportStoreSettings } from "../../settings/ExportSettings.ts"
import { serviceAddress } from "../../settings/ServiceAddress.ts"
import { SETTINGS } from "../../settings/Settings.ts"
import type { TelemetrySettings } from "../../settings/TelemetrySettings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import { notInTime, within } from "../Deadline.ts"
import type { Patient } from "../Patient.ts"
import { Skipped } from "../Skipped.ts"

const mailRemedy = (reason: string): string => {
  if (/auth|535|credential|login/i.test(reason)) return "correct user and password in CAIRN_SMTP_URL"
  if (/tls|ssl|certificate|self.signed|altname/i.test(reason))
    return "correct the scheme and the port in CAIRN_SMTP_URL (smtps:// for TLS from the first byte), or the certificate of the mail server"
  return "correct host and port in CAIRN_SMTP_URL, start the mail server, or open the way to it"
}

const mail: Check = {
  id: "mail-server",
  title: "Mail server",
  looks: "Whether it can be reached, with TLS and login as for a mail; none is sent",
  needs: [SETTINGS.smtpUrl.name],
  run: ({ settings: { outbound }, limits: { peer } }) =>
    Effect.gen(function* () {
      if (outbound.mail === null) return yield* new Skipped({ reason: "CAIRN_SMTP_URL is not set" })
      const found = yield* Effect.result(
        checkMailServer({ ...outbound.mail, timeout: peer }).pipe(within(peer, notInTime))
      )
      if (Result.isSuccess(found)) return []
      const reason = found.failure.message
      return [fault(`the mail server refuses, or cannot be reached: ${reason}`, mailRemedy(reason))]
    })
}

/** Where nothing lies: a list of it asks for the bucket, the key and the right to list. */
const NOWHERE = "cairn-doctor"

const storeRemedy = (variable: string, reason: string): string => {
  if (/NoSuchBucket|404/.test(reason)) return `make the bucket, or correct its name in ${variable}`
  if (/InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied|403|401/.test(reason))
    return `correct key and secret in ${variable}, and let them list, read, write and remove in the bucket`
  if (/301|307|AuthorizationHeaderMalformed|redirect/i.test(reason))
    return `correct ?region= and &endpoint= in ${variable}`
  return `correct &endpoint= in ${variable}, start the store, or open the way to it`
}

const ofStore = (
  id: string,
  title: string,
  { name }: { readonly name: string },
  storeOf: (patient: Patient) => ExportStoreSettings | null
): Check => ({
  id,
  title,
  looks: `Whether the bucket of \`${name}\` can be listed with its key; folders are looked at by \`folders\``,
  needs: [name],
  run: (patient) =>
    Effect.gen(function* () {
      const store = storeOf(patient)
      if (store?.kind !== "s3") return yield* new Skipped({ reason: `${name} names no S3 store` })
      const found = yield* Effect.flatMap(ExportStore, ({ list }) => list(NOWHERE)).pipe(
        Effect.provide(layerExportStore(store)),
        within(patient.limits.peer, notInTime),
        Effect.result
      )
      if (Result.isSuccess(found)) return []
      const reason = errorText(found.failure)
      return [fault(`the store does not let its files be listed: ${reason}`, storeRemedy(name, reason))]
    })
})

const exportStore = ofStore(
  "export-store",
  "Store of exports",
  SETTINGS.exportStore,
  ({ settings }) => settings.exportStore
)
const archiveStore = ofStore(
  "archive-store",
  "Store of archives",
  SETTINGS.archiveStore,
  ({ settings }) => settings.archiveStore
)
const backupStore = ofStore(
  "backup-store",
  "Store of backups",
  SETTINGS.backupStore,
  ({ settings }) => settings.backup?.store ?? null
)

/** Some thousand anchors on Base at its usual price. */
const LITTLE_WEI = 100_000_000_000_000n
const ETHER = 1e18

const chain: Check = {
  id: "anchor-chain",
  title: "Anchoring chain",
  looks: "Whether each node answers and is on the right chain, and the account can pay",
  needs: [SETTINGS.anchorUrls.name, SETTINGS.anchorPrivateKey.name, SETTINGS.anchorChainId.name],
  run: ({ chain: settings, limits: { peer } }) =>
    Effect.gen(function* () {
      if (settings === null) return yield* new Skipped({ reason: "CAIRN_ANCHOR_RPC_URL is not set" })
      const { BaseChain, options } = yield* chainAdapter(settings)
      const answers = yield* Effect.forEach(
        settings.urls,
        (url) => Effect.result(BaseChain.balance({ ...options, urls: [url], timeout: peer })),
        { concurrency: 4 }
      )
      const failing = answers.flatMap((answer, at): ReadonlyArray<Finding> => {
        if (Result.isSuccess(answer)) return []
        const reason = answer.failure.reasons.join("; ")
        const which = settings.urls.length === 1 ? "the node" : `node ${at + 1} of ${settings.urls.length}`
        const mend = /is on chain/.test(reason)
          ? "let CAIRN_ANCHOR_RPC_URL name a node of that chain, or correct CAIRN_ANCHOR_CHAIN_ID"
          : "correct CAIRN_ANCHOR_RPC_URL, start the node, or open the way to it"
        const cause = `${which} of the chain cannot be used: ${reason}`
        return [answers.some(Result.isSuccess) ? warning(cause, mend) : fault(cause, mend)]
      })
      const [balance] = answers.flatMap((answer) => (Result.isSuccess(answer) ? [answer.success] : []))
      if (balance === undefined || balance >= LITTLE_WEI) return failing
      const cause = `the anchoring account has ${Number(balance) / ETHER} ETH left`
      const mend = `send some ETH on chain ${settings.chainId} to the account of CAIRN_ANCHOR_PRIVATE_KEY`
      return [...failing, balance === 0n ? fault(cause, mend) : warning(cause, mend)]
    })
}

const provider: Check = {
  id: "identity-provider",
  title: "Identity provider",
  looks: "Whether it returns its metadata, and is the issuer that `CAIRN_OIDC_ISSUER` names",
  needs: [SETTINGS.oidcIssuer.name, SETTINGS.oidcClientId.name, SETTINGS.baseUrl.name],
  run: ({ settings, limits: { peer } }) =>
    Effect.gen(function* () {
      if (settings.oidc === null) return yield* new Skipped({ reason: "CAIRN_OIDC_ISSUER is not set" })
      const layer = OpenIdConnect.layer({
        settings: settings.oidc,
        baseUrl: serviceAddress(settings, settings.port),
        secretKeys: [Buffer.alloc(32).toString("base64")],
        limitMillis: peer
      }).pipe(Layer.provide(layerTokenSigner))
      const found = yield* Effect.flatMap(OpenIdConnect, ({ start }) => start({ returnTo: null })).pipe(
        Effect.provide(layer),
        Effect.result
      )
      if (Result.isSuccess(found)) return []
      return [
        fault(
          `nobody can sign in at the identity provider: ${found.failure.detail}`,
          "correct CAIRN_OIDC_ISSUER, start the provider, or open the way to it"
        )
      ]
    })
}

/** Half a year. */
const OLD_DAYS = 183
const DAY_MILLIS = 86_400_000

const geoip: Check = {
  id: "geoip",
  title: "Places of addresses",
  looks: `Whether a file of \`CAIRN_GEOIP_DB\` is missing, no MaxMind database, or older than ${OLD_DAYS} days`,
  needs: [SETTINGS.geoipFiles.name],
  run: ({ settings: { geoipFiles } }) =>
    Effect.gen(function* () {
      if (geoipFiles === null) return yield* new Skipped({ reason: "CAIRN_GEOIP_DB is not set" })
      const found: Array<Finding> = []
      for (const file of geoipFiles) {
        const age = yield* Effect.result(databaseAge(file))
        if (Result.isFailure(age)) {
          const { reason } = age.failure
          found.push(
            warning(
              `${file} is ${reason === "damaged" ? "no MaxMind database" : reason}: events get no places from it`,
              "let CAIRN_GEOIP_DB name a .mmdb file that the server's user can read, and download it again"
            )
          )
        } else if (Date.now() - age.success.getTime() > OLD_DAYS * DAY_MILLIS)
          found.push(
            warning(
              `${file} is of ${age.success.toISOString().slice(0, 10)}: addresses have moved since`,
              "download a newer one to the same path; the server takes it without a restart"
            )
          )
      }
      return found
    })
}

const redis: Check = {
  id: "redis",
  title: "Redis",
  looks: "Whether it can be reached: a server that cannot does not start",
  needs: [SETTINGS.redisUrl.name],
  run: ({ settings: { redisUrl }, limits: { peer } }) =>
    Effect.gen(function* () {
      if (redisUrl === "") return yield* new Skipped({ reason: "CAIRN_REDIS_URL is not set" })
      const { layer } = yield* Effect.promise(() => import("../../http/limits/RedisRateLimiter.ts"))
      const found = yield* Layer.build(layer(redisUrl)).pipe(within(peer, notInTime), Effect.result)
      return Result.isSuccess(found)
        ? []
        : [
            fault(
              `Redis cannot be reached: ${errorText(found.failure)}`,
              "correct CAIRN_REDIS_URL (rediss:// for TLS), start Redis, or unset it: limits then hold in the database"
            )
          ]
    })
}

/** Where metrics and traces are pushed to, without what may be a secret there, and what goes there. */
const collectors = ({ metrics, traces }: TelemetrySettings) => {
  const pushed = Object.entries({ metrics, traces }).flatMap(([signal, target]) =>
    target === null ? [] : [{ signal, server: new URL(target.url).origin }]
  )
  return Map.groupBy(pushed, ({ server }) => server)
}

const collector: Check = {
  id: "otlp-collector",
  title: "Collector of metrics and traces",
  looks: "Whether the collector of `OTEL_EXPORTER_OTLP_ENDPOINT` answers HTTP; nothing is pushed",
  needs: [SETTINGS.otlpEndpoint.name, SETTINGS.otlpMetricsEndpoint.name, SETTINGS.otlpTracesEndpoint.name],
  run: ({ settings: { telemetry }, limits: { peer } }) =>
    Effect.gen(function* () {
      const all = [...collectors(telemetry)]
      if (all.length === 0) return yield* new Skipped({ reason: "neither metrics nor traces are pushed" })
      const findings = yield* Effect.forEach(
        all,
        ([server, pushed]) =>
          Effect.map(
            Effect.result(
              Effect.tryPromise((signal) =>
                fetch(server, {
                  method: "HEAD",
                  redirect: "manual",
                  signal: AbortSignal.any([signal, AbortSignal.timeout(peer)])
                })
              )
            ),
            (found) =>
              Result.isSuccess(found)
                ? []
                : [
                    warning(
                      `the collector of ${pushed.map(({ signal }) => signal).join(" and ")} does not answer: ${errorText(found.failure)}`,
                      "correct OTEL_EXPORTER_OTLP_ENDPOINT, start the collector, or open the way to it"
                    )
                  ]
          ),
        { concurrency: "unbounded" }
      )
      return findings.flat()
    })
}

/** Checks of peers. */
export const PEER_CHECKS: ReadonlyArray<Check> = [
  mail,
  exportStore,
  archiveStore,
  backupStore,
  chain,
  provider,
  redis,
  geoip,
  collector
]
