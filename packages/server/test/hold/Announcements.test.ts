/**
 * What is told besides alerts: a confirmed anchor, a finished export and a broken chain, each once, whatever
 * is killed meanwhile.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Anvil } from "../../../anchor-base/test/Anvil.ts"
import { startMailServer } from "../../../delivery/test/peers/MailServer.ts"
import { startWebServer, status } from "../../../delivery/test/peers/WebServer.ts"
import { anchor, append, chainVariables } from "../support/AnchoredLog.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** Milliseconds that a busy machine may take over anything. */
const PATIENCE = 90_000

const decodeMessage = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ type: Schema.String, data: Schema.Record(Schema.String, Schema.Unknown) })
  )
)
const decodeMade = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeConsumers = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ consumer: Schema.String, updated_at: Schema.String }))
)

const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({ pagination: Schema.Struct({ total: Schema.Number }) })
)

const make = async (client: ApiClient, path: string, body: unknown) => {
  const answer = await client.request("POST", `/api/v1${path}`, body)
  assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
  return answer.body
}

describe.each(DATABASES)("what happens to a log on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)

  it.live(
    "is told once to each who wants to know, although servers are killed",
    () =>
      Effect.gen(function* () {
        const all = yield* startWebServer(status(200))
        const anchors = yield* startWebServer(status(200))
        const mail = yield* startMailServer({ authOptional: true, disabledCommands: ["STARTTLS"] })
        const node = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const started = new Anvil({})
            await started.start()
            return started
          }),
          (started) => Effect.promise(() => started.stop())
        )
        const messages = (type: string) =>
          all.received.map(({ body }) => decodeMessage(body.toString())).filter((each) => each.type === type)

        yield* Effect.promise(async () => {
          const { database, disarm, run, rows } = await newDatabase()
          const variables = {
            ...chainVariables(node.url),
            CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
            CAIRN_OUTBOUND_HTTP: "true",
            CAIRN_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
            CAIRN_MAIL_FROM: "cairn@example.com",
            CAIRN_VERIFY_EVERY_SECONDS: "1"
          }
          const options = { database, variables }
          const tenant = await makeTenant("Acme", options)
          const first = await startServer(options)
          const client = apiClient(first.baseUrl, tenant.key)
          await make(client, "/webhooks", { url: `http://127.0.0.1:${all.port}/` })
          await make(client, "/webhooks", {
            url: `http://127.0.0.1:${anchors.port}/`,
            types: ["anchor.confirmed"]
          })
          await make(client, "/members", { email: "owner@example.com", role: "owner" })
          await append(client, 5)

          const { id } = decodeMade(await make(client, "/exports", {})).data
          await eventually("the export is told of", () => messages("export.completed")[0], PATIENCE)
          const confirmed = await anchor(node, client)
          await eventually("the anchor is told of", () => messages("anchor.confirmed")[0], PATIENCE)
          await eventually("to both", () => anchors.received[0], PATIENCE)
          /**
           * Waits until what was sent is noted as sent: whoever is killed before sends it again, under the
           * same id.
           */
          const settled = (by: ApiClient) =>
            eventually(
              "nothing waits to be sent",
              async () => {
                const { pagination } = decodePage((await by.get("/deliveries", { status: "pending" })).body)
                return pagination.total === 0 || undefined
              },
              PATIENCE
            )
          await settled(client)
          // Nobody will have noted that the export was told of.
          await first.kill()
          await run(`UPDATE export SET claim = 'another' WHERE id = '${id}'`)
          const second = await startServer(options)
          await eventually(
            "that is noted again",
            async () => {
              const [row] = await rows(`SELECT claim FROM export WHERE id = '${id}'`)
              return row?.claim === null || undefined
            },
            PATIENCE
          )
          assert.deepInclude(messages("export.completed")[0]?.data, { id, status: "completed" })
          assert.deepStrictEqual(
            messages("anchor.confirmed").map(({ data }) => data),
            [{ ...confirmed }]
          )
          assert.deepStrictEqual(messages("chain.broken"), [])

          await second.kill()
          await disarm()
          await run("UPDATE event SET salt = '00000000000000000000000000000000' WHERE sequence = 3")
          const third = await startServer(options)
          await eventually("the break is told of", () => messages("chain.broken")[0], PATIENCE)
          await eventually("by mail too", () => mail.delivered[0], PATIENCE)
          await settled(apiClient(third.baseUrl, tenant.key))
          await third.kill()
          const fourth = await startServer(options)
          /** When the verification last stored how far it is: each pass does so. */
          const verifiedAt = async () =>
            decodeConsumers(await cairnJson(["consumer", "list"], options)).find(
              ({ consumer }) => consumer === "verification"
            )?.updated_at
          for (let passes = 0; passes < 3; passes++) {
            const before = await verifiedAt()
            await eventually(
              "another pass",
              async () => (await verifiedAt()) !== before || undefined,
              PATIENCE
            )
          }
          const [event] = await rows("SELECT id FROM event WHERE sequence = 3")
          assert.deepStrictEqual(
            messages("chain.broken").map(({ data: { valid, breaks } }) => [
              valid,
              (breaks as ReadonlyArray<{ type: string; event_id: string }>).map((each) => [
                each.type,
                each.event_id
              ])
            ]),
            [[false, [["hash_mismatch", event?.id]]]]
          )
          assert.lengthOf(mail.delivered, 1)
          assert.deepStrictEqual(mail.delivered[0]?.recipients, ["owner@example.com"])
          assert.include(third.stdout() + third.stderr(), "The hash chain of a log is broken")
          assert.notInclude(fourth.stdout() + fourth.stderr(), "The hash chain of a log is broken")
          assert.lengthOf(messages("export.completed"), 1)
          assert.lengthOf(messages("anchor.confirmed"), 1)
          assert.lengthOf(anchors.received, 1)
          await fourth.stop()
        })
      }).pipe(Effect.scoped),
    { timeout: 600_000 }
  )
})
