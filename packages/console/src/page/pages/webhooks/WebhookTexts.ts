/** What the page of webhooks says. */
import type { Texts } from "../../locale/Texts.ts"
import type { MessageType, WebhookState } from "./Webhook.ts"

interface WebhookTable {
  readonly hint: string
  readonly add: string
  readonly empty: string
  readonly emptyHint: string
  readonly columns: Readonly<Record<"receiver" | "state" | "gets" | "last", string>>
  readonly states: Readonly<Record<WebhookState, string>>
  readonly stateHints: Readonly<Record<WebhookState, string>>
  readonly since: (time: string) => string
  readonly types: Readonly<Record<MessageType, string>>
  readonly allTypes: string
  readonly noneLately: string
  readonly address: string
  readonly addressHint: string
  readonly addressHidden: string
  readonly description: string
  readonly descriptionHint: string
  readonly gets: string
  readonly noTypes: string
  readonly changeTitle: string
  readonly save: string
  readonly madeTitle: string
  readonly savedTitle: string
  readonly secret: string
  readonly secretOnce: string
  readonly signature: string
  readonly testHeading: string
  readonly details: string
  readonly made: string
  readonly changed: string
  readonly change: string
  readonly turnOff: string
  readonly turnOffTitle: (name: string) => string
  readonly turnOffText: string
  readonly turnOn: string
  readonly rotate: string
  readonly rotateTitle: (name: string) => string
  readonly rotateText: string
  readonly rotated: string
  readonly oldUntil: string
  readonly remove: string
  readonly removeTitle: (name: string) => string
  readonly removeText: string
  readonly done: string
}

