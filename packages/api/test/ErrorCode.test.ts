import { ERROR_STATUS } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"

describe("The error codes", () => {
  it("are these, with these statuses, for good", () => {
    assert.deepStrictEqual(ERROR_STATUS, {
      malformed_json: 400,
      invalid_parameter: 400,
      unauthenticated: 401,
      ip_not_allowed: 403,
      insufficient_scope: 403,
      cross_origin: 403,
      other_person: 403,
      plan_limit_reached: 403,
      not_found: 404,
      method_not_allowed: 405,
      conflict: 409,
      export_not_ready: 409,
      link_expired: 410,
      payload_too_large: 413,
      unsupported_media_type: 415,
      range_not_satisfiable: 416,
      validation_failed: 422,
      rate_limited: 429,
      quota_exceeded: 429,
      internal: 500,
      unavailable: 503
    })
  })
})
