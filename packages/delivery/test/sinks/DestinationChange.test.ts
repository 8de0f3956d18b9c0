import { makeSecretBox } from "@cairn/storage-sql"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { changedDestination } from "../../src/sinks/DestinationChange.ts"
import { decodeDestination, sealDestination } from "../../src/sinks/Sinks.ts"

const box = makeSecretBox(new Uint8Array(32).fill(1))

/** A destination as it is stored, and as its owner sees it. */
const stored = (config: Record<string, unknown>) => ({
  id: "str_1",
  ...sealDestination(box, "str_1", Result.getOrThrow(decodeDestination(config)))
})

const HTTPS = { type: "https", url: "https://logs.example.com/a", authorization: "Bearer token" }
const SPLUNK = { type: "splunk_hec", url: "https://splunk.example.com:8088", token: "hec" }
const S3 = { type: "s3", bucket: "audit", access_key_id: "AKIA", secret_access_key: "key" }

const configOf = (result: ReturnType<typeof changedDestination>) => Result.getOrThrow(result).config

const refusalOf = (result: ReturnType<typeof changedDestination>): string =>
  Result.isFailure(result) ? result.failure.message : "taken"

describe("changedDestination", () => {
  it.each([HTTPS, SPLUNK, S3])("keeps the secret of $type that comes back as it was shown", (config) => {
    const before = stored(config)
    assert.include(Object.values(before.destination), "***")
    assert.deepInclude(configOf(changedDestination(box, before, before.destination)), config)
  })

  it("takes a new secret, and none where it may be missing", () => {
    const before = stored(HTTPS)
    const anew = { ...HTTPS, authorization: "Bearer other" }
    assert.deepInclude(configOf(changedDestination(box, before, anew)), anew)
    const { authorization: _, ...without } = HTTPS
    assert.deepInclude(configOf(changedDestination(box, before, without)), { authorization: null })
  })

  it("keeps it for another path of the same origin, and for nothing else", () => {
    const before = stored(HTTPS)
    const hidden = { ...HTTPS, authorization: "***" }
    assert.deepInclude(
      configOf(changedDestination(box, before, { ...hidden, url: "https://logs.example.com/b" })),
      {
        url: "https://logs.example.com/b",
        authorization: "Bearer token"
      }
    )
    for (const url of [
      "https://thief.example.com/a",
      "http://logs.example.com/a",
      "https://logs.example.com:8443/a",
      "https://logs.example.com@thief.example.com/a"
    ]) {
      const refusal = refusalOf(changedDestination(box, before, { ...hidden, url }))
      assert.match(refusal, /^destination\.authorization: must be given again/, url)
    }
  })

  it("does not send a store's key to another endpoint", () => {
    const before = stored(S3)
    const moved = { ...before.destination, endpoint: "https://minio.example.com" }
    for (const other of [moved, { ...before.destination, region: "eu-central-1" }]) {
      assert.match(
        refusalOf(changedDestination(box, before, other)),
        /^destination\.secret_access_key: must be given/
      )
    }
  })

  it("names all that is wrong, and takes null only for what may be missing", () => {
    const wrong = { type: "https", url: "", body: null, authorization: null, token: null }
    for (const before of [null, stored(HTTPS)]) {
      const { faults, unknown } = Result.getOrThrow(Result.flip(changedDestination(box, before, wrong)))
      assert.sameMembers(
        faults.map(({ path }) => path),
        ["url", "token", ...(before === null ? [] : ["body"])].map((name) => `destination.${name}`)
      )
      assert.deepStrictEqual(unknown, ["destination.token"])
    }
  })

  it("refuses a hidden secret where there is none to keep", () => {
    const hidden = { ...HTTPS, authorization: "***" }
    assert.match(
      refusalOf(changedDestination(box, null, hidden)),
      /^destination\.authorization: must be given/
    )
    const { authorization: _, ...open } = HTTPS
    assert.match(
      refusalOf(changedDestination(box, stored(open), hidden)),
      /^destination\.authorization: must be given/
    )
    assert.match(
      refusalOf(changedDestination(box, stored(HTTPS), { ...SPLUNK, token: "***" })),
      /^destination\.token: must be given/
    )
  })

  it("says that a secret has to be given again when its key is gone", () => {
    const before = stored(HTTPS)
    const other = makeSecretBox(new Uint8Array(32).fill(2))
    assert.match(
      refusalOf(changedDestination(other, before, before.destination)),
      /^destination\.authorization: must be given again: .*not configured/
    )
  })

  it("takes three asterisks for what they are where nothing is secret", () => {
    const config = { ...SPLUNK, source: "***" }
    assert.deepInclude(configOf(changedDestination(box, stored(SPLUNK), config)), { source: "***" })
  })
})
