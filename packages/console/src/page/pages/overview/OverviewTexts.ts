/** What the overview says. */
import type { Texts } from "../../locale/Texts.ts"

interface OverviewTable {
  readonly accessEnds: string
  readonly whole: string
  readonly brokenHint: string
  readonly paused: string
  readonly checkedSince: string
  readonly newestCheckpoint: string
  readonly checkpointMeaning: string
  readonly newestAnchor: string
  readonly anchorMeaning: string
  /** For a service that does not sign at present. */
  readonly noCheckpoint: string
  readonly notRead: string
  readonly noAnchor: string
  readonly events: (count: number, formatted: string) => string
  /** What a checkpoint is about. */
  readonly signedAt: (count: number, formatted: string) => string
  readonly anchorStates: Readonly<Record<"pending" | "submitted" | "confirmed", string>>
  readonly integrity: string
  readonly delivered: string
  readonly webhooks: string
  readonly streams: string
  readonly mails: string
  readonly none: string
  readonly allWell: string
  readonly failing: (count: string) => string
  readonly off: (count: string) => string
  readonly behind: (events: string) => string
  readonly upToDate: string
  readonly month: string
  readonly monthHint: (from: string) => string
  readonly eventsUsed: string
  readonly exportsUsed: string
  readonly ofLimit: (used: string, limit: string) => string
  readonly unlimited: (used: string) => string
  readonly resets: string
  readonly hand: string
  readonly handNothing: string
  readonly handFindings: (count: string) => string
  readonly handAlerts: (count: string) => string
  readonly handWebhook: string
  readonly handStream: string
  readonly handQuota: string
  readonly handUnheard: string
  readonly week: string
  /** What the chart counts; without a number while it is read. */
  readonly weekHint: (count: number, formatted: string) => string
  readonly weekEmpty: string
  readonly alerts: string
  readonly alertsEmpty: string
  readonly open: string
  readonly allAlerts: string
  readonly start: string
  readonly startHint: string
  readonly startKey: string
  readonly startMembers: string
  readonly startRules: string
  readonly audit: string
  readonly auditHint: string
  readonly auditFile: string
  readonly auditCheck: string
  readonly auditReport: string
}

const en: OverviewTable = {
  accessEnds: "Your access to this workspace ends",
  whole: "Was anything tampered with?",
  brokenHint: "See which events, and what to do",
  paused: "The checks of the service are paused by its operator.",
  checkedSince: "Last checked to the end",
  newestCheckpoint: "Newest checkpoint",
  checkpointMeaning:
    "The state of the whole log in one signed hash: anybody who keeps it can prove later that the log was changed.",
  newestAnchor: "Newest anchor",
  anchorMeaning:
    "A period's events in one hash, their Merkle root, for a public blockchain: once it is there, not even this service can change them unseen.",
  noCheckpoint: "the service signs none at present",
  notRead: "could not be read",
  noAnchor: "none yet",
  events: (count, formatted) => `${formatted} ${count === 1 ? "event" : "events"}`,
  signedAt: (count, formatted) => `signed when the log had ${formatted} ${count === 1 ? "event" : "events"}`,
  anchorStates: {
    pending: "not sent to a blockchain",
    submitted: "sent to the blockchain",
    confirmed: "on the blockchain"
  },
  integrity: "All about integrity",
  delivered: "Delivery",
  webhooks: "Webhooks",
  streams: "Log streams",
  mails: "Mail",
  none: "none",
  allWell: "all well",
  failing: (count) => `${count} failing`,
  off: (count) => `${count} off`,
  behind: (events) => `${events} events behind`,
  upToDate: "up to date",
  month: "This month",
  monthHint: (from) =>
    `Accepted since ${from}, without records of who read the log. This counts for the plan.`,
  eventsUsed: "Events",
  exportsUsed: "Exports",
  ofLimit: (used, limit) => `${used} of ${limit}`,
  unlimited: (used) => `${used}, unlimited`,
  resets: "Resets",
  hand: "Needs attention",
  handNothing: "Nothing.",
  handFindings: (count) => `${count} ${count === "1" ? "finding" : "findings"} in the log`,
  handAlerts: (count) => `${count} ${count === "1" ? "alert" : "alerts"} that nobody has acknowledged`,
  handWebhook: "Webhook fails",
  handStream: "Log stream stands still",
  handQuota: "More than four fifths of this month's events are used",
  handUnheard: "Nobody gets alerts by mail: no owner or admin has a confirmed address",
  week: "The last seven days",
  weekHint: (count, formatted) =>
    `${formatted} ${count === 1 ? "event was" : "events were"} recorded in these seven days, also records of who read the log, which do not count for the plan.`,
  weekEmpty: "No event in the last seven days.",
  alerts: "Latest alerts",
  alertsEmpty: "No alert so far.",
  open: "open",
  allAlerts: "All alerts",
  start: "First steps",
  startHint: "Nothing has been recorded by your applications yet.",
  startKey: "Make an API key and send a first event",
  startMembers: "Invite others to the workspace",
  startRules: "Say what should raise an alert",
  audit: "Your audit",
  auditHint: "Get evidence of the log, check it without trusting this service, and keep the report.",
  auditFile: "Export an evidence file",
  auditCheck: "Check the file here, in your browser; nothing is uploaded",
  auditReport: "Save or print the report, and sign it"
}

