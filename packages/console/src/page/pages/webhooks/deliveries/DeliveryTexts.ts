/** What is said of deliveries and of tests. */
import type { Texts } from "../../../locale/Texts.ts"

/** How a delivery stands. */
export type DeliveryState = "pending" | "delivered" | "failed"

/** How a delivery is sent. */
export type DeliveryChannel = "webhook" | "mail" | "stream"

interface DeliveryTable {
  readonly deliveries: string
  readonly hint: string
  readonly allHint: string
  readonly filters: string
  readonly anyState: string
  readonly anyChannel: string
  readonly state: string
  readonly channel: string
  readonly channels: Readonly<Record<DeliveryChannel, string>>
  readonly message: string
  readonly to: string
  readonly attempts: string
  readonly next: string
  readonly made: string
  readonly states: Readonly<Record<DeliveryState, string>>
  readonly waiting: string
  readonly none: string
  readonly noneHint: string
  readonly noneYet: string
  readonly noneMatch: string
  readonly noneMatchHint: string
  readonly clear: string
  readonly title: string
  readonly attempt: (number: string) => string
  readonly notTried: string
  readonly status: string
  readonly started: string
  readonly took: string
  readonly milliseconds: (number: string) => string
  readonly answer: string
  readonly answerEmpty: string
  readonly answerHidden: string
  readonly error: string
  readonly noAnswer: string
  readonly payload: string
  readonly payloadHint: string
  readonly sendAgain: string
  readonly sendAgainHint: string
  readonly test: string
  readonly testOf: (name: string) => string
  readonly testHint: string
  readonly testing: string
  readonly accepted: string
  readonly refused: string
  readonly silent: string
  readonly unanswered: string
  readonly testAgain: string
  readonly done: string
}