/** In each language. */
export const webhookTexts: Texts<WebhookTable> = {
  en: {
    hint: "Each tells another service what happens here, by a signed POST.",
    add: "Add webhook",
    empty: "No webhooks yet",
    emptyHint:
      "A webhook tells a chat, an on-call tool or a program of yours about alerts, exports and the state of the log.",
    columns: { receiver: "Receiver", state: "State", gets: "Gets", last: "Last delivery" },
    states: {
      on: "Working",
      failing: "Failing",
      off: "Off",
      gone: "Switched off",
      failed: "Switched off"
    },
    stateHints: {
      on: "It is on, and its last delivery did not fail.",
      failing: "Every attempt has failed. After five days without a success it is switched off.",
      off: "It was turned off by hand and is sent nothing.",
      gone: "It answered 410 (gone), so it was switched off.",
      failed:
        "It failed for five days, so it was switched off. Deliveries that were given up can be sent again."
    },
    since: (time) => `since ${time}`,
    types: {
      "alert.triggered": "An alert was raised",
      "anchor.confirmed": "An anchor was confirmed on the blockchain",
      "checkpoint.signed": "An hourly checkpoint of the log was signed",
      "export.completed": "An export is ready",
      "export.failed": "An export failed",
      "chain.broken": "The chain was found broken"
    },
    allTypes: "everything",
    noneLately: "none lately",
    address: "Address",
    addressHint: "Takes POST requests over https and answers any 2xx within 15 seconds.",
    addressHidden: "Your role sees the host only.",
    description: "Description",
    descriptionHint: "What it is for, in your words.",
    gets: "Messages it gets",
    noTypes: "Choose at least one kind of message.",
    changeTitle: "Change webhook",
    save: "Save",
    madeTitle: "Webhook added",
    savedTitle: "Webhook changed",
    secret: "Signing secret",
    secretOnce:
      "It is shown this once. Give it to the receiver now; a secret that was lost can only be replaced.",
    signature:
      "The receiver checks the header webhook-signature (Standard Webhooks) or X-Cairn-Signature with it.",
    testHeading: "Test",
    details: "Details",
    made: "Added",
    changed: "Last changed",
    change: "Change",
    turnOff: "Turn off",
    turnOffTitle: (name) => `Turn off ${name}?`,
    turnOffText:
      "It is sent nothing until it is turned on again, and what happens in between is not sent later. It keeps its secret.",
    turnOn: "Turn on",
    rotate: "Rotate secret",
    rotateTitle: (name) => `Rotate the secret of ${name}?`,
    rotateText:
      "A new signing secret is made and shown once. The old one signs beside it for a day: give the receiver the new one by then.",
    rotated: "New signing secret",
    oldUntil: "The old secret still signs, beside the new one, until",
    remove: "Delete",
    removeTitle: (name) => `Delete ${name}?`,
    removeText:
      "It is sent nothing any more, what waits for it is given up, and its secret is gone. This cannot be undone.",
    done: "Done"
  },
  de: {
    hint: "Jeder teilt einem anderen Dienst durch einen signierten POST mit, was hier geschieht.",
    add: "Webhook hinzufügen",
    empty: "Noch keine Webhooks",
    emptyHint:
      "Ein Webhook benachrichtigt einen Chat, ein Bereitschaftssystem oder Ihr eigenes Programm über Alarme, Exporte und den Zustand des Protokolls.",
    columns: { receiver: "Empfänger", state: "Status", gets: "Erhält", last: "Letzte Zustellung" },
    states: {
      on: "Funktioniert",
      failing: "Schlägt fehl",
      off: "Aus",
      gone: "Abgeschaltet",
      failed: "Abgeschaltet"
    },
    stateHints: {
      on: "Er ist eingeschaltet, und die letzte Zustellung ist nicht fehlgeschlagen.",
      failing: "Jeder Versuch ist fehlgeschlagen. Nach fünf Tagen ohne Erfolg wird er abgeschaltet.",
      off: "Er wurde von Hand ausgeschaltet und erhält nichts.",
      gone: "Er hat mit 410 (Gone) geantwortet und wurde deshalb abgeschaltet.",
      failed:
        "Er ist fünf Tage lang fehlgeschlagen und wurde deshalb abgeschaltet. Aufgegebene Zustellungen können erneut gesendet werden."
    },
    since: (time) => `seit ${time}`,
    types: {
      "alert.triggered": "Ein Alarm wurde ausgelöst",
      "anchor.confirmed": "Ein Anker wurde auf der Blockchain bestätigt",
      "checkpoint.signed": "Ein stündlicher Checkpoint des Protokolls wurde signiert",
      "export.completed": "Ein Export ist fertig",
      "export.failed": "Ein Export ist fehlgeschlagen",
      "chain.broken": "Die Kette wurde als beschädigt erkannt"
    },
    allTypes: "alles",
    noneLately: "zuletzt keine",
    address: "Adresse",
    addressHint: "Nimmt POST-Anfragen über https an und antwortet innerhalb von 15 Sekunden mit 2xx.",
    addressHidden: "Ihre Rolle sieht nur den Host.",
    description: "Beschreibung",
    descriptionHint: "Wofür er da ist, in Ihren Worten.",
    gets: "Nachrichten, die er erhält",
    noTypes: "Wählen Sie mindestens eine Art von Nachrichten.",
    changeTitle: "Webhook ändern",
    save: "Speichern",
    madeTitle: "Webhook hinzugefügt",
    savedTitle: "Webhook geändert",
    secret: "Signaturgeheimnis",
    secretOnce:
      "Es wird nur dieses eine Mal gezeigt. Geben Sie es jetzt dem Empfänger; ein verlorenes Geheimnis kann nur ersetzt werden.",
    signature:
      "Damit prüft der Empfänger den Header webhook-signature (Standard Webhooks) oder X-Cairn-Signature.",
    testHeading: "Test",
    details: "Einzelheiten",
    made: "Hinzugefügt",
    changed: "Zuletzt geändert",
    change: "Ändern",
    turnOff: "Ausschalten",
    turnOffTitle: (name) => `${name} ausschalten?`,
    turnOffText:
      "Er erhält nichts, bis er wieder eingeschaltet wird, und was inzwischen geschieht, wird nicht nachgesendet. Sein Geheimnis bleibt.",
    turnOn: "Einschalten",
    rotate: "Geheimnis erneuern",
    rotateTitle: (name) => `Geheimnis von ${name} erneuern?`,
    rotateText:
      "Ein neues Signaturgeheimnis wird erzeugt und einmal gezeigt. Das alte signiert noch einen Tag lang daneben: Geben Sie dem Empfänger bis dahin das neue.",
    rotated: "Neues Signaturgeheimnis",
    oldUntil: "Das alte Geheimnis signiert noch neben dem neuen bis",
    remove: "Löschen",
    removeTitle: (name) => `${name} löschen?`,
    removeText:
      "Er erhält nichts mehr, wartende Nachrichten werden aufgegeben, und sein Geheimnis ist verloren. Das kann nicht rückgängig gemacht werden.",
    done: "Fertig"
  },
  ja: {
    hint: "ここで起きたことを、署名付きの POST で別のサービスに通知します。",
    add: "Webhook を追加",
    empty: "Webhook はまだありません",
    emptyHint:
      "アラート、エクスポート、ログの状態を、チャットやオンコールツール、自社のプログラムに通知できます。",
    columns: { receiver: "受信側", state: "状態", gets: "通知内容", last: "最後の配信" },
    states: { on: "正常", failing: "失敗中", off: "オフ", gone: "自動停止", failed: "自動停止" },
    stateHints: {
      on: "オンで、最後の配信は失敗していません。",
      failing: "すべての試行が失敗しています。5 日間成功しないと自動的に停止されます。",
      off: "手動でオフにされており、何も送信されません。",
      gone: "410（Gone）が返されたため、自動的に停止されました。",
      failed: "5 日間失敗が続いたため、自動的に停止されました。断念した配信は再送信できます。"
    },
    since: (time) => `${time} から`,
    types: {
      "alert.triggered": "アラートの発生",
      "anchor.confirmed": "ブロックチェーンでのアンカーの確定",
      "checkpoint.signed": "1 時間ごとのチェックポイントの署名",
      "export.completed": "エクスポートの完了",
      "export.failed": "エクスポートの失敗",
      "chain.broken": "チェーンの破損の検出"
    },
    allTypes: "すべて",
    noneLately: "最近はなし",
    address: "アドレス",
    addressHint: "https で POST リクエストを受け取り、15 秒以内に 2xx を返すアドレスです。",
    addressHidden: "あなたのロールではホストのみ表示されます。",
    description: "説明",
    descriptionHint: "用途を自由に記入してください。",
    gets: "受け取るメッセージ",
    noTypes: "メッセージの種類を 1 つ以上選択してください。",
    changeTitle: "Webhook を変更",
    save: "保存",
    madeTitle: "Webhook を追加しました",
    savedTitle: "Webhook を変更しました",
    secret: "署名シークレット",
    secretOnce:
      "表示されるのは今回だけです。今すぐ受信側に設定してください。紛失した場合は新しいものに交換するしかありません。",
    signature:
      "受信側はこれを使って webhook-signature（Standard Webhooks）または X-Cairn-Signature ヘッダーを検証します。",
    testHeading: "テスト",
    details: "詳細",
    made: "追加日時",
    changed: "最終変更",
    change: "変更",
    turnOff: "オフにする",
    turnOffTitle: (name) => `${name} をオフにしますか?`,
    turnOffText:
      "再びオンにするまで何も送信されず、その間の出来事は後からも送信されません。シークレットは保持されます。",
    turnOn: "オンにする",
    rotate: "シークレットを交換",
    rotateTitle: (name) => `${name} のシークレットを交換しますか?`,
    rotateText:
      "新しい署名シークレットが作成され、一度だけ表示されます。古いシークレットも 1 日間は併用されるので、その間に受信側を更新してください。",
    rotated: "新しい署名シークレット",
    oldUntil: "古いシークレットが併用される期限:",
    remove: "削除",
    removeTitle: (name) => `${name} を削除しますか?`,
    removeText:
      "今後は何も送信されず、待機中のメッセージは破棄され、シークレットも失われます。元に戻せません。",
    done: "完了"
  }
}
