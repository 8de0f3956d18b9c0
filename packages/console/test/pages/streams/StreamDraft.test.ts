import { assert, describe, it } from "@effect/vitest"
import {
  changeOf,
  creationOf,
  draftOf,
  isElsewhere,
  KEPT_SECRET,
  newDraft,
  withKind
} from "../../../src/page/pages/streams/StreamDraft.ts"
import { FIELDS, KINDS, type LogStream, whereOf } from "../../../src/page/pages/streams/StreamKinds.ts"

const stream: LogStream = {
  id: "str_1",
  name: "SIEM",
  enabled: true,
  format: "ocsf",
  action: "document.*",
  tenant_id: null,
  batch_events: 100,
  batch_seconds: null,
  checkpoints: false,
  destination: {
    type: "https",
    url: "https://siem.example.com/in",
    body: "array",
    authorization: KEPT_SECRET
  },
  status: "healthy",
  last_error: null,
  failing_since: null,
  last_success_at: null,
  sequence: 1,
  lag: 0,
  checkpoint_size: 0,
  created_at: "2026-01-31T09:15:02.123456Z",
  updated_at: "2026-01-31T09:15:02.123456Z"
}

describe("the form of a stream", () => {
  it("gives a new one what was typed, and what a kind has unless given", () => {
    const draft = {
      ...withKind(newDraft, "syslog"),
      name: " SIEM ",
      fields: { host: "siem.example.com", port: "" }
    }
    assert.deepStrictEqual(creationOf(draft), {
      name: "SIEM",
      format: "cef",
      batch_events: null,
      batch_seconds: null,
      checkpoints: null,
      start: "now",
      destination: {
        type: "syslog",
        host: "siem.example.com",
        port: 6514,
        tls: true,
        facility: 13,
        hostname: "cairn",
        app_name: "cairn"
      }
    })
  })

  it("follows the kind with the format until one was chosen", () => {
    assert.strictEqual(withKind(newDraft, "syslog").format, "cef")
    assert.strictEqual(withKind(withKind(newDraft, "syslog"), "https").format, "cairn")
    assert.strictEqual(
      withKind({ ...newDraft, format: "ocsf", isFormatChosen: true }, "syslog").format,
      "ocsf"
    )
  })

  it("gives of a destination the members of its kind alone", () => {
    for (const kind of KINDS) {
      const { destination } = creationOf({
        ...newDraft,
        kind,
        fields: { url: "https://a.example", path: "b" }
      })
      assert.sameMembers(Object.keys(destination), ["type", ...FIELDS[kind].map(({ name }) => name)])
    }
  })

  it("changes nothing where nothing was changed, and keeps the secret", () => {
    const { name, format, action, batch_events, batch_seconds, checkpoints, destination } = stream
    assert.deepStrictEqual(changeOf(draftOf(stream)), {
      name,
      format,
      action,
      batch_events,
      batch_seconds,
      checkpoints,
      destination
    })
  })

  it("takes what may be none as none where it is empty", () => {
    const draft = draftOf(stream)
    const { destination } = changeOf({ ...draft, fields: { ...draft.fields, authorization: "" } })
    assert.strictEqual(destination?.type === "https" && destination.authorization, null)
  })
})

describe("a stream", () => {
  it("is elsewhere if its destination is another", () => {
    assert.isFalse(isElsewhere(stream, { ...stream, name: "Other" }))
    const destination = { type: "file", path: "audit/events.ndjson" } as const
    assert.isTrue(isElsewhere(stream, { ...stream, destination }))
  })

  it("says in a line where it goes", () => {
    assert.strictEqual(whereOf(stream.destination), "siem.example.com")
    assert.strictEqual(whereOf({ type: "file", path: "audit/events.ndjson" }), "audit/events.ndjson")
  })
})
