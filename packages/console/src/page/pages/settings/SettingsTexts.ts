/** What the page of settings says. */
import type { Texts } from "../../locale/Texts.ts"
import type { Rhythm } from "./AnchorTimes.ts"

interface SettingsTable {
  readonly hint: string
  readonly save: string
  readonly saved: string
  readonly name: string
  readonly nameHint: string
  readonly nameLabel: string
  readonly nameMissing: string
  readonly allowlist: string
  readonly allowlistHint: string
  readonly from: string
  readonly everywhere: string
  readonly listed: string
  readonly addresses: string
  readonly addressesHint: string
  readonly listMissing: string
  readonly wrongLines: (lines: string) => string
  readonly ownAddress: string
  readonly shutOut: string
  readonly addOwn: string
  readonly unknown: string
  readonly unknownHint: string
  readonly unknownLabel: string
  readonly unknowns: Readonly<Record<"reject" | "warn", string>>
  readonly unknownHints: Readonly<Record<"reject" | "warn", string>>
  readonly access: string
  readonly accessHint: string
  readonly accessLabel: string
  readonly accessFieldHint: string
  readonly anchors: string
  readonly anchorsHint: string
  readonly period: string
  readonly rhythms: Readonly<Record<Rhythm, string>>
  readonly rhythmHints: Readonly<Record<Rhythm, string>>
  readonly timeOfDay: string
  readonly every: string
  readonly everyHint: string
  readonly offset: string
  readonly offsetHint: string
  readonly numberMissing: string
  readonly about: string
  readonly aboutHint: string
  readonly id: string
  readonly origin: string
  readonly originHint: string
  readonly plan: string
  readonly planLink: string
  readonly made: string
  readonly elsewhere: string
}

