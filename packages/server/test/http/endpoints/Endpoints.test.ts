import { Api, type EndpointName, type HealthEndpointName } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import type { Endpoints, GuardedEndpoints, HealthEndpoints } from "../../../src/http/endpoints/Endpoints.ts"

/** Compiles when the two are the same type. */
const isSame = <A, B>(same: [A, B] extends [B, A] ? true : false): boolean => same

describe("the table of endpoints", () => {
  it("has every endpoint of the contract and no other, by the compiler", () => {
    type Tables = keyof Endpoints["guarded"] | keyof Endpoints["person"] | keyof Endpoints["health"]
    assert.isTrue(isSame<EndpointName, Tables>(true))
    assert.isTrue(isSame<HealthEndpointName, keyof Endpoints["health"]>(true))
  })

  it("does not compile without one of them", () => {
    const without = (
      { verify: _verify, ...guarded }: Endpoints["guarded"],
      { readyz: _readyz, ...health }: Endpoints["health"]
    ) => [
      // @ts-expect-error: the endpoint `verify` is missing
      guarded satisfies GuardedEndpoints,
      // @ts-expect-error: the endpoint `readyz` is missing
      health satisfies HealthEndpoints
    ]
    assert.isFunction(without)
  })

  it("goes by names, of which no two endpoints have the same", () => {
    const names = Object.values(Api.groups).flatMap(({ endpoints }) => Object.keys(endpoints))
    assert.strictEqual(new Set(names).size, names.length)
    // @ts-expect-error: a name that the contract does not have
    const unknown: EndpointName = "no such endpoint"
    assert.notInclude<string>(names, unknown)
  })
})