const de: OverviewTable = {
  accessEnds: "Ihr Zugang zu diesem Workspace endet",
  whole: "Wurde etwas manipuliert?",
  brokenHint: "Welche Ereignisse das sind, und was zu tun ist",
  paused: "Die Prüfungen des Dienstes sind von seinem Betreiber angehalten.",
  checkedSince: "Zuletzt bis zum Ende geprüft",
  newestCheckpoint: "Neuester Checkpoint",
  checkpointMeaning:
    "Der Stand des ganzen Protokolls in einem signierten Hash: Wer ihn aufbewahrt, kann später beweisen, dass das Protokoll verändert wurde.",
  newestAnchor: "Neuester Anker",
  anchorMeaning:
    "Die Ereignisse einer Periode in einem Hash, ihrer Merkle-Wurzel, für eine öffentliche Blockchain: Steht er dort, kann nicht einmal dieser Dienst sie unbemerkt ändern.",
  noCheckpoint: "der Dienst signiert zurzeit keinen",
  notRead: "konnte nicht gelesen werden",
  noAnchor: "noch keiner",
  events: (count, formatted) => `${formatted} ${count === 1 ? "Ereignis" : "Ereignisse"}`,
  signedAt: (count, formatted) =>
    `signiert, als das Protokoll ${formatted} ${count === 1 ? "Ereignis" : "Ereignisse"} hatte`,
  anchorStates: {
    pending: "an keine Blockchain gesendet",
    submitted: "an die Blockchain gesendet",
    confirmed: "auf der Blockchain"
  },
  integrity: "Alles zur Integrität",
  delivered: "Zustellung",
  webhooks: "Webhooks",
  streams: "Log-Streams",
  mails: "E-Mail",
  none: "keine",
  allWell: "alle in Ordnung",
  failing: (count) => `${count} fehlerhaft`,
  off: (count) => `${count} aus`,
  behind: (events) => `${events} Ereignisse zurück`,
  upToDate: "auf dem neuesten Stand",
  month: "Dieser Monat",
  monthHint: (from) =>
    `Angenommen seit ${from}, ohne Aufzeichnungen, wer das Protokoll gelesen hat. Das zählt für den Tarif.`,
  eventsUsed: "Ereignisse",
  exportsUsed: "Exporte",
  ofLimit: (used, limit) => `${used} von ${limit}`,
  unlimited: (used) => `${used}, unbegrenzt`,
  resets: "Neuer Zeitraum",
  hand: "Was Aufmerksamkeit braucht",
  handNothing: "Nichts.",
  handFindings: (count) => `${count} Befunde im Protokoll`,
  handAlerts: (count) =>
    count === "1" ? "1 Alarm, den niemand bestätigt hat" : `${count} Alarme, die niemand bestätigt hat`,
  handWebhook: "Webhook schlägt fehl",
  handStream: "Log-Stream steht still",
  handQuota: "Mehr als vier Fünftel der Ereignisse dieses Monats sind verbraucht",
  handUnheard:
    "Niemand erhält Alarme per E-Mail: kein Inhaber oder Administrator hat eine bestätigte Adresse",
  week: "Die letzten sieben Tage",
  weekHint: (count, formatted) =>
    `${formatted} ${count === 1 ? "Ereignis wurde" : "Ereignisse wurden"} in diesen sieben Tagen aufgezeichnet, auch Aufzeichnungen, wer das Protokoll gelesen hat; diese zählen nicht für den Tarif.`,
  weekEmpty: "Kein Ereignis in den letzten sieben Tagen.",
  alerts: "Neueste Alarme",
  alertsEmpty: "Bisher kein Alarm.",
  open: "offen",
  allAlerts: "Alle Alarme",
  start: "Erste Schritte",
  startHint: "Ihre Anwendungen haben noch nichts aufgezeichnet.",
  startKey: "API-Schlüssel erstellen und ein erstes Ereignis senden",
  startMembers: "Andere in den Workspace einladen",
  startRules: "Festlegen, was einen Alarm auslöst",
  audit: "Ihre Prüfung",
  auditHint:
    "Holen Sie einen Nachweis des Protokolls, prüfen Sie ihn, ohne diesem Dienst zu vertrauen, und bewahren Sie den Bericht auf.",
  auditFile: "Nachweisdatei exportieren",
  auditCheck: "Datei hier im Browser prüfen; nichts wird hochgeladen",
  auditReport: "Bericht speichern oder drucken und unterschreiben"
}

