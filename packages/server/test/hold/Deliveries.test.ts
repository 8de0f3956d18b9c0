import { createHmac } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Alert } from "@cairn/core/consumer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { authority, certificate } from "../../../delivery/test/peers/Certificates.ts"
import { startMailServer } from "../../../delivery/test/peers/MailServer.ts"
import { type Received, startWebServer } from "../../../delivery/test/peers/WebServer.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { streamedEvents } from "../support/StreamedEvents.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

const folder = temporaryFolder()
killLeftovers()

/** Milliseconds that a busy machine may take over anything. */
const PATIENCE = 90_000

const PASSWORD = "correct-horse"

/** Actors before the crash, and after it; each does one thing twice. */
const BEFORE = 24
const AFTER = 8
/** Messages that are to arrive before the server is killed. */
const ARRIVED = 3

const decodeAlerts = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(Alert) }))
const decodeMessage = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ type: Schema.String, data: Alert }))
)
const decodeMade = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Struct({ id: Schema.String, secret: Schema.optionalKey(Schema.String) }) })
)

const make = async (client: ApiClient, path: string, body: unknown) => {
  const answer = await client.request("POST", `/api/v1${path}`, body)
  assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
  return decodeMade(answer.body).data
}

const actors = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `actor-${from + index}`)

const act = async (client: ApiClient, names: ReadonlyArray<string>) => {
  for (const actor_id of names) {
    const event = { actor_id, action: "document.deleted" }
    await client.acceptBatch([event, event])
  }
}

const decodeConsumers = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ consumer: Schema.String, lag: Schema.Number }))
)

const idOf = ({ headers }: Received): string => headers["webhook-id"] ?? ""

/** Both signatures, the one of Standard Webhooks by its own library. */
const assertSigned = ({ headers, body }: Received, secret: string) => {
  const text = body.toString("utf8")
  new Webhook(secret).verify(text, headers)
  const expected = createHmac("sha256", secret).update(text).digest("hex")
  assert.strictEqual(headers["x-cairn-signature"], `sha256=${expected}`)
}

