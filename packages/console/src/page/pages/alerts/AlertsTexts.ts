/** What the page of alerts says. */
import type { Texts } from "../../locale/Texts.ts"

interface AlertsTable {
  readonly hint: string
  readonly list: string
  readonly rules: string
  readonly type: string
  readonly everyType: string
  readonly count: (count: number, formatted: string) => string
  readonly columns: Readonly<Record<"alert" | "type" | "event" | "when" | "state", string>>
  readonly event: string
  readonly acknowledge: string
  readonly acknowledgeNamed: (name: string) => string
  readonly acknowledged: string
  readonly open: string
  readonly by: string
  readonly you: string
  readonly key: string
  readonly empty: string
  readonly emptyHint: string
  readonly emptyHintReader: string
  readonly newRule: string
  readonly emptyFiltered: string
  readonly emptyFilteredHint: string
  readonly wrongOrder: string
}

/** In each language. */
export const alertsTexts: Texts<AlertsTable> = {
  en: {
    hint: "What the rules found, the newest first. Acknowledging an alert says that somebody has taken note of it.",
    list: "Alerts",
    rules: "Alert rules",
    type: "Rule type",
    everyType: "Every type",
    count: (count, formatted) => `${formatted} ${count === 1 ? "alert" : "alerts"}`,
    columns: { alert: "Alert", type: "Rule type", event: "Event", when: "When", state: "Acknowledged" },
    event: "Show event",
    acknowledge: "Acknowledge",
    acknowledgeNamed: (name) => `Acknowledge: ${name}`,
    acknowledged: "Acknowledged",
    open: "Not yet",
    by: "by",
    you: "you",
    key: "API key",
    empty: "No rule has raised an alert",
    emptyHint:
      "A rule watches the log and raises an alert when something looks wrong: mass deletion, access from a new country, work at night. Choose what to look for, see what it would have raised so far, and turn it on.",
    emptyHintReader:
      "Alerts appear here when a rule finds something. Owners, admins and developers of the workspace make rules.",
    newRule: "Make a rule",
    emptyFiltered: "No alert matches",
    emptyFilteredHint: "Change or clear the filters to see more.",
    wrongOrder: "The end is before the beginning."
  },
  de: {
    hint: "Was die Regeln gefunden haben, das Neueste zuerst. Wer einen Alarm quittiert, hat ihn zur Kenntnis genommen.",
    list: "Alarme",
    rules: "Alarmregeln",
    type: "Art der Regel",
    everyType: "Alle Arten",
    count: (count, formatted) => `${formatted} ${count === 1 ? "Alarm" : "Alarme"}`,
    columns: { alert: "Alarm", type: "Art der Regel", event: "Ereignis", when: "Wann", state: "Quittiert" },
    event: "Ereignis zeigen",
    acknowledge: "Quittieren",
    acknowledgeNamed: (name) => `Quittieren: ${name}`,
    acknowledged: "Quittiert",
    open: "Noch nicht",
    by: "von",
    you: "Ihnen",
    key: "API-Schlüssel",
    empty: "Noch hat keine Regel einen Alarm ausgelöst",
    emptyHint:
      "Eine Regel überwacht das Protokoll und löst einen Alarm aus, wenn etwas nicht stimmt: Massenlöschung, Zugriff aus einem neuen Land, Arbeit bei Nacht. Wählen Sie, wonach gesucht wird, sehen Sie, was sie bisher ausgelöst hätte, und aktivieren Sie sie.",
    emptyHintReader:
      "Alarme erscheinen hier, wenn eine Regel etwas findet. Regeln legen Inhaber, Administratoren und Entwickler des Workspace an.",
    newRule: "Regel anlegen",
    emptyFiltered: "Kein Alarm passt",
    emptyFilteredHint: "Ändern Sie die Filter oder setzen Sie sie zurück, um mehr zu sehen.",
    wrongOrder: "Das Ende liegt vor dem Anfang."
  },
  ja: {
    hint: "ルールが検知した内容を新しい順に表示します。確認済みにすると、誰かが把握したことが記録されます。",
    list: "アラート",
    rules: "アラートルール",
    type: "ルールの種類",
    everyType: "すべての種類",
    count: (_, formatted) => `${formatted} 件のアラート`,
    columns: { alert: "アラート", type: "ルールの種類", event: "イベント", when: "日時", state: "確認" },
    event: "イベントを表示",
    acknowledge: "確認済みにする",
    acknowledgeNamed: (name) => `確認済みにする: ${name}`,
    acknowledged: "確認済み",
    open: "未確認",
    by: "確認者:",
    you: "あなた",
    key: "API キー",
    empty: "アラートはまだ発生していません",
    emptyHint:
      "ルールはログを監視し、大量削除、新しい国からのアクセス、夜間の操作など、不審な動きがあるとアラートを発生させます。検知する内容を選び、これまでに発生していたはずのアラートを確認してから有効にしてください。",
    emptyHintReader:
      "ルールが何かを検知すると、ここにアラートが表示されます。ルールはワークスペースのオーナー、管理者、開発者が作成します。",
    newRule: "ルールを作成",
    emptyFiltered: "条件に一致するアラートはありません",
    emptyFilteredHint: "条件を変更または解除すると、ほかのアラートが表示されます。",
    wrongOrder: "終了が開始より前になっています。"
  }
}
