/**
 * Receivers that never answer, in twenty workspaces. Their attempts do not end while a test runs, so whoever
 * gets through got through beside them and not after them.
 */
import type { NewDelivery } from "@cairn/core/consumer"
import { Outbox, Webhooks } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { Mailer, MailFailed } from "../../src/mail/Mailer.ts"
import { OutboxWorker } from "../../src/outbox/OutboxWorker.ts"
import { StreamWorker } from "../../src/stream/StreamWorker.ts"
import { WebhookSender } from "../../src/webhook/WebhookSender.ts"
import { addWebhook, makeWorkspace, putMailDelivery, storage, WORKSPACE } from "../fixtures/Workspace.ts"
import { type Answer, startWebServer, status } from "../peers/WebServer.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const hang: Answer = () => {}
const HANGING = 20

const message = (workspaceId: string, target: string, number: number): NewDelivery => ({
  id: `dlv_${target}_${number}`,
  workspaceId,
  channel: "webhook",
  target,
  type: "alert.triggered",
  payload: "{}",
  createdAt: 0
})

const put = (workspaceId: string, target: string, count: number) =>
  Effect.flatMap(Outbox, (outbox) =>
    outbox.put(Array.from({ length: count }, (_, number) => message(workspaceId, target, number)))
  )

/** Twenty workspaces with five webhooks each, at a server that never answers, and a backlog at every one. */
const hanging = Effect.gen(function* () {
  const dead = yield* startWebServer(hang)
  for (let index = 0; index < HANGING * 5; index++) {
    const workspace_id = `wsp_dead_${index % HANGING}`
    const id = `whk_dead_${index}`
    yield* addWebhook(id, `http://127.0.0.1:${dead.port}/${index % HANGING}`, [[secret, null]], {
      workspace_id
    })
    yield* put(workspace_id, id, 30)
  }
  return dead
})

const sent: Array<string> = []
const mailer = Layer.succeed(Mailer, { send: ({ to }) => Effect.sync(() => void sent.push(to)) })

/**
 * Runs `test` beside a worker whose attempts at webhooks take `timeout` milliseconds before they are given
 * up.
 */
const beside = <A, E, R>(timeout: number, test: Effect.Effect<A, E, R>, mail = mailer) =>
  Effect.gen(function* () {
    yield* makeWorkspace
    const running = yield* Effect.forkChild(Effect.flatMap(OutboxWorker, ({ run }) => run))
    yield* test
    yield* Fiber.interrupt(running)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      OutboxWorker.layer({ mail: true }).pipe(
        Layer.provide([
          WebhookSender.layerWith(timeout),
          mail,
          StreamWorker.layer({ folder: null, timeout, mail: false })
        ]),
        Layer.provideMerge(storage)
      )
    )
  )

/** Milliseconds within which everything arrives, also on a busy machine, and long before a test ends. */
const SOON = 80_000

/** Looks until it is so. It never is where something is held up, and that is no lack of time. */
const until = <E = never, R = never>(done: Effect.Effect<boolean, E, R> | (() => boolean)) =>
  Effect.suspend(() => {
    const end = performance.now() + SOON
    return (Effect.isEffect(done) ? done : Effect.sync(done)).pipe(
      Effect.delay(20),
      Effect.tap((isSo) =>
        Effect.sync(() => assert.isTrue(isSo || performance.now() < end, "it does not come"))
      ),
      Effect.repeat({ until: (isSo) => isSo })
    )
  })

