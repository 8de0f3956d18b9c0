/** What the page "retention" says of erasure. */
import type { Texts } from "../../locale/Texts.ts"

interface ErasureTable {
  readonly title: string
  readonly hint: string
  readonly who: string
  readonly kinds: Readonly<Record<"actor" | "tenant", string>>
  readonly ids: Readonly<Record<"actor" | "tenant", string>>
  readonly reason: string
  readonly reasonHint: string
  readonly defaultReason: string
  readonly counting: string
  readonly found: (count: number, formatted: string) => string
  readonly show: string
  readonly command: string
  readonly dryRun: string
  readonly commandHints: Readonly<Record<"actor" | "tenant", string>>
  readonly tenantHint: string
  readonly removesTitle: string
  readonly removes: ReadonlyArray<string>
  readonly leavesTitle: string
  readonly leaves: ReadonlyArray<string>
}

/** In each language. */
export const erasureTexts: Texts<ErasureTable> = {
  en: {
    title: "Erase a person or tenant",
    hint: "Where privacy law requires it. It is a command of the operator, at the database, so that nobody erases from a browser. This page prepares it.",
    who: "Whose events",
    kinds: { actor: "A person (actor)", tenant: "A tenant" },
    ids: { actor: "Actor id", tenant: "Tenant id" },
    reason: "Reason",
    reasonHint: "It stays in the log permanently, so it must not name anybody.",
    defaultReason: "request of",
    counting: "Counting events …",
    found: (count, formatted) =>
      count === 0
        ? "No event is found. Check the id: upper and lower case differ."
        : `The contents of ${formatted} ${count === 1 ? "event" : "events"} would be erased. Older ones, which are hidden or in the archive, are erased as well.`,
    show: "Show these events",
    command: "Command to erase",
    dryRun: "Command that only shows what would be erased",
    commandHints: {
      actor: "Run the first command to see what will happen; the second one asks before it erases.",
      tenant:
        "Run the first command to see what will happen; the second one asks before it erases, once for every thousand events."
    },
    tenantHint:
      "There is no command for a tenant as a whole. Export its events as JSON lines, and write the path of the downloaded file in place of </path/to/export.ndjson>. Of that file the commands take this tenant's events alone. Or erase each of its people.",
    removesTitle: "It removes",
    removes: [
      "the contents of these events, and their salt, for good",
      "their entries in search, filters and targets, and what alerts and messages quote of them",
      "the state of alert rules about the person, finished exports, and copies in the archive"
    ],
    leavesTitle: "It does not remove",
    leaves: [
      "headers and hashes: the log still verifies, and records that contents were erased, which ones, and why",
      "mentions in other people's events: erase those by their ids (--event)",
      "what has left the service: webhooks, log streams, mail, downloads, backups"
    ]
  },
  de: {
    title: "Eine Person oder einen Mandanten löschen",
    hint: "Wo der Datenschutz es verlangt. Es ist ein Befehl des Betreibers an der Datenbank, damit niemand aus einem Browser löscht. Diese Seite bereitet ihn vor.",
    who: "Wessen Ereignisse",
    kinds: { actor: "Eine Person (Akteur)", tenant: "Ein Mandant" },
    ids: { actor: "Akteur-ID", tenant: "Mandanten-ID" },
    reason: "Grund",
    reasonHint: "Er bleibt dauerhaft im Protokoll und darf daher niemanden nennen.",
    defaultReason: "Antrag vom",
    counting: "Ereignisse werden gezählt …",
    found: (count, formatted) =>
      count === 0
        ? "Kein Ereignis gefunden. Prüfen Sie die ID: Groß- und Kleinschreibung zählt."
        : `Die Inhalte von ${formatted} ${count === 1 ? "Ereignis" : "Ereignissen"} würden gelöscht. Ältere, die verborgen oder im Archiv sind, werden ebenfalls gelöscht.`,
    show: "Diese Ereignisse zeigen",
    command: "Befehl zum Löschen",
    dryRun: "Befehl, der nur zeigt, was gelöscht würde",
    commandHints: {
      actor: "Der erste Befehl zeigt, was geschehen wird; der zweite fragt nach, bevor er löscht.",
      tenant:
        "Der erste Befehl zeigt, was geschehen wird; der zweite fragt nach, bevor er löscht, einmal je tausend Ereignisse."
    },
    tenantHint:
      "Für einen Mandanten als Ganzes gibt es keinen Befehl. Exportieren Sie seine Ereignisse als JSON-Zeilen und schreiben Sie den Pfad der heruntergeladenen Datei an die Stelle von </path/to/export.ndjson>. Aus dieser Datei nehmen die Befehle nur Ereignisse dieses Mandanten. Oder löschen Sie jede seiner Personen.",
    removesTitle: "Er entfernt",
    removes: [
      "die Inhalte dieser Ereignisse und ihr Salz, endgültig",
      "ihre Einträge in Suche, Filtern und Zielen, und was Alarme und Nachrichten daraus zitieren",
      "den Stand von Alarmregeln über die Person, fertige Exporte und Kopien im Archiv"
    ],
    leavesTitle: "Er entfernt nicht",
    leaves: [
      "Kopfdaten und Hashes: Das Protokoll bleibt prüfbar und vermerkt, welche Inhalte gelöscht wurden und warum",
      "Erwähnungen in Ereignissen anderer: Löschen Sie diese nach ihren IDs (--event)",
      "was den Dienst verlassen hat: Webhooks, Log-Streams, E-Mails, Downloads, Sicherungen"
    ]
  },
  ja: {
    title: "個人またはテナントの消去",
    hint: "プライバシー法令で必要な場合に行います。ブラウザーから消去できないよう、運用者がデータベースに対して実行するコマンドになっています。このページはその準備をします。",
    who: "対象",
    kinds: { actor: "個人 (実行者)", tenant: "テナント" },
    ids: { actor: "実行者 ID", tenant: "テナント ID" },
    reason: "理由",
    reasonHint: "ログに永久に残るため、個人名を含めないでください。",
    defaultReason: "申請日",
    counting: "イベントを集計中…",
    found: (count, formatted) =>
      count === 0
        ? "イベントが見つかりません。ID を確認してください (大文字と小文字は区別されます)。"
        : `${formatted} 件のイベントの内容が消去されます。非表示の古いイベントやアーカイブ内のものも消去されます。`,
    show: "対象のイベントを表示",
    command: "消去するコマンド",
    dryRun: "消去対象を表示するだけのコマンド",
    commandHints: {
      actor: "1 つ目のコマンドで結果を確認できます。2 つ目は確認のうえ消去します。",
      tenant: "1 つ目のコマンドで結果を確認できます。2 つ目は 1,000 件ごとに確認のうえ消去します。"
    },
    tenantHint:
      "テナント全体を消去するコマンドはありません。テナントのイベントを JSON Lines でエクスポートし、</path/to/export.ndjson> をダウンロードしたファイルのパスに置き換えてください。コマンドはそのファイルのうち、このテナントのイベントだけを対象にします。または、所属する個人ごとに消去してください。",
    removesTitle: "削除されるもの",
    removes: [
      "対象イベントの内容とソルト (完全に削除)",
      "検索、フィルター、対象の項目、およびアラートやメッセージに引用された内容",
      "その個人に関するアラートルールの状態、完了したエクスポート、アーカイブ内のコピー"
    ],
    leavesTitle: "削除されないもの",
    leaves: [
      "ヘッダーとハッシュ (ログは引き続き検証でき、消去された内容とその理由が記録されます)",
      "他の人のイベントに含まれる言及 (イベント ID を指定して --event で消去)",
      "サービスの外に出たもの (Webhook、ログストリーム、メール、ダウンロード、バックアップ)"
    ]
  }
}
