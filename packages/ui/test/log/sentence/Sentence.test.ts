import type { Event } from "@cairn/core/event"
import { HOSTILE_MARKUP } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { de } from "../../../src/locale/de.ts"
import { en } from "../../../src/locale/en.ts"
import { ja } from "../../../src/locale/ja.ts"
import { deedOf, outcomeOf, sentenceOf, type Templates } from "../../../src/log/sentence/Sentence.ts"

/** What an event of these tests says; everything else is empty. */
interface Told {
  readonly action: string
  readonly actor?: Partial<Event["actor"]>
  readonly resource?: Partial<Event["resource"]>
  readonly targets?: Event["targets"]
  readonly tenant_id?: string
  readonly metadata?: Event["metadata"]
}

const eventOf = ({ actor, resource, ...told }: Told): Event => ({
  id: "00000000-0000-4000-8000-000000000000",
  actor: { id: "usr_1", name: "Sam O'Neil", type: "user", ...actor },
  action_category: null,
  resource: { type: null, id: null, name: null, ...resource },
  targets: [],
  metadata: null,
  tenant_id: null,
  session_id: null,
  ip_country: null,
  ip_city: null,
  idempotency_key: null,
  version: null,
  integrity: { event_hash: null, previous_event_hash: null },
  occurred_at: "2026-03-04T12:00:00.000000Z",
  created_at: "2026-03-04T12:00:00.000000Z",
  ...told
})

type Locale = "de" | "en" | "ja"

const piecesOf = (told: Told, locale: Locale = "en", templates: Templates = {}) => {
  const texts = { de, en, ja }[locale].sentence
  const number = (value: number) => new Intl.NumberFormat(locale).format(value)
  return sentenceOf(eventOf(told), { texts, language: locale, templates, number })
}
const textOf = (told: Told, locale?: Locale, templates?: Templates): string =>
  piecesOf(told, locale, templates)
    .map(({ text }) => text)
    .join("")

const LIST = { type: "document", id: "doc_1", name: "Kundenliste" }
const ADA = { type: "user", id: "usr_2", name: "Ada" }

