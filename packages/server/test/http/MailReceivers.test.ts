/**
 * Who still gets a mail that was made for them: every kind of mail, whatever has become of its receiver
 * between its making and its sending, and when it is sent again.
 */
import { RecentEvents } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Randomness, SecretBox, uuid } from "@cairn/core/hashing"
import { type MailNotice, Outbox } from "@cairn/core/outbound"
import { type Member, Members } from "@cairn/core/workspace"
import { Mailer, OutboxWorker, StreamWorker, WebhookSender } from "@cairn/delivery"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { layerOutboundGuard } from "../../src/layers/OutboundGuard.ts"
import { makeMember } from "./SignedIn.ts"
import { makeTenant, makeWorkspace, send, testServer } from "./TestServer.ts"

/** Notes in the list to whom it sends. */
const worker = (sent: Array<string>) =>
  OutboxWorker.layer({ mail: true }).pipe(
    Layer.provide([
      WebhookSender.layer,
      Layer.succeed(Mailer, {
        send: ({ to }) => Effect.sync(() => void sent.push(to))
      }),
      StreamWorker.layer({ folder: null, timeout: 2_000, mail: false })
    ]),
    Layer.provide([
      layerOutboundGuard({ mail: null, allow: "", http: false, streamFolder: null }),
      RecentEvents.layer
    ]),
    Layer.fresh
  )

const deliver = (sent: Array<string>) =>
  Effect.flatMap(OutboxWorker, (outbox) => outbox.deliver).pipe(Effect.provide(worker(sent)))

const AT = "2026-01-01T00:00:00.000000Z"
const alert = {
  id: "alt_1",
  rule_id: "rul_1",
  rule_name: "Night watch",
  rule_type: "off_hours",
  event_id: "event-1",
  reason: "ada performed user.login on Saturday",
  triggered_at: AT
} as const

/** A notice of each kind. */
const notices = (sealed: string): Readonly<Record<MailNotice["kind"], MailNotice>> => {
  const link = { sealed, expires_at: Number.MAX_SAFE_INTEGER, service: "https://audit.example.com" }
  const workspace = "Acme"
  return {
    alert: { kind: "alert", workspace, alert },
    webhook_disabled: {
      kind: "webhook_disabled",
      workspace,
      webhook: { id: "whk_1", url: "https://hooks.example.com/" },
      cause: "gone",
      last_error: "410"
    },
    stream_down: {
      kind: "stream_down",
      workspace,
      stream: { id: "str_1", name: "SIEM" },
      since: AT,
      last_error: "away"
    },
    chain_broken: {
      kind: "chain_broken",
      workspace,
      verification: { valid: false, events_checked: 1, breaks: [], breaks_found: 1 }
    },
    retention_shortened: {
      kind: "retention_shortened",
      workspace,
      from_days: null,
      to_days: 30,
      takes_effect_at: AT,
      reminder: false
    },
    sign_in: { kind: "sign_in", ...link },
    invitation: { kind: "invitation", ...link, workspace, role: "admin", invited_by: null }
  }
}

/** A workspace with an owner who stays, a shortening of its retention that is pending, and the receiver. */
const stage = Effect.gen(function* () {
  const { key, workspace } = yield* makeTenant()
  yield* makeMember(workspace.id, "owner")
  const settings = { method: "PATCH", path: "/api/v1/workspace", key }
  assert.strictEqual((yield* send({ ...settings, body: { retention_days: 30 } })).status, 200)
  const member = yield* makeMember(workspace.id, "admin")
  return { key, workspace, member, settings }
})
type Stage = Effect.Success<typeof stage>

const change = (key: string, member: Member, body: unknown) =>
  Effect.map(send({ method: "PATCH", path: `/api/v1/members/${member.id}`, key, body }), ({ status, text }) =>
    assert.strictEqual(status, 200, text)
  )
const modify = (member: Member, fields: Partial<Member>) =>
  Effect.flatMap(Members, (members) =>
    members.modify(member.workspace_id, member.id, (current) => Result.succeed({ ...current, ...fields }))
  )
const remove = ({ key, member }: Stage) =>
  Effect.map(
    send({ method: "DELETE", path: `/api/v1/members/${member.id}`, key }),
    ({ status, text }) => void assert.isBelow(status, 300, text)
  )

