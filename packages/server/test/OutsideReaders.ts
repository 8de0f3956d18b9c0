/**
 * The server's readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { parseNetwork } from "@cairn/core/encoding"
import { decodeSecretKeys } from "@cairn/storage-sql"
import { hostileJson, hostileTexts, type OutsideReader } from "@cairn/testing"
import { Effect } from "effect"
import { readLine } from "../src/command/ImportCommand.ts"
import { workspaceOf } from "../src/http/endpoints/ViewerPage.ts"
import { readBearer } from "../src/http/gate/Challenge.ts"
import { clientAddresses } from "../src/http/gate/ClientAddress.ts"
import { readViewerToken } from "../src/http/gate/Gate.ts"
import { isSameOrigin } from "../src/http/gate/SameOrigin.ts"
import { readCookie, siteOf } from "../src/http/gate/SessionCookie.ts"
import { CODINGS } from "../src/http/plumbing/Answer.ts"
import { rejectedByType } from "../src/http/plumbing/Body.ts"
import { readRange } from "../src/http/plumbing/ByteRange.ts"
import { readCoding } from "../src/http/plumbing/Compression.ts"
import { readQuery, selection } from "../src/http/plumbing/QueryParameters.ts"
import { match } from "../src/http/plumbing/Routes.ts"
import { readCallback } from "../src/http/signin/OpenIdConnect.ts"
import { needsUserInfo, personClaims } from "../src/http/signin/PersonClaims.ts"
import { languageOf } from "../src/http/signin/pages/locale/Language.ts"
import { deviceOf } from "../src/http/signin/pages/UserAgent.ts"
import { returnPath } from "../src/http/signin/ReturnPath.ts"
import { readDatabase } from "../src/settings/Database.ts"
import { readExportStore } from "../src/settings/ExportSettings.ts"
import { readRoleMapping } from "../src/settings/RoleMapping.ts"
import { readSetting, type Setting } from "../src/settings/SettingDeclaration.ts"
import { SETTINGS } from "../src/settings/Settings.ts"
import { readSignIn } from "../src/settings/SignInSettings.ts"

const QUERY = "action=document.*&actor_id=a%20b&from=2026-05-01T12:00:00%2B02:00&limit=25&cursor=MTc3Nzc"

const network = parseNetwork("192.0.2.0/24")
const addressOf = clientAddresses(network === undefined ? [] : [network])

const peer = { remoteAddress: "192.0.2.1" } as Socket
const forwarded = (header: string) =>
  addressOf({ socket: peer, headers: { "x-forwarded-for": header } } as unknown as IncomingMessage)

/** What the headers say of a body, each of them hostile. */
const bodyHeaders = (header: string) =>
  (["content-type", "content-encoding"] as const).map((name) =>
    rejectedByType({ "content-type": "application/json", [name]: header } satisfies IncomingHttpHeaders)
  )

const { oidc } = Effect.runSync(
  readSignIn(
    { CAIRN_OIDC_ISSUER: "https://idp.example.com", CAIRN_OIDC_CLIENT_ID: "cairn" },
    { kind: "sqlite", filename: "cairn.db" }
  )
)

/** What a provider says of a person, in the ID token and in the userinfo. */
const saidOfPerson = (json: string) => {
  const claims: unknown = JSON.parse(json)
  return oidc === null ? null : [needsUserInfo(oidc, claims), personClaims(oidc, claims, claims)]
}

/** The cookies of a request, its host and its origin. */
const browserHeaders = (header: string) => {
  const message = ({ headers }: { readonly headers: IncomingHttpHeaders }) =>
    ({ headers }) as unknown as IncomingMessage
  return [
    readCookie({ kind: "loopback" }, message({ headers: { cookie: header } }), "cairn"),
    siteOf("", message({ headers: { host: header } })),
    isSameOrigin("", message({ headers: { origin: header, host: header } }))
  ]
}