describe.each(DATABASES)("a server that is killed while it tells of alerts, on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)

  it.live(
    "misses none afterwards and raises none twice: webhooks, mails and a log stream",
    () =>
      Effect.gen(function* () {
        const { database } = yield* Effect.promise(newDatabase)
        const failed = new Set<string>()
        // The first message fails once, and every other takes a moment, so that the crash finds some in
        // progress.
        const hooks = yield* startWebServer(
          (request, response) => {
            const fails = failed.size === 0
            if (fails) failed.add(idOf(request))
            setTimeout(() => response.writeHead(fails ? 500 : 200).end(), 20)
          },
          certificate(["127.0.0.1"])
        )
        const stream = yield* startWebServer((_, response) => {
          setTimeout(() => response.writeHead(200).end(), 20)
        })
        const mail = yield* startMailServer({
          ...certificate(["127.0.0.1"]),
          authOptional: false,
          onAuth: ({ username, password }, _, done) =>
            username === "cairn" && password === PASSWORD
              ? done(null, { user: username })
              : done(new Error("no such user"))
        })
        const authorities = join(folder, "authority.pem")
        writeFileSync(authorities, authority)
        const variables = {
          CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
          CAIRN_OUTBOUND_HTTP: "true",
          NODE_EXTRA_CA_CERTS: authorities,
          CAIRN_SMTP_URL: `smtp://cairn:${PASSWORD}@127.0.0.1:${mail.port}`,
          CAIRN_MAIL_FROM: "Cairn <cairn@example.com>"
        }

        yield* Effect.promise(async () => {
          const tenant = await makeTenant("Acme", { database, plan: "enterprise" })
          const first = await startServer({ database, variables })
          const client = apiClient(first.baseUrl, tenant.key)
          const { secret = "" } = await make(client, "/webhooks", { url: `https://127.0.0.1:${hooks.port}/` })
          const add = (email: string, ...flags: ReadonlyArray<string>) =>
            cairnJson(["member", "add", email, ...flags], { database, variables })
          await add("owner@example.com", "--role", "owner", "--confirmed")
          await add("reader@example.com", "--confirmed")
          // Invited, and written to about nothing else.
          await make(client, "/members", { email: "invited@example.com", role: "owner" })
          await make(client, "/alert-rules", {
            name: "Twice",
            rule_type: "repeated_action",
            action: "document.*",
            parameters: { threshold: 2 }
          })
          await make(client, "/log-streams", {
            name: "SIEM",
            start: "beginning",
            batch_events: 4,
            batch_seconds: 0,
            destination: { type: "https", url: `http://127.0.0.1:${stream.port}/` }
          })
          await act(client, actors(0, BEFORE))
          await eventually(
            "some messages arrive",
            () => hooks.received.length >= ARRIVED || undefined,
            PATIENCE
          )
          await first.kill()
          assert.isBelow(new Set(hooks.received.map(idOf)).size, BEFORE, "there is nothing left to tell")

          const second = await startServer({ database, variables })
          const again = apiClient(second.baseUrl, tenant.key)
          await act(again, actors(BEFORE, AFTER))
          const all = BEFORE + AFTER
          const alerts = await eventually(
            "every alert is raised",
            async () => {
              const { data } = decodeAlerts((await again.get("/alerts", { limit: 100 })).body)
              return data.length >= all ? data : undefined
            },
            PATIENCE
          )
          assert.lengthOf(alerts, all)
          const reasons = new Set(alerts.map(({ reason }) => reason.split(" ")[0]))
          assert.deepStrictEqual([...reasons].toSorted(), actors(0, all).toSorted())

          const expected = alerts.map(({ id }) => id).toSorted()
          const told = () => new Set(hooks.received.map(({ body }) => decodeMessage(body.toString()).data.id))
          await eventually("a webhook for every alert", () => told().size >= all || undefined, PATIENCE)
          assert.deepStrictEqual([...told()].toSorted(), expected)
          await eventually(
            "the message that failed comes again",
            () => hooks.received.filter((request) => failed.has(idOf(request))).length > 1 || undefined,
            PATIENCE
          )
          // Receivers tell repetitions by the id: one for each alert, and the same bytes each time.
          const byId = Map.groupBy(hooks.received, idOf)
          assert.strictEqual(byId.size, all)
          for (const copies of byId.values()) {
            assert.strictEqual(new Set(copies.map(({ body }) => body.toString())).size, 1)
            for (const copy of copies) assertSigned(copy, secret)
          }

          const isInvited = ({ recipients }: { readonly recipients: ReadonlyArray<string> }) =>
            recipients.includes("invited@example.com")
          const notices = () => mail.delivered.filter((one) => !isInvited(one))
          const mailed = () =>
            new Set(notices().map(({ mail: { text } }) => /\balt_[0-9a-f-]{36}/.exec(text ?? "")?.[0] ?? ""))
          await eventually("a mail for every alert", () => mailed().size >= all || undefined, PATIENCE)
          assert.deepStrictEqual([...mailed()].toSorted(), expected)
          assert.isTrue(mail.delivered.every(({ secure, user }) => secure && user === "cairn"))
          assert.deepStrictEqual(
            [...new Set(notices().flatMap(({ recipients }) => recipients))],
            ["owner@example.com"]
          )
          const invitations = await eventually(
            "the invitation arrives",
            () => {
              const found = mail.delivered.filter(isInvited)
              return found.length > 0 ? found : undefined
            },
            PATIENCE
          )
          for (const { mail: sent } of invitations) assert.match(sent.text ?? "", /\/sign-in\/link\?token=/)

          const log = (await again.list()).toReversed()
          const arrived = () => streamedEvents(stream.received)
          await eventually(
            "the stream catches up",
            () => arrived().length >= log.length || undefined,
            PATIENCE
          )
          // In the order of the chain, nothing missing, and each as the interface shows it.
          assert.deepStrictEqual(arrived(), log)

          const consumers = await eventually(
            "nothing is behind",
            async () => {
              const found = decodeConsumers(await cairnJson(["consumer", "list"], { database, variables }))
              const telling = found.filter(({ consumer }) => consumer !== "verification")
              return telling.every(({ lag }) => lag === 0) ? telling : undefined
            },
            PATIENCE
          )
          assert.sameMembers(
            consumers.map(({ consumer }) => consumer.replace(/:.*/, "")),
            ["alerts", "stream"]
          )
          assert.isTrue((await again.verify()).valid)
          // Neither a secret nor a key is in what the servers said.
          const said = first.stdout() + first.stderr() + second.stdout() + second.stderr()
          assert.notInclude(said, secret)
          assert.notInclude(said, PASSWORD)
          await second.stop()
        })
      }).pipe(Effect.scoped),
    { timeout: 600_000 }
  )
})
