/** What the page of usage says. */
import type { Texts } from "../../locale/Texts.ts"

interface UsageTable {
  readonly hint: string
  readonly month: (from: string, to: string) => string
  readonly events: string
  /** What the number of events is, and why others differ. */
  readonly eventsCount: (from: string) => string
  readonly exports: string
  readonly exportsCount: (from: string) => string
  readonly of: (used: string, limit: string) => string
  readonly unlimited: (used: string) => string
  readonly left: (left: string, share: string) => string
  readonly full: string
  readonly near: string
  readonly eventsFull: string
  readonly exportsFull: string
  readonly again: string
  readonly planTitle: string
  readonly planHint: string
  readonly plan: string
  readonly plans: Readonly<Record<"free" | "starter" | "pro" | "enterprise", string>>
  readonly overridden: string
  readonly none: string
  readonly eventsAMonth: string
  readonly exportsAMonth: string
  readonly requestsAMinute: string
  readonly rules: string
  readonly retention: string
  readonly days: (count: number, formatted: string) => string
  readonly rulesTitle: string
  readonly whenFull: string
  readonly whenFullText: string
  readonly counted: string
  readonly countedText: string
  readonly notCounted: string
  readonly notCountedText: string
  readonly rate: string
  readonly rateText: string
}

/** In each language. */
export const usageTexts: Texts<UsageTable> = {
  en: {
    hint: "What this workspace has used of its plan this month.",
    month: (from, to) => `The month began on ${from} and ends on ${to}.`,
    events: "Events",
    eventsCount: (from) =>
      `Accepted since ${from}, without records of who read the log. Other numbers count other things: the chart of the overview counts seven days, and the list of events the whole log, both with those records.`,
    exports: "Exports",
    exportsCount: (from) => `Begun since ${from}, of every format, whatever became of them.`,
    of: (used, limit) => `${used} of ${limit}`,
    unlimited: (used) => `${used}, without a limit`,
    left: (left, share) => `${left} left, ${share} used`,
    full: "Used up",
    near: "Nearly used up",
    eventsFull:
      "New events are refused until the month ends. A client that keeps what it could not send delivers it then, with its time. To take them now, the operator raises the limit.",
    exportsFull: "No further export can be made until the month ends. The files that are there stay.",
    again: "Counts start again",
    planTitle: "Plan",
    planHint: "The operator of the service sets the plan and its limits. Ask there for more.",
    plan: "Plan",
    plans: { free: "Free", starter: "Starter", pro: "Pro", enterprise: "Enterprise" },
    overridden: "agreed for this workspace",
    none: "no limit",
    eventsAMonth: "Events a month",
    exportsAMonth: "Exports a month",
    requestsAMinute: "Requests a minute",
    rules: "Alert rules",
    retention: "Retention",
    days: (count, formatted) => (count === 1 ? "1 day" : `${formatted} days`),
    rulesTitle: "How it is counted",
    whenFull: "When the events are used up",
    whenFullText:
      "The service answers 429 with the code quota_exceeded, and Retry-After says when the month ends. Of a batch it takes as many as there is room for, and names the rest. Reading, verifying and alerting go on.",
    counted: "What counts",
    countedText:
      "Every accepted event, once: what is sent again with the same idempotency key does not count twice. Every export that was begun counts.",
    notCounted: "What does not count",
    notCountedText:
      "Records of who has read what (cairn.access.*). Records of changes to this workspace, such as a new member or key, do count, and are never refused.",
    rate: "Requests a minute",
    rateText:
      "Beyond them the service answers 429 with the code rate_limited, for some seconds. Nothing is lost that is sent again. Log streams and webhooks have no limit in the plan."
  },
  de: {
    hint: "Was dieser Workspace in diesem Monat von seinem Tarif verbraucht hat.",
    month: (from, to) => `Der Monat begann am ${from} und endet am ${to}.`,
    events: "Ereignisse",
    eventsCount: (from) =>
      `Angenommen seit ${from}, ohne Aufzeichnungen, wer das Protokoll gelesen hat. Andere Zahlen zählen anderes: das Diagramm der Übersicht sieben Tage, die Liste der Ereignisse das ganze Protokoll, beide mit diesen Aufzeichnungen.`,
    exports: "Exporte",
    exportsCount: (from) => `Begonnen seit ${from}, in jedem Format, gleich was daraus wurde.`,
    of: (used, limit) => `${used} von ${limit}`,
    unlimited: (used) => `${used}, ohne Grenze`,
    left: (left, share) => `${left} übrig, ${share} verbraucht`,
    full: "Aufgebraucht",
    near: "Fast aufgebraucht",
    eventsFull:
      "Neue Ereignisse werden bis zum Monatsende abgelehnt. Ein Client, der Ungesendetes behält, liefert es dann nach, mit seiner Zeit. Um sie jetzt anzunehmen, erhöht der Betreiber die Grenze.",
    exportsFull: "Bis zum Monatsende kann kein weiterer Export erstellt werden. Vorhandene Dateien bleiben.",
    again: "Neue Zählung ab",
    planTitle: "Tarif",
    planHint: "Der Betreiber des Dienstes legt den Tarif und seine Grenzen fest. Fragen Sie dort nach mehr.",
    plan: "Tarif",
    plans: { free: "Free", starter: "Starter", pro: "Pro", enterprise: "Enterprise" },
    overridden: "für diesen Workspace vereinbart",
    none: "keine Grenze",
    eventsAMonth: "Ereignisse pro Monat",
    exportsAMonth: "Exporte pro Monat",
    requestsAMinute: "Anfragen pro Minute",
    rules: "Alarmregeln",
    retention: "Aufbewahrung",
    days: (count, formatted) => (count === 1 ? "1 Tag" : `${formatted} Tage`),
    rulesTitle: "Wie gezählt wird",
    whenFull: "Wenn die Ereignisse aufgebraucht sind",
    whenFullText:
      "Der Dienst antwortet 429 mit dem Code quota_exceeded; Retry-After nennt das Monatsende. Von einem Batch nimmt er so viele an, wie Platz ist, und nennt die übrigen. Lesen, Prüfen und Alarmieren gehen weiter.",
    counted: "Was zählt",
    countedText:
      "Jedes angenommene Ereignis, einmal: Was mit demselben Idempotenzschlüssel erneut gesendet wird, zählt nicht doppelt. Jeder begonnene Export zählt.",
    notCounted: "Was nicht zählt",
    notCountedText:
      "Aufzeichnungen, wer was gelesen hat (cairn.access.*). Aufzeichnungen von Änderungen an diesem Workspace, etwa ein neues Mitglied oder ein neuer Schlüssel, zählen und werden nie abgelehnt.",
    rate: "Anfragen pro Minute",
    rateText:
      "Darüber hinaus antwortet der Dienst einige Sekunden lang 429 mit dem Code rate_limited. Nichts geht verloren, was erneut gesendet wird. Log-Streams und Webhooks haben im Tarif keine Grenze."
  },
  ja: {
    hint: "このワークスペースが今月プランから使用した量です。",
    month: (from, to) => `今月の期間: ${from} から ${to} まで`,
    events: "イベント",
    eventsCount: (from) =>
      `${from} 以降に受け付けた数で、ログの閲覧記録は含みません。概要のグラフは 7 日間、イベントの一覧はログ全体の数で、どちらも閲覧記録を含むため、この数とは異なります。`,
    exports: "エクスポート",
    exportsCount: (from) => `${from} 以降に開始した数です。形式や結果を問いません。`,
    of: (used, limit) => `${used} / ${limit}`,
    unlimited: (used) => `${used}(無制限)`,
    left: (left, share) => `残り ${left}、使用率 ${share}`,
    full: "上限に達しました",
    near: "まもなく上限です",
    eventsFull:
      "月末まで新しいイベントは拒否されます。未送信のイベントを保持するクライアントは、月が変わると元の時刻で送信します。すぐに受け付けるには、運用者が上限を引き上げます。",
    exportsFull: "月末まで新しいエクスポートは作成できません。既存のファイルは残ります。",
    again: "集計のリセット",
    planTitle: "プラン",
    planHint: "プランと上限はサービスの運用者が設定します。引き上げは運用者に依頼してください。",
    plan: "プラン",
    plans: { free: "Free", starter: "Starter", pro: "Pro", enterprise: "Enterprise" },
    overridden: "このワークスペースの個別設定",
    none: "無制限",
    eventsAMonth: "1 か月のイベント数",
    exportsAMonth: "1 か月のエクスポート数",
    requestsAMinute: "1 分あたりのリクエスト数",
    rules: "アラートルール",
    retention: "保存期間",
    days: (_, formatted) => `${formatted} 日`,
    rulesTitle: "集計の方法",
    whenFull: "イベントの上限に達した場合",
    whenFullText:
      "サービスはコード quota_exceeded とともに 429 を返し、Retry-After で月末を示します。バッチは空きのある分だけ受け付け、残りを示します。閲覧、検証、アラートは継続します。",
    counted: "集計されるもの",
    countedText:
      "受け付けたイベントを 1 件ずつ数えます。同じ冪等キーで再送されたものは重複して数えません。開始したエクスポートはすべて数えます。",
    notCounted: "集計されないもの",
    notCountedText:
      "誰が何を閲覧したかの記録(cairn.access.*)。メンバーやキーの追加など、ワークスペースの変更の記録は集計されますが、拒否されることはありません。",
    rate: "1 分あたりのリクエスト数",
    rateText:
      "超えるとサービスは数秒間、コード rate_limited とともに 429 を返します。再送すれば失われません。ログストリームと Webhook にプランの上限はありません。"
  }
}