/** What may become of the receiver. */
const changes = {
  stays: () => Effect.void,
  removed: remove,
  "removed, and back without having come in": (one: Stage) =>
    Effect.andThen(
      remove(one),
      makeMember(one.workspace.id, "admin", { email: one.member.email, confirmed_at: null })
    ),
  "removed, and the shorter retention called off": (one: Stage) =>
    Effect.andThen(
      remove(one),
      Effect.map(send({ ...one.settings, body: { retention_days: null } }), ({ status, text }) =>
        assert.strictEqual(status, 200, text)
      )
    ),
  "removed, and a member of another workspace": (one: Stage) =>
    Effect.gen(function* () {
      yield* remove(one)
      const other = yield* makeWorkspace()
      yield* makeMember(other.id, "admin", { email: one.member.email })
    }),
  lowered: ({ key, member }: Stage) => change(key, member, { role: "developer" }),
  "without access by now": ({ member }: Stage) => modify(member, { role: "member", expires_at: 1 }),
  "the provider's by now": ({ member }: Stage) => modify(member, { managed_by: "oidc" }),
  "not confirmed": ({ member }: Stage) => modify(member, { confirmed_at: null })
} as const
type Change = keyof typeof changes
const ALL = Object.keys(changes) as ReadonlyArray<Change>

const NOTICED: ReadonlyArray<Change> = ["stays", "the provider's by now"]
/** After which changes a mail still goes. */
const GOES: Readonly<Record<MailNotice["kind"], ReadonlyArray<Change>>> = {
  alert: NOTICED,
  webhook_disabled: NOTICED,
  stream_down: NOTICED,
  chain_broken: NOTICED,
  retention_shortened: [
    ...NOTICED,
    "removed",
    "removed, and back without having come in",
    "removed, and a member of another workspace",
    "lowered"
  ],
  invitation: ["stays", "removed, and back without having come in", "lowered", "not confirmed"],
  sign_in: [
    "stays",
    "removed, and back without having come in",
    "removed, and a member of another workspace",
    "lowered",
    "not confirmed"
  ]
}
const KINDS = Object.keys(GOES) as ReadonlyArray<MailNotice["kind"]>
const isLink = (kind: MailNotice["kind"]) => kind === "sign_in" || kind === "invitation"

/** Puts a mail of a kind into the outbox; its id, and whose it is. */
const put = Effect.fnUntraced(function* ({ workspace, member }: Stage, kind: MailNotice["kind"]) {
  const id = `dlv_${uuid(yield* Randomness)}`
  const sealed = (yield* SecretBox).seal("https://audit.example.com/sign-in/link?token=x", id)
  const workspaceId = kind === "sign_in" ? `sign-in ${member.email}` : workspace.id
  yield* (yield* Outbox).put([
    {
      id,
      workspaceId,
      channel: "mail",
      target: member.email,
      type: `mail.${kind}`,
      payload: JSON.stringify(notices(sealed)[kind]),
      createdAt: yield* Micros.now
    }
  ])
  return { id, workspaceId }
})

const stateOf = Effect.fnUntraced(function* ({ id, workspaceId }: { id: string; workspaceId: string }) {
  const outbox = yield* Outbox
  const { status } = Option.getOrThrow(yield* outbox.get(workspaceId, id))
  return { status, errors: (yield* outbox.attempts(workspaceId, id)).map(({ error }) => error) }
})

describe("a mail whose receiver has changed since it was made", () => {
  it.live.each(KINDS)("is sent to those only who still get it: %s", (kind) =>
    Effect.gen(function* () {
      for (const name of ALL) {
        const one = yield* stage
        const mail = yield* put(one, kind)
        yield* changes[name](one)
        const sent: Array<string> = []
        yield* deliver(sent)
        const goes = GOES[kind].includes(name)
        assert.deepStrictEqual(sent, goes ? [one.member.email] : [], name)
        const { status, errors } = yield* stateOf(mail)
        assert.strictEqual(status, goes ? "delivered" : "failed", name)
        if (!goes) assert.match(errors.join(), /^not sent: the address is not that of an? /, name)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live.each(KINDS.filter((kind) => !isLink(kind)))("is not sent again to others: %s", (kind) =>
    Effect.gen(function* () {
      for (const name of ALL) {
        const one = yield* stage
        const { id } = yield* put(one, kind)
        yield* deliver([])
        yield* changes[name](one)
        const again = yield* send({
          method: "POST",
          path: `/api/v1/deliveries/${id}/redeliver`,
          key: one.key
        })
        const goes = GOES[kind].includes(name)
        assert.strictEqual(again.status, goes ? 202 : 409, `${name}: ${again.text}`)
        if (!goes) assert.include(again.text, "is not that of an owner or admin who has confirmed it")
        const sent: Array<string> = []
        yield* deliver(sent)
        assert.deepStrictEqual(sent, goes ? [one.member.email] : [], name)
      }
    }).pipe(Effect.provide(testServer()))
  )
})
