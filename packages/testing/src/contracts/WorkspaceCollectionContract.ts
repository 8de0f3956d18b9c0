/**
 * The contract of the ports of a workspace's settings, as tests: `AlertRules`, `Webhooks`, `LogStreams`,
 * `Members` and `ViewerKeys`.
 */
import {
  AlertRuleLimitReached,
  AlertRules,
  decodeAlertRule,
  type StoredAlertRule,
  withinRuleLimit
} from "@cairn/core/alert"
import { LogStreams, type StoredLogStream, type Webhook, Webhooks } from "@cairn/core/outbound"
import {
  ManagedWorkspaces,
  type Member,
  MemberExists,
  Members,
  type ViewerKey,
  ViewerKeys,
  type WorkspaceCollection,
  withNewEmail
} from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Option, Result } from "effect"
import { testMember } from "../generators/TestMember.ts"
import { testWorkspace } from "../generators/TestWorkspace.ts"
import { admitAmongContract, type Item } from "./AdmitAmongContract.ts"
import { type ConsumptionLayer, type ConsumptionServices, consumptionTest } from "./ConsumptionContract.ts"
import { firstOwnerContract } from "./FirstOwnerContract.ts"
import { memberAddressContract } from "./MemberAddressContract.ts"
import { NOON } from "./StorageSteps.ts"

const hostile = "Çelik & Söhne '); DROP TABLE webhook; -- \u{1F600}\n"

const makeWorkspace = (id: string) =>
  Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id, created_at: NOON })))

/** What the suite must know about one port. */
interface Sample<A extends Item> {
  readonly name: string
  readonly port: Effect.Effect<WorkspaceCollection<A>, never, ConsumptionServices>
  readonly make: (at: {
    readonly id: string
    readonly workspace_id: string
    readonly created_at: number
  }) => A
  readonly change: (item: A) => A
}

const rules: Sample<StoredAlertRule> = {
  name: "AlertRules",
  port: AlertRules,
  make: (at) => ({
    ...at,
    definition: Result.getOrThrow(
      decodeAlertRule({
        name: hostile,
        rule_type: "off_hours",
        action: "user.*",
        parameters: { timezone: "Europe/Paris", days: [1, 2, 3] }
      })
    ),
    updated_at: at.created_at
  }),
  change: (rule) => ({ ...rule, definition: { ...rule.definition, enabled: false }, updated_at: NOON + 9 })
}

const webhooks: Sample<Webhook> = {
  name: "Webhooks",
  port: Webhooks,
  make: (at) => ({
    ...at,
    url: `https://example.com/?q=${hostile}`,
    description: null,
    types: ["alert.triggered", "webhook.test"],
    enabled: true,
    disabled_reason: null,
    failing_since: null,
    secrets: [
      { sealed: "v1.new", expires_at: null },
      { sealed: "v1.old", expires_at: NOON + 5 }
    ],
    updated_at: at.created_at
  }),
  change: (webhook) => ({
    ...webhook,
    enabled: false,
    disabled_reason: "failing",
    failing_since: NOON,
    updated_at: NOON + 9
  })
}

const streams: Sample<StoredLogStream> = {
  name: "LogStreams",
  port: LogStreams,
  make: (at) => ({
    ...at,
    settings: {
      name: hostile,
      enabled: true,
      format: "ocsf",
      action: null,
      tenant_id: null,
      batch_events: 10,
      batch_seconds: null,
      checkpoints: null
    },
    destination: { type: "https", url: "https://example.com", headers: { a: "b" } },
    sealed: null,
    after: -(2 ** 36),
    updated_at: at.created_at
  }),
  change: (stream) => ({ ...stream, sealed: "v1.sealed", destination: { type: "file" } })
}

const members: Sample<Member> = {
  name: "Members",
  port: Members,
  make: (at) => testMember({ ...at, email: `${at.id}@example.com`, name: hostile }),
  change: (member) => ({
    ...member,
    role: "member",
    name: null,
    confirmed_at: null,
    signed_in_at: NOON + 4,
    expires_at: NOON + 5,
    sessions_from: NOON + 6,
    managed_by: "oidc"
  })
}

const viewerKeys: Sample<ViewerKey> = {
  name: "ViewerKeys",
  port: ViewerKeys,
  make: (at) => ({ ...at, sealed: `v1.${hostile}`, retired_at: null, updated_at: at.created_at }),
  change: (key) => ({ ...key, retired_at: NOON + 1 })
}