describe("receivers that hang", () => {
  it.live("in twenty workspaces hold up neither another workspace's webhook nor its mail", () =>
    beside(
      600_000,
      Effect.gen(function* () {
        const dead = yield* hanging
        // Each has all that it may have in progress.
        yield* until(() => dead.received.length >= HANGING * 5)
        const well = yield* startWebServer(status(200))
        yield* addWebhook("whk_well", `http://127.0.0.1:${well.port}/`, [[secret, null]])
        yield* put(WORKSPACE, "whk_well", 125)
        yield* putMailDelivery("dlv_mail", "owner@example.com")
        yield* until(() => well.received.length >= 125 && sent.length >= 1)
        assert.lengthOf(well.received, 125)
        assert.deepStrictEqual(sent, ["owner@example.com"])
        const each = dead.received.reduce(
          (counts, { path }) => counts.set(path, (counts.get(path) ?? 0) + 1),
          new Map<string, number>()
        )
        assert.isAtMost(Math.max(...each.values()), 24, "of one workspace")
      })
    )
  )

  it.live("do not take the places of one of their own workspace that answers slowly but well", () =>
    beside(
      1_500,
      Effect.gen(function* () {
        const dead = yield* startWebServer(hang)
        for (let index = 0; index < 30; index++) {
          yield* addWebhook(`whk_dead_${index}`, `http://127.0.0.1:${dead.port}/`, [[secret, null]])
          yield* put(WORKSPACE, `whk_dead_${index}`, 30)
        }
        const held = new Set<() => void>()
        let most = 0
        // Answers once four wait and a fifth could have come; fewer wait for less than an attempt may take.
        const slow = yield* startWebServer((...request) => {
          const answer = () => {
            if (held.delete(answer)) status(200)(...request)
          }
          held.add(answer)
          most = Math.max(most, held.size)
          setTimeout(answer, 700)
          const answerAll = () => [...held].map((each) => each())
          if (held.size === 4) setTimeout(answerAll, 100)
        })
        yield* addWebhook("whk_slow", `http://127.0.0.1:${slow.port}/`, [[secret, null]])
        yield* put(WORKSPACE, "whk_slow", 24)
        yield* until(() => slow.received.length >= 24)
        // All four places that one receiver may have, beside thirty that hang.
        assert.strictEqual(most, 4)
        const webhooks = yield* Webhooks
        const stands = Option.getOrThrow(yield* webhooks.get(WORKSPACE, "whk_slow"))
        assert.deepInclude(stands, { enabled: true, failing_since: null })
      })
    )
  )
})

/**
 * A mail server that is silent about addresses that begin with `dead` and the name of the test: `silence`
 * says how an attempt at one goes, by how many there were before. It refuses what other tests have left.
 */
const silentAbout = (test: string, silence: (before: number) => Effect.Effect<void, MailFailed>) => {
  const tried: Array<string> = []
  const well: Array<string> = []
  const send: Mailer["Service"]["send"] = ({ to }) =>
    Effect.suspend(() => {
      if (to.startsWith(`well-${test}`)) return Effect.sync(() => void well.push(to))
      if (!to.startsWith(`dead-${test}`))
        return Effect.fail(new MailFailed({ reason: "unknown", permanent: true, answered: true }))
      const before = tried.filter((address) => address === to).length
      tried.push(to)
      return silence(before)
    })
  /** Mails to addresses of which it says nothing, one to each, a workspace after the other. */
  const putDead = (round: string, count: number, workspaces: number) =>
    Effect.forEach(Array.from({ length: count }).keys(), (index) =>
      putMailDelivery(
        `dlv_${test}_${round}_${index}`,
        `dead-${test}-${index}@example.com`,
        `wsp_dead_${index % workspaces}`
      )
    )
  /** Waits until an attempt at each of them has ended and is stored. */
  const untilTried = (round: string, count: number, workspaces: number) =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      for (let index = 0; index < count; index++)
        yield* until(
          Effect.map(
            outbox.attempts(`wsp_dead_${index % workspaces}`, `dlv_${test}_${round}_${index}`),
            (made) => made.length > 0
          )
        )
    })
  /** Twenty mails of another workspace, to as many people, which arrive. */
  const arrive = Effect.gen(function* () {
    for (let index = 0; index < 20; index++)
      yield* putMailDelivery(`dlv_${test}_well_${index}`, `well-${test}-${index}@example.com`)
    yield* until(() => well.length >= 20)
  })
  return { tried, putDead, untilTried, arrive, mail: Layer.succeed(Mailer, { send }) }
}

describe("addresses about which the mail server is silent", () => {
  it.live("in twenty workspaces hold up nobody else's mail, though nobody knows them yet", () => {
    const { tried, putDead, arrive, mail } = silentAbout("unknown", () => Effect.never)
    return beside(
      600_000,
      Effect.gen(function* () {
        yield* putDead("first", HANGING * 5, HANGING)
        yield* until(() => tried.length >= HANGING * 2)
        yield* arrive
        assert.lengthOf(tried, HANGING * 2)
      }),
      mail
    )
  })

  it.live("have a part of the places once they are known, in however many workspaces", () => {
    const silence = new MailFailed({ reason: "silence", permanent: false, answered: false })
    const { tried, putDead, untilTried, arrive, mail } = silentAbout("known", (before) =>
      before > 0 ? Effect.never : Effect.delay(Effect.fail(silence), 1_100)
    )
    return beside(
      600_000,
      Effect.gen(function* () {
        yield* putDead("first", 50, 50)
        yield* untilTried("first", 50, 50)
        yield* putDead("second", 50, 50)
        yield* until(() => tried.length >= 50 + 24)
        yield* arrive
        assert.lengthOf(tried, 50 + 24)
      }),
      mail
    )
  })
})
