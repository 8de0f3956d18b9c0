import type { Event } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { ocsf } from "../../../src/event/formats/Ocsf.ts"
import { bare, full, origin, real, samples } from "./Samples.ts"

/** A type of the schema: its attributes, those required, and those of which one is required. */
interface Definition {
  readonly attributes: Record<string, string>
  readonly required?: ReadonlyArray<string>
  readonly oneOf?: ReadonlyArray<string>
}

const strings = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, "string"]))
const integers = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, "integer"]))

/**
 * What OCSF 1.5.0 (https://schema.ocsf.io/1.5.0/classes/api_activity) says of the class and of the objects
 * used here.
 */
const SCHEMA: Record<string, Definition> = {
  api_activity: {
    attributes: {
      ...integers(
        "activity_id",
        "category_uid",
        "class_uid",
        "type_uid",
        "severity_id",
        "time",
        "status_id",
        "timezone_offset"
      ),
      ...strings(
        "activity_name",
        "category_name",
        "class_name",
        "type_name",
        "severity",
        "message",
        "status",
        "raw_data"
      ),
      metadata: "metadata",
      actor: "actor",
      api: "api",
      src_endpoint: "network_endpoint",
      dst_endpoint: "network_endpoint",
      resources: "resource_details[]",
      unmapped: "object"
    },
    required: [
      "activity_id",
      "category_uid",
      "class_uid",
      "type_uid",
      "severity_id",
      "time",
      "metadata",
      "actor",
      "api",
      "src_endpoint"
    ]
  },
  metadata: {
    attributes: {
      ...strings(
        "version",
        "uid",
        "event_code",
        "tenant_uid",
        "original_time",
        "log_version",
        "log_name",
        "log_provider",
        "correlation_uid"
      ),
      ...integers("sequence", "logged_time", "processed_time", "modified_time"),
      labels: "string[]",
      product: "product"
    },
    required: ["version", "product"]
  },
  product: {
    attributes: strings("name", "vendor_name", "uid", "version", "lang", "url_string"),
    oneOf: ["name", "uid"]
  },
  actor: {
    attributes: { user: "user", session: "session", ...strings("app_name", "app_uid") },
    oneOf: ["process", "user", "invoked_by", "session", "app_name", "app_uid"]
  },
  user: {
    attributes: strings("uid", "name", "type", "uid_alt", "email_addr"),
    oneOf: ["account", "name", "uid"]
  },
  session: { attributes: strings("uid", "issuer") },
  api: { attributes: { ...strings("operation", "version") }, required: ["operation"] },
  network_endpoint: {
    attributes: { ...strings("name", "uid", "ip", "hostname", "svc_name"), location: "location" },
    oneOf: [
      "ip",
      "uid",
      "name",
      "hostname",
      "svc_name",
      "instance_uid",
      "interface_uid",
      "interface_name",
      "domain"
    ]
  },
  location: { attributes: strings("city", "country", "region") },
  resource_details: { attributes: { ...strings("name", "uid", "type"), data: "object" } },
  object: { attributes: {} }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Everything in `value` that the schema does not allow. */
const faults = (type: string, value: unknown, at: string): ReadonlyArray<string> => {
  if (type.endsWith("[]")) {
    return Array.isArray(value) && value.length > 0
      ? value.flatMap((item, index) => faults(type.slice(0, -2), item, `${at}[${index}]`))
      : [`${at}: must be a list`]
  }
  if (type === "string") return typeof value === "string" ? [] : [`${at}: must be a string`]
  if (type === "integer") return Number.isInteger(value) ? [] : [`${at}: must be an integer`]
  if (!isObject(value)) return [`${at}: must be an object`]
  if (type === "object") return []
  const { attributes, required = [], oneOf = [] } = SCHEMA[type] ?? { attributes: {} }
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${at}.${name}: is required`),
    ...(oneOf.length > 0 && !oneOf.some((name) => name in value) ? [`${at}: needs one of ${oneOf}`] : []),
    ...Object.entries(value).flatMap(([name, member]) => {
      const of = attributes[name]
      return of === undefined ? [`${at}.${name}: is not in the schema`] : faults(of, member, `${at}.${name}`)
    })
  ]
}

const encoded = (event: Event) => JSON.parse(ocsf.encode(event, origin))

describe("OCSF 1.5.0, API Activity", () => {
  it.each(samples)("%s has what the class requires and nothing that it does not know", (_, event) => {
    const value = encoded(event)
    assert.deepStrictEqual(faults("api_activity", value, "event"), [])
    assert.strictEqual(value.type_uid, value.class_uid * 100 + value.activity_id)
    assert.strictEqual(value.class_uid, 6003)
    assert.strictEqual(value.category_uid, 6)
    assert.strictEqual(value.metadata.version, "1.5.0")
  })

  it.skipIf(real().length === 0)("so has every real event (needs CAIRN_FOREIGN)", () => {
    for (const event of real()) assert.deepStrictEqual(faults("api_activity", encoded(event), "event"), [])
  })

  it("says who did what to which, when and from where", () => {
    const value = encoded(full)
    assert.deepStrictEqual(value.actor, {
      user: { uid: "user-1", name: "Ada Lovelace", type: "user" },
      session: { uid: "s-1" }
    })
    assert.deepStrictEqual(value.api, { operation: "document.deleted" })
    assert.strictEqual(value.time, Date.parse("2024-05-01T12:00:00.000Z"))
    assert.strictEqual(value.metadata.logged_time, Date.parse("2024-05-01T12:00:01.999Z"))
    assert.deepStrictEqual(value.src_endpoint.location, { country: "GB", city: "London" })
    assert.deepStrictEqual(value.resources, [
      { type: "document", uid: "doc-1", name: "Notes" },
      { type: "folder", uid: "f-1", name: "Drafts", data: { colour: "red" } },
      { type: "user" }
    ])
    assert.deepStrictEqual(value.unmapped, {
      metadata: full.metadata,
      idempotency_key: "key-1",
      created_at: full.created_at,
      event_hash: "a".repeat(64),
      previous_event_hash: "b".repeat(64)
    })
  })

  it.each([
    ["document.deleted", "Delete"],
    ["s3.DeleteBucket", "Delete"],
    ["bulk_delete", "Delete"],
    ["api_key.revoked", "Delete"],
    ["user.created", "Create"],
    ["iam.CreateAccessKey", "Create"],
    ["user.password.changed", "Update"],
    ["PutObject", "Update"],
    ["document.viewed", "Read"],
    ["ec2.DescribeInstances", "Read"],
    ["invoice.paid", "Other"],
    ["", "Other"]
  ])("%s is a %s", (action, activity) => {
    const value = encoded({ ...bare, action })
    assert.strictEqual(value.activity_name, activity)
    assert.strictEqual(value.type_name, `API Activity: ${activity}`)
  })
})