const ja: OverviewTable = {
  accessEnds: "このワークスペースへのアクセスの終了",
  whole: "改ざんされていないか",
  brokenHint: "該当するイベントと対処方法を見る",
  paused: "サービスによる確認は運用者が停止しています。",
  checkedSince: "最後まで確認した日時",
  newestCheckpoint: "最新のチェックポイント",
  checkpointMeaning:
    "ログ全体の状態を 1 つの署名付きハッシュで表したものです。保管していれば、後でログが変更されたことを証明できます。",
  newestAnchor: "最新のアンカー",
  anchorMeaning:
    "期間内のイベントを 1 つのハッシュ(マークルルート)にまとめ、公開ブロックチェーンに記録するためのものです。記録後はこのサービス自身でも気付かれずに変更できません。",
  noCheckpoint: "サービスは現在署名していません",
  notRead: "読み取れませんでした",
  noAnchor: "まだありません",
  events: (_, formatted) => `${formatted} 件のイベント`,
  signedAt: (_, formatted) => `ログが ${formatted} 件の時点で署名`,
  anchorStates: {
    pending: "ブロックチェーンに未送信",
    submitted: "ブロックチェーンに送信済み",
    confirmed: "ブロックチェーンで確定"
  },
  integrity: "完全性の詳細",
  delivered: "配信",
  webhooks: "Webhook",
  streams: "ログストリーム",
  mails: "メール",
  none: "なし",
  allWell: "すべて正常",
  failing: (count) => `${count} 件が失敗中`,
  off: (count) => `${count} 件がオフ`,
  behind: (events) => `${events} 件の遅れ`,
  upToDate: "最新",
  month: "今月",
  monthHint: (from) => `${from} 以降に受け付けた数です。ログの閲覧記録は含みません。プランの集計対象です。`,
  eventsUsed: "イベント",
  exportsUsed: "エクスポート",
  ofLimit: (used, limit) => `${used} / ${limit}`,
  unlimited: (used) => `${used}(無制限)`,
  resets: "リセット",
  hand: "対応が必要なもの",
  handNothing: "ありません。",
  handFindings: (count) => `ログで ${count} 件を検出`,
  handAlerts: (count) => `未確認のアラート ${count} 件`,
  handWebhook: "Webhook が失敗しています",
  handStream: "ログストリームが止まっています",
  handQuota: "今月のイベント数が上限の 8 割を超えました",
  handUnheard: "アラートのメールを受け取る人がいません。アドレスを確認済みのオーナーや管理者がいません",
  week: "過去 7 日間",
  weekHint: (_, formatted) =>
    `この 7 日間に ${formatted} 件のイベントが記録されました。プランに集計されないログの閲覧記録も含みます。`,
  weekEmpty: "過去 7 日間のイベントはありません。",
  alerts: "最新のアラート",
  alertsEmpty: "アラートはまだありません。",
  open: "未確認",
  allAlerts: "すべてのアラート",
  start: "はじめに",
  startHint: "アプリケーションからの記録はまだありません。",
  startKey: "API キーを作成して最初のイベントを送信する",
  startMembers: "ワークスペースにメンバーを招待する",
  startRules: "アラートの条件を設定する",
  audit: "監査の手順",
  auditHint: "ログの証拠を取得し、このサービスを信頼することなく検証して、報告書を保管します。",
  auditFile: "証拠ファイルをエクスポート",
  auditCheck: "ファイルをブラウザー内で検証(アップロードされません)",
  auditReport: "報告書を保存または印刷して署名"
}

/** In each language. */
export const overviewTexts: Texts<OverviewTable> = { en, de, ja }
