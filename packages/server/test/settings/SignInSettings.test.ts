import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfiguration } from "../../src/settings/Configuration.ts"

const ISSUER = "https://idp.example.com/realms/main"
const BOTH = { CAIRN_OIDC_ISSUER: ISSUER, CAIRN_OIDC_CLIENT_ID: "cairn" }

const read = (variables: Record<string, string>) => Effect.runSync(readConfiguration(variables))
const refused = (variables: Record<string, string>) =>
  Effect.runSync(Effect.flip(readConfiguration(variables)))

describe("the settings of signing in", () => {
  it("name no provider by default, and sessions of a working day and a week", () => {
    const { oidc, sessionIdleMinutes, sessionHours } = read({})
    assert.deepStrictEqual(
      { oidc, sessionIdleMinutes, sessionHours },
      {
        oidc: null,
        sessionIdleMinutes: 480,
        sessionHours: 168
      }
    )
  })

  it("name a provider by its issuer and the id that it gave", () => {
    assert.deepStrictEqual(read(BOTH).oidc, {
      issuer: ISSUER,
      clientId: "cairn",
      clientSecret: null,
      name: "single sign-on",
      scopes: "openid email profile",
      groupsClaim: "groups",
      roles: [],
      trustsAddresses: false
    })
    assert.deepInclude(
      read({
        ...BOTH,
        CAIRN_OIDC_CLIENT_SECRET: "hunter2",
        CAIRN_OIDC_TRUST_ADDRESSES: "true",
        CAIRN_OIDC_ROLES: "group:a=owner@wsp_00000000-0000-4000-8000-000000000001"
      }).oidc,
      { clientSecret: "hunter2", trustsAddresses: true }
    )
  })

  it("need the issuer with the id, and the id with the issuer", () => {
    const noIssuer = refused({ CAIRN_OIDC_CLIENT_ID: "cairn" })
    assert.strictEqual(noIssuer.variable, "CAIRN_OIDC_ISSUER")
    assert.include(noIssuer.message, "must be set when CAIRN_OIDC_CLIENT_ID is")
    const roles = "group:a=owner@wsp_00000000-0000-4000-8000-000000000001"
    const onlyRoles = refused({ CAIRN_OIDC_ROLES: roles })
    assert.strictEqual(onlyRoles.variable, "CAIRN_OIDC_ISSUER")
    assert.include(onlyRoles.message, "must be set when CAIRN_OIDC_ROLES is")
    const noId = refused({ CAIRN_OIDC_ISSUER: ISSUER })
    assert.strictEqual(noId.variable, "CAIRN_OIDC_CLIENT_ID")
    assert.include(noId.message, "must be set when CAIRN_OIDC_ISSUER is")
  })

  it.each([
    "https://idp.example.com",
    "https://idp.example.com/",
    "https://idp.example.com:8443/a/b",
    "http://localhost:3000",
    "http://127.0.0.1:3000/oidc",
    "http://[::1]:3000",
    "http://idp.localhost"
  ])("take the issuer %s", (issuer) => {
    assert.strictEqual(read({ ...BOTH, CAIRN_OIDC_ISSUER: issuer }).oidc?.issuer, issuer)
  })

  it.each([
    ["CAIRN_OIDC_ISSUER", "idp.example.com"],
    ["CAIRN_OIDC_ISSUER", "http://idp.example.com"],
    ["CAIRN_OIDC_ISSUER", "http://127.0.0.1.example.com"],
    ["CAIRN_OIDC_ISSUER", "http://localhost@idp.example.com"],
    ["CAIRN_OIDC_ISSUER", "https://me:secret@idp.example.com"],
    ["CAIRN_OIDC_ISSUER", "https://idp.example.com/?tenant=a"],
    ["CAIRN_OIDC_ISSUER", "https://idp.example.com/#a"],
    ["CAIRN_OIDC_ISSUER", `https://idp.example.com/${"a".repeat(500)}`],
    ["CAIRN_OIDC_NAME", ""],
    ["CAIRN_OIDC_NAME", "a\nb"],
    ["CAIRN_OIDC_NAME", "a".repeat(61)],
    ["CAIRN_OIDC_SCOPES", "email profile"],
    ["CAIRN_OIDC_SCOPES", "openid,email"],
    ["CAIRN_OIDC_SCOPES", "openid  email"],
    ["CAIRN_OIDC_GROUPS_CLAIM", ""],
    ["CAIRN_OIDC_ROLES", "admins=owner"],
    ["CAIRN_OIDC_TRUST_ADDRESSES", "yes"],
    ["CAIRN_SESSION_IDLE_MINUTES", "4"],
    ["CAIRN_SESSION_IDLE_MINUTES", "43201"],
    ["CAIRN_SESSION_HOURS", "0"],
    ["CAIRN_SESSION_HOURS", "8761"]
  ])("refuse %s=%j", (variable, value) => {
    assert.strictEqual(refused({ ...BOTH, [variable]: value }).variable, variable)
  })
})