describe("a sentence", () => {
  it.each<readonly [Told, string, string, string]>([
    [
      { action: "document.deleted", resource: LIST },
      "Sam O'Neil deleted Kundenliste",
      "Sam O'Neil hat Kundenliste gelöscht",
      "Sam O'Neil が Kundenliste を削除しました"
    ],
    [
      { action: "document.shared", resource: LIST, targets: [ADA] },
      "Sam O'Neil shared Kundenliste with Ada",
      "Sam O'Neil hat Kundenliste mit Ada geteilt",
      "Sam O'Neil が Kundenliste を Ada と共有しました"
    ],
    [
      { action: "user.logged_in" },
      "Sam O'Neil signed in",
      "Sam O'Neil hat sich angemeldet",
      "Sam O'Neil がサインインしました"
    ],
    [
      { action: "user.login_failed" },
      "Sam O'Neil could not sign in",
      "Sam O'Neil konnte sich nicht anmelden",
      "Sam O'Neil はサインインできませんでした"
    ],
    [
      { action: "payment.failed", resource: { id: "inv_7", name: "Invoice 7" } },
      "Sam O'Neil: payment failed · Invoice 7",
      "Sam O'Neil: payment fehlgeschlagen · Invoice 7",
      "Sam O'Neil: payment が失敗しました · Invoice 7"
    ],
    [
      { action: "document.frobnicated", resource: LIST },
      "Sam O'Neil: document.frobnicated · Kundenliste",
      "Sam O'Neil: document.frobnicated · Kundenliste",
      "Sam O'Neil: document.frobnicated · Kundenliste"
    ],
    [
      { action: "report.exported", actor: { id: "key_9", name: null, type: "api_key" }, resource: LIST },
      "API key key_9 exported Kundenliste",
      "API-Schlüssel key_9 hat Kundenliste exportiert",
      "API キー key_9 が Kundenliste をエクスポートしました"
    ],
    [
      { action: "backup.completed", actor: { id: "system", name: "", type: "system" } },
      "System completed backup",
      "System hat backup abgeschlossen",
      "システム が backup を完了しました"
    ],
    [
      { action: "user.invited", targets: [ADA, { type: "user", id: "usr_3" }, { type: "user" }] },
      "Sam O'Neil invited Ada and 2 more",
      "Sam O'Neil hat Ada und 2 weitere eingeladen",
      "Sam O'Neil が Ada ほか 2 件 を招待しました"
    ],
    [
      { action: "team.joined", resource: { id: "team_1", name: "Design" } },
      "Sam O'Neil joined Design",
      "Sam O'Neil ist Design beigetreten",
      "Sam O'Neil が Design に参加しました"
    ]
  ])("of %j is in three languages", (told, en, de, ja) => {
    assert.deepStrictEqual([textOf(told, "en"), textOf(told, "de"), textOf(told, "ja")], [en, de, ja])
  })

  it.each<readonly [Told, string]>([
    [{ action: "document.deleted", actor: { name: null } }, "usr_1 deleted document"],
    [{ action: "document.deleted", resource: { type: "document", id: "doc_1" } }, "Sam O'Neil deleted doc_1"],
    [{ action: "document.deleted", resource: { type: "document" } }, "Sam O'Neil deleted document"],
    [{ action: "deleted" }, "Sam O'Neil: deleted"],
    [{ action: "user.password.changed", resource: ADA }, "Sam O'Neil changed Ada (password)"],
    [{ action: "user.password.changed" }, "Sam O'Neil changed user password"],
    [{ action: "webhook.secret_rotated", resource: LIST }, "Sam O'Neil rotated Kundenliste (secret)"],
    [{ action: "deleteDocument" }, "Sam O'Neil deleted document"],
    [{ action: "document.copy", resource: LIST }, "Sam O'Neil copied Kundenliste"],
    [{ action: "DOCUMENT:CREATE", resource: LIST }, "Sam O'Neil created Kundenliste"],
    [{ action: "price_list", resource: LIST }, "Sam O'Neil: price_list · Kundenliste"],
    [{ action: "user.joined", resource: { id: "usr_1", name: "Sam" } }, "Sam O'Neil joined"],
    [{ action: "user.signed_in", resource: { id: "usr_1", name: "Sam" } }, "Sam O'Neil signed in"],
    [{ action: "app.login", resource: { id: "app_1", name: "Portal" } }, "Sam O'Neil signed in · Portal"],
    [{ action: "login.failed" }, "Sam O'Neil could not sign in"],
    [{ action: "access.denied", resource: LIST }, "Sam O'Neil: access denied · Kundenliste"],
    [{ action: "cairn.workspace.updated", resource: { name: "Acme" } }, "Sam O'Neil updated Acme"],
    [{ action: "cairn.session.started", resource: { id: "ses_1" } }, "Sam O'Neil signed in · ses_1"],
    [{ action: "" }, "Sam O'Neil: "],
    [{ action: "constructor" }, "Sam O'Neil: constructor"],
    [{ action: "a.__proto__" }, "Sam O'Neil: a.__proto__"]
  ])("of %j is %s", (told, en) => {
    assert.strictEqual(textOf(told), en)
  })

  it("holds what an event says as pieces of their own, whatever it is", () => {
    for (const hostile of [...HOSTILE_MARKUP, "{actor}", "{resource} {object}", "$&", "\u202Egpj.exe"]) {
      const told = { action: "document.deleted", actor: { name: hostile }, resource: { name: hostile } }
      for (const locale of ["en", "de", "ja"] as const) {
        const names = piecesOf(told, locale).filter(({ kind }) => kind === "name")
        assert.deepStrictEqual(
          names.map(({ text }) => text),
          [hostile, hostile]
        )
      }
      const unknown = piecesOf({ action: hostile, resource: { name: hostile } })
      assert.isTrue(unknown.some(({ text }) => text === hostile))
    }
  })

  it("is read from a very long action in no time", () => {
    const long = "a".repeat(100_000)
    assert.strictEqual(textOf({ action: `${long}.deleted` }), `Sam O'Neil: ${long}.deleted`)
  })
})