/** In each language. */
export const deliveryTexts: Texts<DeliveryTable> = {
  en: {
    deliveries: "Deliveries",
    hint: "What was sent to it, newest first. Kept for 30 days.",
    allHint:
      "What was sent to webhooks and by mail, and tests of log streams, newest first. Kept for 30 days.",
    filters: "Filter deliveries",
    anyState: "Any state",
    anyChannel: "Any way",
    state: "State",
    channel: "Sent by",
    channels: { webhook: "Webhook", mail: "Mail", stream: "Log stream" },
    message: "Message",
    to: "To",
    attempts: "Attempts",
    next: "Next attempt",
    made: "Made",
    states: { pending: "On its way", delivered: "Delivered", failed: "Given up" },
    waiting: "Will be retried",
    none: "Nothing was sent yet",
    noneHint: "Send a test to see how a delivery looks.",
    noneYet: "What is sent appears here.",
    noneMatch: "No delivery matches",
    noneMatchHint: "Change or clear the filters to see more.",
    clear: "Clear filters",
    title: "Delivery",
    attempt: (number) => `Attempt ${number}`,
    notTried: "It was not tried yet.",
    status: "Status",
    started: "Started",
    took: "Time",
    milliseconds: (number) => `${number} ms`,
    answer: "Response body",
    answerEmpty: "empty",
    answerHidden: "Your role does not see what receivers answer.",
    error: "Error",
    noAnswer: "none",
    payload: "Payload",
    payloadHint: "What is sent and signed. Copy gives the exact bytes.",
    sendAgain: "Send again",
    sendAgainHint:
      "Sends the same message at once, with the same webhook-id, by which the receiver can recognise it.",
    test: "Send test",
    testOf: (name) => `Test of ${name}`,
    testHint: "A test message is sent now. This can take up to 10 seconds.",
    testing: "Waiting for the answer…",
    accepted: "It was accepted",
    refused: "It was not accepted",
    silent: "No answer came",
    unanswered: "No attempt has ended within 10 seconds. Look into the deliveries in a moment.",
    testAgain: "Test again",
    done: "Done"
  },
  de: {
    deliveries: "Zustellungen",
    hint: "Was dorthin gesendet wurde, Neuestes zuerst. 30 Tage lang aufbewahrt.",
    allHint:
      "Was an Webhooks und per E-Mail gesendet wurde sowie Tests von Log-Streams, Neuestes zuerst. 30 Tage lang aufbewahrt.",
    filters: "Zustellungen filtern",
    anyState: "Jeder Status",
    anyChannel: "Jeder Weg",
    state: "Status",
    channel: "Gesendet über",
    channels: { webhook: "Webhook", mail: "E-Mail", stream: "Log-Stream" },
    message: "Nachricht",
    to: "An",
    attempts: "Versuche",
    next: "Nächster Versuch",
    made: "Erstellt",
    states: { pending: "Unterwegs", delivered: "Zugestellt", failed: "Aufgegeben" },
    waiting: "Wird erneut versucht",
    none: "Noch wurde nichts gesendet",
    noneHint: "Senden Sie einen Test, um zu sehen, wie eine Zustellung aussieht.",
    noneYet: "Was gesendet wird, erscheint hier.",
    noneMatch: "Keine Zustellung passt",
    noneMatchHint: "Filter ändern oder zurücksetzen, um mehr zu sehen.",
    clear: "Filter zurücksetzen",
    title: "Zustellung",
    attempt: (number) => `Versuch ${number}`,
    notTried: "Noch kein Versuch.",
    status: "Statuscode",
    started: "Begonnen",
    took: "Dauer",
    milliseconds: (number) => `${number} ms`,
    answer: "Antwort",
    answerEmpty: "leer",
    answerHidden: "Ihre Rolle sieht nicht, was Empfänger antworten.",
    error: "Fehler",
    noAnswer: "keine",
    payload: "Inhalt",
    payloadHint: "Was gesendet und signiert wird. Kopieren liefert genau diese Bytes.",
    sendAgain: "Erneut senden",
    sendAgainHint:
      "Sendet dieselbe Nachricht sofort, mit derselben webhook-id, an der der Empfänger sie erkennen kann.",
    test: "Test senden",
    testOf: (name) => `Test von ${name}`,
    testHint: "Jetzt wird eine Testnachricht gesendet. Das kann bis zu 10 Sekunden dauern.",
    testing: "Warten auf die Antwort …",
    accepted: "Sie wurde angenommen",
    refused: "Sie wurde nicht angenommen",
    silent: "Es kam keine Antwort",
    unanswered:
      "Innerhalb von 10 Sekunden ist kein Versuch zu Ende gegangen. Sehen Sie gleich in die Zustellungen.",
    testAgain: "Erneut testen",
    done: "Fertig"
  },
  ja: {
    deliveries: "配信",
    hint: "この宛先に送信したもの（新しい順）。30 日間保存されます。",
    allHint:
      "Webhook とメールで送信したもの、およびログストリームのテスト（新しい順）。30 日間保存されます。",
    filters: "配信を絞り込む",
    anyState: "すべての状態",
    anyChannel: "すべての方法",
    state: "状態",
    channel: "送信方法",
    channels: { webhook: "Webhook", mail: "メール", stream: "ログストリーム" },
    message: "メッセージ",
    to: "宛先",
    attempts: "試行回数",
    next: "次の試行",
    made: "作成日時",
    states: { pending: "送信中", delivered: "配信済み", failed: "送信を断念" },
    waiting: "再試行待ち",
    none: "まだ何も送信されていません",
    noneHint: "テストを送信すると、配信がどのように表示されるか確認できます。",
    noneYet: "送信されたものはここに表示されます。",
    noneMatch: "一致する配信はありません",
    noneMatchHint: "フィルターを変更または解除してください。",
    clear: "フィルターを解除",
    title: "配信",
    attempt: (number) => `試行 ${number}`,
    notTried: "まだ試行されていません。",
    status: "ステータス",
    started: "開始日時",
    took: "所要時間",
    milliseconds: (number) => `${number} ミリ秒`,
    answer: "応答本文",
    answerEmpty: "空",
    answerHidden: "あなたのロールでは受信側の応答を表示できません。",
    error: "エラー",
    noAnswer: "なし",
    payload: "ペイロード",
    payloadHint: "送信および署名される内容です。コピーすると正確なバイト列が得られます。",
    sendAgain: "再送信",
    sendAgainHint:
      "同じメッセージを同じ webhook-id ですぐに送信します。受信側は webhook-id で重複を判別できます。",
    test: "テストを送信",
    testOf: (name) => `${name} のテスト`,
    testHint: "テストメッセージを送信します。最大 10 秒かかることがあります。",
    testing: "応答を待っています…",
    accepted: "受け付けられました",
    refused: "受け付けられませんでした",
    silent: "応答がありませんでした",
    unanswered: "10 秒以内に試行が完了しませんでした。しばらくしてから配信を確認してください。",
    testAgain: "もう一度テスト",
    done: "完了"
  }
}