const text = (
  name: string,
  read: (text: string) => unknown,
  ...samples: ReadonlyArray<string>
): OutsideReader<string> => ({ name, read, inputs: hostileTexts(...samples) })

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<string>> = [
  {
    ...text("query", (query) => Effect.runSync(Effect.exit(readQuery(query, selection))), QUERY),
    inputs: {
      ...hostileTexts(QUERY, "a&", "a=1&a=2&"),
      "one parameter, repeated": (length) => "a&".repeat(length / 2),
      "parameters, each another": (length) =>
        Array.from({ length: Math.ceil(length / 8) }, (_, index) => `p${index}=1`).join("&")
    }
  },
  text(
    "headers of a body",
    bodyHeaders,
    "application/vnd.api+json; charset=utf-8",
    "application/json;a=b",
    "gzip, identity"
  ),
  text(
    "Authorization",
    (header) => [readBearer(header), readViewerToken(header)],
    "Bearer cairn_a",
    "Bearer eyJh.eyJz.c2ln"
  ),
  text(
    "Range",
    (range) => readRange({ method: "GET", headers: { range } }, 1_000, '""'),
    "bytes=0-9,20-29",
    "bytes=-"
  ),
  text("Accept-Encoding", (header) => readCoding(header, CODINGS), "gzip;q=1.0, br;q=0.5, *;q=0", ",;"),
  text("secret keys", decodeSecretKeys, "AAECAwQFBgcICQoLDA0ODw==,"),
  {
    name: "line of an import",
    read: (line) => readLine(line, 1),
    inputs: {
      ...hostileJson(
        (value) => `{"client_ip":"192.0.2.1","body":{"actor_id":"a","action":"b","metadata":${value}}}`
      ),
      ...hostileTexts('{"client_ip":null,"body":{}}')
    }
  },
  {
    name: "settings of the environment, those of mail among them",
    read: (value) =>
      Object.values<Setting<unknown>>(SETTINGS).map((setting) =>
        Effect.runSync(Effect.option(readSetting({ [setting.name]: value }, setting)))
      ),
    inputs: hostileTexts(
      "smtps://user:password@mail.example.com:465",
      "Cairn <cairn@example.com>",
      "10.0.0.0/8,fd00::/8",
      "https://user@example.com:8443/a,https://b/",
      "0x0123456789abcdef"
    )
  },
  text("headers of a browser", browserHeaders, "cairn=a; other=b; ", "[::1]:80", "a.localhost:", "127.0.0.1"),
  text("path to return to", returnPath, "/a/b?c=d#e", "/a", "//"),
  text("languages", languageOf, "de-CH;q=0.8, ja;q=0.5", "*;q=0.1,"),
  text("browser's name", deviceOf, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
  text("callback of an identity provider", readCallback, "/c?code=a&state=b&iss=https%3A%2F%2Fc", "?a=b&"),
  {
    name: "what an identity provider says of a person",
    read: saidOfPerson,
    inputs: hostileJson(
      (value) =>
        `{"iss":"https://idp.example.com","sub":"a","email":${value},"name":${value},"groups":${value}}`
    )
  },
  text("address of a page", workspaceOf, "token=eyJh.eyJz.c2ln", "workspace=wsp_1"),
  text("path", (path) => match("GET", path), "/api/v1/events/0b54c2a1", "/api/v1/anchors/anc_1/verify"),
  text("X-Forwarded-For", forwarded, "192.0.2.1, 192.0.2.2:4711", "[2001:db8::1]:4711", "fe80::1%eth0"),
  text("URL of a database", readDatabase, "postgres://user:password@host:5432/name?sslmode=require"),
  text(
    "mapping of roles",
    readRoleMapping,
    "group:a=b=member@wsp_00000000-0000-4000-8000-000000000001,",
    "domain:a.example=owner@wsp_",
    "group:%2C=a@"
  ),
  text(
    "export store",
    (store) => readExportStore(store),
    "s3://KEY:SECRET@bucket/prefix/?region=r&endpoint=https://e"
  )
]