const collectionContract = <A extends Item>(
  adapter: string,
  storage: ConsumptionLayer,
  { name, port, make, change }: Sample<A>
): void => {
  const test = consumptionTest(storage)
  const item = (id: string, at = 0, workspace_id = "wsp_1") =>
    make({ id, workspace_id, created_at: NOON + at })

  /** The port, over a storage with two workspaces. */
  const ready = Effect.gen(function* () {
    yield* makeWorkspace("wsp_1")
    yield* makeWorkspace("wsp_2")
    return yield* port
  })

  describe(`${adapter}: ${name}`, () => {
    test(
      "what was created is read as it was, by its own workspace alone",
      Effect.gen(function* () {
        const items = yield* ready
        yield* items.create(item("a"))
        assert.deepStrictEqual(yield* items.get("wsp_1", "a"), Option.some(item("a")))
        assert.deepStrictEqual(yield* items.get("wsp_2", "a"), Option.none())
        assert.deepStrictEqual(yield* items.get("wsp_1", "b"), Option.none())
        assert.deepStrictEqual(yield* items.list("wsp_2"), [])
      })
    )

    test(
      "an id is taken for good, in all workspaces",
      Effect.gen(function* () {
        const items = yield* ready
        yield* items.create(item("a"))
        const second = yield* Effect.exit(items.create(item("a", 1, "wsp_2")))
        assert.isTrue(Exit.isFailure(second))
        assert.deepStrictEqual(yield* items.all, [item("a")])
      })
    )

    test(
      "they are listed newest first, and all together",
      Effect.gen(function* () {
        const items = yield* ready
        const all = [item("b", 1), item("c", 0), item("a", 1), item("d", 5, "wsp_2")]
        for (const each of all) yield* items.create(each)
        assert.deepStrictEqual(yield* items.list("wsp_1"), [item("b", 1), item("a", 1), item("c", 0)])
        assert.sameDeepMembers([...(yield* items.all)], all)
      })
    )

    test(
      "one is changed whole, but never its id, workspace and time of creation",
      Effect.gen(function* () {
        const items = yield* ready
        yield* items.create(item("a"))
        yield* items.create(item("b"))
        const changed = yield* items.modify("wsp_1", "a", (before) =>
          Result.succeed({ ...change(before), id: "x", workspace_id: "wsp_2", created_at: 1 })
        )
        assert.deepStrictEqual(changed, Option.some(change(item("a"))))
        assert.deepStrictEqual(yield* items.get("wsp_1", "a"), changed)
        assert.deepStrictEqual(yield* items.get("wsp_1", "b"), Option.some(item("b")))
        assert.deepStrictEqual(yield* items.list("wsp_2"), [])
      })
    )

    test(
      "a change that is refused changes nothing, and there is none of what is not there",
      Effect.gen(function* () {
        const items = yield* ready
        yield* items.create(item("a"))
        const refused = yield* Effect.flip(items.modify("wsp_1", "a", () => Result.fail("no" as const)))
        assert.strictEqual(refused, "no")
        assert.deepStrictEqual(yield* items.get("wsp_1", "a"), Option.some(item("a")))
        const succeed = (before: A) => Result.succeed(change(before))
        assert.deepStrictEqual(yield* items.modify("wsp_2", "a", succeed), Option.none())
        assert.deepStrictEqual(yield* items.modify("wsp_1", "b", succeed), Option.none())
      })
    )

    test(
      "removed is gone, once, and only by its own workspace",
      Effect.gen(function* () {
        const items = yield* ready
        yield* items.create(item("a"))
        yield* items.create(item("b"))
        assert.isFalse(yield* items.remove("wsp_2", "a"))
        assert.isTrue(yield* items.remove("wsp_1", "a"))
        assert.isFalse(yield* items.remove("wsp_1", "a"))
        assert.deepStrictEqual(yield* items.list("wsp_1"), [item("b")])
      })
    )

    admitAmongContract({ test, ready, item, change })

    test(
      "a limit holds however many are created at once",
      Effect.gen(function* () {
        const items = yield* ready
        yield* items.create(item("other", 0, "wsp_2"))
        const fewerThanThree = (existing: ReadonlyArray<A>) =>
          existing.length < 3 ? Result.void : Result.fail("full" as const)
        const outcomes = yield* Effect.all(
          Array.from({ length: 8 }, (_, index) =>
            Effect.exit(items.create(item(`item-${index}`, index), fewerThanThree))
          ),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(outcomes.filter(Exit.isSuccess), 3)
        assert.lengthOf(yield* items.list("wsp_1"), 3)
      })
    )

    test(
      "changes that come at once all take effect",
      Effect.gen(function* () {
        const items = yield* ready
        yield* items.create(item("a"))
        const count = Array.from({ length: 8 }, () =>
          items.modify("wsp_1", "a", (before) =>
            Result.succeed({ ...before, updated_at: before.updated_at + 1 })
          )
        )
        yield* Effect.all(count, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          yield* items.get("wsp_1", "a"),
          Option.some({ ...item("a"), updated_at: NOON + 8 })
        )
      })
    )
  })
}

/** Registers the contract of each of the four ports for the storage called `name`. */
export const workspaceCollectionsContract = (name: string, storage: ConsumptionLayer): void => {
  collectionContract(name, storage, rules)
  collectionContract(name, storage, webhooks)
  collectionContract(name, storage, streams)
  collectionContract(name, storage, members)
  collectionContract(name, storage, viewerKeys)
  memberAddressContract(name, storage)
  firstOwnerContract(name, storage)

  const test = consumptionTest(storage)
  describe(`${name}: limits of settings`, () => {
    test(
      "a plan's limit of rules refuses the next one",
      Effect.gen(function* () {
        yield* makeWorkspace("wsp_1")
        const { create } = yield* AlertRules
        const rule = (id: string) => rules.make({ id, workspace_id: "wsp_1", created_at: NOON })
        yield* create(rule("a"), withinRuleLimit(1))
        const refused = yield* Effect.flip(create(rule("b"), withinRuleLimit(1)))
        assert.deepStrictEqual(refused, new AlertRuleLimitReached({ limit: 1 }))
        yield* create(rule("b"), withinRuleLimit(null))
      })
    )

    test(
      "an address is a workspace's member once, in whatever case",
      Effect.gen(function* () {
        yield* makeWorkspace("wsp_1")
        yield* makeWorkspace("wsp_2")
        const { create } = yield* Members
        const member = (id: string, email: string, workspace_id: string) => ({
          ...members.make({ id, workspace_id, created_at: NOON }),
          email
        })
        yield* create(member("a", "Ada@example.com", "wsp_1"), withNewEmail("Ada@example.com", false))
        const refused = yield* Effect.flip(
          create(member("b", "ada@Example.com", "wsp_1"), withNewEmail("ada@Example.com", false))
        )
        assert.deepStrictEqual(refused, new MemberExists({ email: "ada@Example.com" }))
        yield* create(member("b", "ada@example.com", "wsp_2"), withNewEmail("ada@example.com", false))
      })
    )
  })
}