/** In each language. */
export const settingsTexts: Texts<SettingsTable> = {
  en: {
    hint: "Each part is saved by itself. Every change is an event of the log.",
    save: "Save",
    saved: "Saved",
    name: "Name",
    nameHint:
      "Shown to members and in mail. It takes effect at once; the log’s origin does not change with it.",
    nameLabel: "Name of the workspace",
    nameMissing: "Enter a name.",
    allowlist: "IP allowlist",
    allowlistHint:
      "From which addresses API keys and signed-in people may use this workspace. It holds from the next request on, within seconds on every server.",
    from: "Let in",
    everywhere: "Every address",
    listed: "Only these addresses",
    addresses: "Addresses and networks",
    addressesHint: "One on each line, as an address or in CIDR notation, at most 500.",
    listMissing: "Enter at least one address or network, or let every address in.",
    wrongLines: (lines) => `No address and no network: ${lines}`,
    ownAddress: "Your own address, as you signed in, is",
    shutOut: "This list would shut you out, and the service refuses it.",
    addOwn: "Add my address",
    unknown: "Unknown fields of events",
    unknownHint:
      "An event may have a field that the service does not know: a typo, or something that a newer client sends. It takes effect with the next event.",
    unknownLabel: "An event with an unknown field is",
    unknowns: { reject: "Rejected", warn: "Recorded without it" },
    unknownHints: {
      reject: "The sender gets 422 with the names of the fields. A mistake is seen at once. Recommended.",
      warn: "The field is left out, and the answer says so in warnings. For the time of an upgrade."
    },
    access: "Reads by API keys",
    accessHint:
      "What people and viewers read is always recorded in the log, as cairn.access events. Such events cost nothing of the quota.",
    accessLabel: "Record what API keys read, too",
    accessFieldHint:
      "One event an hour for each key and kind of read, and a count after it. It takes effect with the next read.",
    anchors: "Anchor schedule",
    anchorsHint:
      "When a period of the log is closed, and its fingerprint goes to the blockchain if the service has one. A new schedule takes effect for the period that is open now.",
    period: "A period ends",
    rhythms: {
      service: "When the service says",
      hour: "Every hour",
      quarter: "Every 6 hours",
      day: "Every day",
      own: "Another interval"
    },
    rhythmHints: {
      service: "The operator’s setting holds: every day at 00:00 UTC unless it was changed.",
      hour: "At every full hour.",
      quarter: "At 00:00, 06:00, 12:00 and 18:00 UTC.",
      day: "Once a day, at a time of your choice.",
      own: "In seconds, counted from the Unix epoch."
    },
    timeOfDay: "Time of day (UTC)",
    every: "Seconds from one end to the next",
    everyHint: "60 to 31,622,400 (366 days).",
    offset: "Offset in seconds",
    offsetHint: "How long after each multiple of the interval a period ends. Less than the interval.",
    numberMissing: "Enter a value.",
    about: "About this workspace",
    aboutHint: "Plan and limits are the operator’s to change.",
    id: "Workspace ID",
    origin: "Log origin",
    originHint: "The first line of the log’s checkpoints, by which witnesses know it.",
    plan: "Plan",
    planLink: "Usage and limits",
    made: "Created",
    elsewhere: "More settings"
  },
  de: {
    hint: "Jeder Teil wird für sich gespeichert. Jede Änderung ist ein Ereignis des Protokolls.",
    save: "Speichern",
    saved: "Gespeichert",
    name: "Name",
    nameHint:
      "Mitglieder sehen ihn, auch in E-Mails. Er gilt sofort; die Herkunft des Protokolls ändert sich damit nicht.",
    nameLabel: "Name des Workspace",
    nameMissing: "Geben Sie einen Namen ein.",
    allowlist: "IP-Zulassungsliste",
    allowlistHint:
      "Von welchen Adressen API-Schlüssel und angemeldete Personen diesen Workspace verwenden dürfen. Sie gilt ab der nächsten Anfrage, binnen Sekunden auf jedem Server.",
    from: "Zugelassen",
    everywhere: "Jede Adresse",
    listed: "Nur diese Adressen",
    addresses: "Adressen und Netze",
    addressesHint: "Eine Angabe pro Zeile, als Adresse oder in CIDR-Schreibweise, höchstens 500.",
    listMissing: "Geben Sie mindestens eine Adresse oder ein Netz an, oder lassen Sie jede Adresse zu.",
    wrongLines: (lines) => `Weder Adresse noch Netz: ${lines}`,
    ownAddress: "Ihre eigene Adresse bei der Anmeldung ist",
    shutOut: "Diese Liste würde Sie aussperren; der Dienst lehnt sie ab.",
    addOwn: "Meine Adresse hinzufügen",
    unknown: "Unbekannte Felder von Ereignissen",
    unknownHint:
      "Ein Ereignis kann ein Feld haben, das der Dienst nicht kennt: ein Tippfehler, oder etwas, das ein neuerer Client sendet. Gilt ab dem nächsten Ereignis.",
    unknownLabel: "Ein Ereignis mit einem unbekannten Feld wird",
    unknowns: { reject: "Abgelehnt", warn: "Ohne das Feld aufgezeichnet" },
    unknownHints: {
      reject: "Der Absender erhält 422 mit den Namen der Felder. Ein Fehler fällt sofort auf. Empfohlen.",
      warn: "Das Feld wird weggelassen, und die Antwort nennt es in warnings. Für die Dauer einer Umstellung."
    },
    access: "Lesezugriffe von API-Schlüsseln",
    accessHint:
      "Was Personen und Viewer lesen, wird immer im Protokoll aufgezeichnet, als cairn.access-Ereignisse. Sie verbrauchen nichts vom Kontingent.",
    accessLabel: "Auch aufzeichnen, was API-Schlüssel lesen",
    accessFieldHint:
      "Ein Ereignis pro Stunde für jeden Schlüssel und jede Art von Zugriff, danach eine Anzahl. Gilt ab dem nächsten Zugriff.",
    anchors: "Zeitplan der Anker",
    anchorsHint:
      "Wann ein Zeitraum des Protokolls abgeschlossen wird und sein Fingerabdruck auf die Blockchain kommt, wenn der Dienst eine hat. Ein neuer Zeitplan gilt für den gerade offenen Zeitraum.",
    period: "Ein Zeitraum endet",
    rhythms: {
      service: "Wie der Dienst es vorgibt",
      hour: "Jede Stunde",
      quarter: "Alle 6 Stunden",
      day: "Jeden Tag",
      own: "Anderer Abstand"
    },
    rhythmHints: {
      service:
        "Es gilt die Einstellung des Betreibers: jeden Tag um 00:00 UTC, wenn sie nicht geändert wurde.",
      hour: "Zu jeder vollen Stunde.",
      quarter: "Um 00:00, 06:00, 12:00 und 18:00 UTC.",
      day: "Einmal am Tag, zu einer Zeit Ihrer Wahl.",
      own: "In Sekunden, gezählt ab der Unix-Epoche."
    },
    timeOfDay: "Uhrzeit (UTC)",
    every: "Sekunden von einem Ende zum nächsten",
    everyHint: "60 bis 31.622.400 (366 Tage).",
    offset: "Versatz in Sekunden",
    offsetHint: "Wie lange nach jedem Vielfachen des Abstands ein Zeitraum endet. Kleiner als der Abstand.",
    numberMissing: "Geben Sie einen Wert ein.",
    about: "Über diesen Workspace",
    aboutHint: "Tarif und Grenzen ändert der Betreiber.",
    id: "Workspace-ID",
    origin: "Herkunft des Protokolls",
    originHint: "Die erste Zeile der Checkpoints des Protokolls, an der Zeugen es erkennen.",
    plan: "Tarif",
    planLink: "Verbrauch und Grenzen",
    made: "Erstellt",
    elsewhere: "Weitere Einstellungen"
  },
  ja: {
    hint: "項目ごとに保存されます。変更はすべてログにイベントとして記録されます。",
    save: "保存",
    saved: "保存しました",
    name: "名前",
    nameHint: "メンバーの画面とメールに表示されます。すぐに反映されます。ログのオリジンは変わりません。",
    nameLabel: "ワークスペースの名前",
    nameMissing: "名前を入力してください。",
    allowlist: "IP 許可リスト",
    allowlistHint:
      "API キーとサインイン中のメンバーが、どのアドレスからこのワークスペースを使用できるかを指定します。次のリクエストから、すべてのサーバーで数秒以内に有効になります。",
    from: "許可するアドレス",
    everywhere: "すべてのアドレス",
    listed: "指定したアドレスのみ",
    addresses: "アドレスとネットワーク",
    addressesHint: "1 行に 1 件、アドレスまたは CIDR 表記で、最大 500 件。",
    listMissing: "アドレスまたはネットワークを 1 件以上入力するか、すべてのアドレスを許可してください。",
    wrongLines: (lines) => `アドレスでもネットワークでもありません: ${lines}`,
    ownAddress: "サインイン時のご自身のアドレス:",
    shutOut: "このリストではご自身がアクセスできなくなるため、サービスに拒否されます。",
    addOwn: "自分のアドレスを追加",
    unknown: "イベントの未知のフィールド",
    unknownHint:
      "入力ミスや新しいクライアントにより、サービスが認識しないフィールドがイベントに含まれることがあります。次のイベントから有効になります。",
    unknownLabel: "未知のフィールドを含むイベント",
    unknowns: { reject: "拒否する", warn: "フィールドを除いて記録する" },
    unknownHints: {
      reject: "送信元にフィールド名とともに 422 を返します。間違いにすぐ気付けます。推奨。",
      warn: "フィールドを除いて記録し、応答の warnings で知らせます。アップグレード期間向け。"
    },
    access: "API キーによる閲覧",
    accessHint:
      "メンバーとビューアーの閲覧は常に cairn.access イベントとしてログに記録されます。クォータは消費しません。",
    accessLabel: "API キーによる閲覧も記録する",
    accessFieldHint:
      "キーと閲覧の種類ごとに 1 時間に 1 件、その後に件数を記録します。次の閲覧から有効になります。",
    anchors: "アンカーのスケジュール",
    anchorsHint:
      "ログの期間を締め、サービスにブロックチェーンが設定されていればフィンガープリントを記録するタイミングです。新しいスケジュールは現在の期間から適用されます。",
    period: "期間の終了",
    rhythms: {
      service: "サービスの設定に従う",
      hour: "1 時間ごと",
      quarter: "6 時間ごと",
      day: "毎日",
      own: "その他の間隔"
    },
    rhythmHints: {
      service: "運用者の設定に従います。変更されていなければ毎日 00:00 UTC です。",
      hour: "毎正時。",
      quarter: "00:00、06:00、12:00、18:00 UTC。",
      day: "1 日 1 回、指定した時刻。",
      own: "Unix エポックからの秒数で指定します。"
    },
    timeOfDay: "時刻(UTC)",
    every: "期間の長さ(秒)",
    everyHint: "60 から 31,622,400(366 日)まで。",
    offset: "オフセット(秒)",
    offsetHint: "間隔の倍数から終了時刻までの秒数。間隔より小さい値。",
    numberMissing: "値を入力してください。",
    about: "このワークスペースについて",
    aboutHint: "プランと上限は運用者が変更します。",
    id: "ワークスペース ID",
    origin: "ログのオリジン",
    originHint: "ログのチェックポイントの 1 行目で、ウィットネスがログを識別するために使用します。",
    plan: "プラン",
    planLink: "使用量と上限",
    made: "作成日時",
    elsewhere: "その他の設定"
  }
}