describe("a workspace's own sentence", () => {
  const told = { action: "document.version.deleted", resource: LIST, tenant_id: "acme" }

  it("comes before the default, and the longest pattern in the reader's language first", () => {
    const templates = {
      "document.*": { en: "{actor} touched {resource}", de: "{actor} hat {resource} angefasst" },
      "document.version.*": { en: "{actor} rewrote {resource} of {tenant}" },
      "document.version.deleted": { ja: "{actor}: {resource}" }
    }
    assert.strictEqual(textOf(told, "en", templates), "Sam O'Neil rewrote Kundenliste of acme")
    assert.strictEqual(textOf(told, "de", templates), "Sam O'Neil hat Kundenliste angefasst")
    assert.strictEqual(textOf(told, "ja", templates), "Sam O'Neil: Kundenliste")
    assert.strictEqual(
      textOf({ action: "documents.deleted", resource: LIST }, "en", templates),
      "Sam O'Neil deleted Kundenliste"
    )
  })

  it("is passed over where the event has nothing for what it names", () => {
    const templates = {
      "document.version.deleted": { en: "{actor} deleted {resource} for {target}" },
      "document.*": { en: "{actor}, {resource_type}, {action}" }
    }
    assert.strictEqual(textOf(told, "en", templates), "Sam O'Neil, document, document.version.deleted")
    const { resource: _, ...bare } = told
    assert.strictEqual(textOf(bare, "en", templates), "Sam O'Neil deleted document version")
    const unknown = { "document.*": { en: "{actor} {constructor}" } }
    assert.strictEqual(textOf(bare, "en", unknown), "Sam O'Neil deleted document version")
  })

  it("fills in what names hold without reading it again", () => {
    const templates = { "a.*": { en: "{actor} → {resource}" } }
    const hostile = { action: "a.b", actor: { name: "{resource}" }, resource: { name: "{actor}" } }
    assert.strictEqual(textOf(hostile, "en", templates), "{resource} → {actor}")
    assert.strictEqual(textOf({ action: "toString" }, "en", templates), "Sam O'Neil: toString")
  })
})

describe("an outcome", () => {
  it.each<readonly [Event["metadata"], ReturnType<typeof outcomeOf>]>([
    [{ outcome: "failure" }, "failed"],
    [{ outcome: "Denied" }, "denied"],
    [{ result: "error" }, "failed"],
    [{ success: false }, "failed"],
    [{ success: true, outcome: "success" }, undefined],
    [{ outcome: { failure: 1 } }, undefined],
    [{ status: "failed" }, undefined],
    [null, undefined]
  ])("of metadata %j is %s", (metadata, outcome) => {
    assert.strictEqual(outcomeOf(eventOf({ action: "document.deleted", metadata })), outcome)
  })

  it("is not said twice", () => {
    const metadata = { outcome: "failure" }
    for (const action of ["payment.failed", "user.login_failed", "access.denied"])
      assert.isUndefined(outcomeOf(eventOf({ action, metadata })))
  })
})

describe("what an action does, without who and with what", () => {
  it.each([
    [en, "user.logged_in", "signed in"],
    [en, "document.shared", "shared document"],
    [en, "login.failed", "could not sign in"],
    [de, "user.logged_in", "hat sich angemeldet"],
    [en, "frobnicate", ""],
    [en, "constructor", ""]
  ])("%# is told by its verb", (messages, action, told) => {
    assert.strictEqual(deedOf(action, messages.sentence), told)
    assert.notMatch(deedOf(action, messages.sentence), /[{}]/)
  })
})
