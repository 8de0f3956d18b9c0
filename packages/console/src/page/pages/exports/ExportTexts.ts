/** What the page of exports says. */
import type { Texts } from "../../locale/Texts.ts"
import type { ExportFormat, ExportState } from "./Export.ts"
import type { ConditionName, ExportTime, OtherConditionName, PeriodName } from "./ExportDraft.ts"

interface ExportTable {
  readonly hint: string
  readonly who: string
  readonly add: string
  readonly empty: string
  readonly emptyHint: string
  readonly columns: Readonly<
    Record<"what" | "state" | "events" | "size" | "asker" | "until" | "download", string>
  >
  readonly made: string
  readonly askerKey: string
  readonly askerUnknown: string
  readonly states: Readonly<Record<ExportState, string>>
  readonly stateHints: Readonly<Record<ExportState, string>>
  readonly percent: (number: string) => string
  readonly progress: string
  readonly moving: (count: number, formatted: string) => string
  readonly formats: Readonly<Record<ExportFormat, string>>
  readonly formatHints: Readonly<Record<ExportFormat, string>>
  readonly format: string
  readonly period: string
  readonly periods: Readonly<Record<PeriodName, string>>
  readonly time: string
  readonly times: Readonly<Record<ExportTime, string>>
  readonly from: string
  readonly to: string
  readonly narrow: string
  readonly conditions: Readonly<Record<ConditionName, string>>
  /** Those that the form has no box for. */
  readonly otherConditions: Readonly<Record<OtherConditionName, string>>
  readonly conditionHints: Readonly<Partial<Record<ConditionName, string>>>
  readonly more: string
  readonly remove: string
  readonly wholeLog: string
  readonly counting: string
  readonly count: (count: number, formatted: string) => string
  readonly countNone: string
  readonly countFailed: string
  readonly start: string
  readonly limits: string
  readonly evidence: string
  readonly evidenceText: string
  readonly evidencePage: string
  readonly evidenceCheck: string
  readonly evidenceVerdict: string
  readonly evidenceKey: string
  readonly command: string
  readonly details: string
  readonly filters: string
  readonly download: string
  readonly checkFile: string
  readonly copyLink: string
  readonly linkHint: string
  readonly inTheLog: string
}

/** In each language. */
export const exportTexts: Texts<ExportTable> = {
  en: {
    hint: "Events as a file, made in the background and kept for seven days.",
    who: "Who exported or downloaded this log:",
    add: "New export",
    empty: "No exports yet",
    emptyHint: "Export events as a table, as JSON, or as evidence that an auditor can check without you.",
    columns: {
      what: "Export",
      state: "State",
      events: "Events",
      size: "Size",
      asker: "Requested by",
      until: "File until",
      download: "Download"
    },
    made: "Requested",
    askerKey: "API key",
    askerUnknown: "unknown",
    states: {
      pending: "Queued",
      processing: "Being made",
      completed: "Ready",
      failed: "Failed",
      ended: "Deleted"
    },
    stateHints: {
      pending: "It begins in a moment.",
      processing: "The log is looked through. You can leave this page.",
      completed: "The file is whole and can be downloaded.",
      failed:
        "The file could not be made. Ask for a new export; if that fails too, the service's log says why.",
      ended: "Files are deleted after seven days. Ask for a new export."
    },
    percent: (number) => `${number} %`,
    progress: "Progress",
    moving: (count, formatted) =>
      count === 0 ? "" : `${formatted} ${count === 1 ? "export is" : "exports are"} being made`,
    formats: { csv: "CSV", ndjson: "NDJSON", evidence: "Evidence" },
    formatHints: {
      csv: "A table for spreadsheets, oldest event first.",
      ndjson: "An event a line, as JSON, for programs.",
      evidence: "A bundle for an auditor: a range of the log with everything that proves it."
    },
    format: "Format",
    period: "Period",
    periods: {
      all: "All time",
      day: "Last 24 hours",
      week: "Last 7 days",
      month: "Last 30 days",
      this_week: "This week (from Mon)",
      last_week: "Last week (Mon–Sun)",
      lastMonth: "Last calendar month",
      lastQuarter: "Last calendar quarter",
      custom: "Custom"
    },
    time: "Time that counts",
    times: { recorded: "Recording", occurred: "Occurrence" },
    from: "From",
    to: "To",
    narrow: "Only events with",
    conditions: {
      search: "Search",
      action: "Action",
      actor_id: "Actor id",
      resource: "Resource",
      tenant_id: "Tenant",
      session_id: "Session"
    },
    otherConditions: {
      category: "Category",
      country: "Country",
      resource_id: "Resource id",
      resource_name: "Resource name",
      target_type: "Target type",
      target_id: "Target id"
    },
    conditionHints: {
      search: "In actor, action, resource, details.",
      action: "user.created or user.*"
    },
    more: "And, as the list of events was narrowed:",
    remove: "Remove",
    wholeLog: "the whole log",
    counting: "Counting events…",
    count: (count, formatted) => `It will hold ${formatted} ${count === 1 ? "event" : "events"}, as of now.`,
    countNone: "No event matches. The file would be empty.",
    countFailed: "The events could not be counted now. The export can be started all the same.",
    start: "Start export",
    limits: "Five exports run at once at most, and each counts toward the month's quota.",
    evidence: "Evidence",
    evidenceText:
      "One file with every event of the period, their hashes, the anchors and the signed checkpoint. Anybody who has it can check it offline, without an account and without trusting this service.",
    evidencePage: "Check the file in the browser",
    evidenceCheck: "Or the auditor runs:",
    evidenceVerdict:
      "The verdict is INTACT if a key that the auditor types in vouches for every event; INTACT, VOUCHED FOR UP TO EVENT … if something vouches for the first events only; INTACT SINCE THE EARLIER FILE if an earlier file does; or INTACT BY ITSELF if nothing does. Otherwise it is TAMPERED, UNREADABLE or UNPROVEN. The report says what was checked and what was not.",
    evidenceKey:
      "A bundle alone shows that it agrees with itself. By another way, give the auditor the key that signs checkpoints, for --trusted-key (the operator of the service prints it with “cairn checkpoint-key show”), or an earlier bundle: then it also shows that this is the log that was signed, and that it only grew.",
    command: "Command",
    details: "Details",
    filters: "Filters",
    download: "Download",
    checkFile: "Check this file",
    copyLink: "Copy link",
    linkHint:
      "The link works without signing in until the file is deleted. Give it only to people who may have the file.",
    inTheLog: "Who asked for it and who downloaded it"
  },
  de: {
    hint: "Ereignisse als Datei, im Hintergrund erstellt und sieben Tage lang aufbewahrt.",
    who: "Wer dieses Protokoll exportiert oder heruntergeladen hat:",
    add: "Neuer Export",
    empty: "Noch keine Exporte",
    emptyHint:
      "Exportieren Sie Ereignisse als Tabelle, als JSON oder als Nachweis, den ein Prüfer ohne Sie kontrollieren kann.",
    columns: {
      what: "Export",
      state: "Status",
      events: "Ereignisse",
      size: "Größe",
      asker: "Angefordert von",
      until: "Datei bis",
      download: "Herunterladen"
    },
    made: "Angefordert",
    askerKey: "API-Schlüssel",
    askerUnknown: "unbekannt",
    states: {
      pending: "In der Warteschlange",
      processing: "Wird erstellt",
      completed: "Bereit",
      failed: "Fehlgeschlagen",
      ended: "Gelöscht"
    },
    stateHints: {
      pending: "Er beginnt gleich.",
      processing: "Das Protokoll wird durchgesehen. Sie können diese Seite verlassen.",
      completed: "Die Datei ist vollständig und kann heruntergeladen werden.",
      failed:
        "Die Datei konnte nicht erstellt werden. Fordern Sie einen neuen Export an; schlägt auch er fehl, nennt das Protokoll des Dienstes den Grund.",
      ended: "Dateien werden nach sieben Tagen gelöscht. Fordern Sie einen neuen Export an."
    },
    percent: (number) => `${number} %`,
    progress: "Fortschritt",
    moving: (count, formatted) =>
      count === 0 ? "" : `${formatted} ${count === 1 ? "Export wird" : "Exporte werden"} erstellt`,
    formats: { csv: "CSV", ndjson: "NDJSON", evidence: "Nachweis" },
    formatHints: {
      csv: "Eine Tabelle für Tabellenprogramme, ältestes Ereignis zuerst.",
      ndjson: "Ein Ereignis je Zeile, als JSON, für Programme.",
      evidence: "Ein Paket für einen Prüfer: ein Bereich des Protokolls mit allem, was ihn beweist."
    },
    format: "Format",
    period: "Zeitraum",
    periods: {
      all: "Gesamter Zeitraum",
      day: "Letzte 24 Stunden",
      week: "Letzte 7 Tage",
      month: "Letzte 30 Tage",
      this_week: "Diese Woche (ab Mo)",
      last_week: "Letzte Woche (Mo–So)",
      lastMonth: "Letzter Kalendermonat",
      lastQuarter: "Letztes Kalenderquartal",
      custom: "Eigener"
    },
    time: "Maßgeblicher Zeitpunkt",
    times: { recorded: "Aufzeichnung", occurred: "Geschehen" },
    from: "Von",
    to: "Bis",
    narrow: "Nur Ereignisse mit",
    conditions: {
      search: "Suche",
      action: "Aktion",
      actor_id: "Akteur-ID",
      resource: "Ressource",
      tenant_id: "Mandant",
      session_id: "Sitzung"
    },
    otherConditions: {
      category: "Kategorie",
      country: "Land",
      resource_id: "Ressourcen-ID",
      resource_name: "Ressourcenname",
      target_type: "Art des Ziels",
      target_id: "Ziel-ID"
    },
    conditionHints: {
      search: "In Akteur, Aktion, Ressource, Details.",
      action: "user.created oder user.*"
    },
    more: "Und wie die Liste der Ereignisse eingegrenzt war:",
    remove: "Entfernen",
    wholeLog: "das ganze Protokoll",
    counting: "Ereignisse werden gezählt …",
    count: (count, formatted) =>
      `Er wird ${formatted} ${count === 1 ? "Ereignis" : "Ereignisse"} enthalten (jetziger Stand).`,
    countNone: "Kein Ereignis passt. Die Datei wäre leer.",
    countFailed:
      "Die Ereignisse konnten jetzt nicht gezählt werden. Der Export kann trotzdem gestartet werden.",
    start: "Export starten",
    limits: "Höchstens fünf Exporte laufen gleichzeitig, und jeder zählt zum Kontingent des Monats.",
    evidence: "Nachweis",
    evidenceText:
      "Eine Datei mit jedem Ereignis des Zeitraums, den Hashes, den Ankern und dem signierten Checkpoint. Wer sie hat, prüft sie offline, ohne Konto und ohne diesem Dienst zu vertrauen.",
    evidencePage: "Datei im Browser prüfen",
    evidenceCheck: "Oder der Prüfer führt aus:",
    evidenceVerdict:
      "Das Ergebnis ist INTACT, wenn ein Schlüssel, den der Prüfer eingibt, für jedes Ereignis bürgt, INTACT, VOUCHED FOR UP TO EVENT …, wenn etwas nur für die ersten bürgt, INTACT SINCE THE EARLIER FILE oder, wenn nichts bürgt, INTACT BY ITSELF. Sonst ist es TAMPERED, UNREADABLE oder UNPROVEN. Der Bericht nennt, was geprüft wurde und was nicht.",
    evidenceKey:
      "Ein Paket allein zeigt nur, dass es in sich stimmig ist. Geben Sie dem Prüfer den Schlüssel, der Checkpoints signiert, auf einem anderen Weg, für --trusted-key (der Betreiber des Dienstes gibt ihn mit „cairn checkpoint-key show“ aus), oder ein früheres Paket: Dann zeigt es auch, dass dies das signierte Protokoll ist und dass es nur gewachsen ist.",
    command: "Befehl",
    details: "Einzelheiten",
    filters: "Filter",
    download: "Herunterladen",
    checkFile: "Diese Datei prüfen",
    copyLink: "Link kopieren",
    linkHint:
      "Der Link funktioniert ohne Anmeldung, bis die Datei gelöscht wird. Geben Sie ihn nur an Personen, die die Datei haben dürfen.",
    inTheLog: "Wer ihn angefordert und wer ihn heruntergeladen hat"
  },
  ja: {
    hint: "イベントをファイルとして書き出します。バックグラウンドで作成され、7 日間保存されます。",
    who: "誰がこのログをエクスポート・ダウンロードしたか:",
    add: "新しいエクスポート",
    empty: "エクスポートはまだありません",
    emptyHint: "イベントを表、JSON、または監査人が独自に検証できる証拠として書き出せます。",
    columns: {
      what: "エクスポート",
      state: "状態",
      events: "イベント数",
      size: "サイズ",
      asker: "依頼者",
      until: "ファイルの期限",
      download: "ダウンロード"
    },
    made: "依頼日時",
    askerKey: "API キー",
    askerUnknown: "不明",
    states: {
      pending: "待機中",
      processing: "作成中",
      completed: "準備完了",
      failed: "失敗",
      ended: "削除済み"
    },
    stateHints: {
      pending: "まもなく開始されます。",
      processing: "ログを読み取っています。このページを離れても構いません。",
      completed: "ファイルは完全で、ダウンロードできます。",
      failed:
        "ファイルを作成できませんでした。もう一度エクスポートしてください。再び失敗する場合、原因はサービスのログに記録されています。",
      ended: "ファイルは 7 日後に削除されます。もう一度エクスポートしてください。"
    },
    percent: (number) => `${number}%`,
    progress: "進行状況",
    moving: (count, formatted) => (count === 0 ? "" : `${formatted} 件のエクスポートを作成中`),
    formats: { csv: "CSV", ndjson: "NDJSON", evidence: "証拠" },
    formatHints: {
      csv: "表計算ソフト用の表です（古い順）。",
      ndjson: "プログラム用の、1 行 1 イベントの JSON です。",
      evidence: "監査人向けのバンドルです。ログの範囲と、それを証明するすべての情報を含みます。"
    },
    format: "形式",
    period: "期間",
    periods: {
      all: "全期間",
      day: "過去 24 時間",
      week: "過去 7 日間",
      month: "過去 30 日間",
      this_week: "今週 (月曜から)",
      last_week: "先週 (月～日)",
      lastMonth: "先月",
      lastQuarter: "前四半期",
      custom: "期間を指定"
    },
    time: "基準とする日時",
    times: { recorded: "記録日時", occurred: "発生日時" },
    from: "開始",
    to: "終了",
    narrow: "対象を絞り込む",
    conditions: {
      search: "検索",
      action: "操作",
      actor_id: "実行者 ID",
      resource: "リソース",
      tenant_id: "テナント",
      session_id: "セッション"
    },
    otherConditions: {
      category: "カテゴリー",
      country: "国",
      resource_id: "リソース ID",
      resource_name: "リソース名",
      target_type: "対象の種類",
      target_id: "対象 ID"
    },
    conditionHints: {
      search: "実行者、操作、リソース、詳細",
      action: "user.created または user.*"
    },
    more: "イベント一覧の絞り込み条件:",
    remove: "削除",
    wholeLog: "ログ全体",
    counting: "イベントを集計中…",
    count: (_, formatted) => `現時点で ${formatted} 件のイベントが含まれます。`,
    countNone: "一致するイベントはありません。ファイルは空になります。",
    countFailed: "現在イベント数を集計できません。エクスポートはそのまま開始できます。",
    start: "エクスポートを開始",
    limits: "同時に実行できるのは 5 件までで、1 件ごとに月間の割り当てに計上されます。",
    evidence: "証拠",
    evidenceText:
      "期間内のすべてのイベント、ハッシュ、アンカー、署名済みチェックポイントを 1 つのファイルに収めます。受け取った人は、アカウントなしで、このサービスを信頼することなくオフラインで検証できます。",
    evidencePage: "ブラウザーでファイルを検証",
    evidenceCheck: "または、監査人が実行するコマンド:",
    evidenceVerdict:
      "判定は、監査人が入力した鍵がすべてのイベントを保証する場合は INTACT、最初の一部だけが保証される場合は INTACT, VOUCHED FOR UP TO EVENT …、以前のファイルからの続きだけが示される場合は INTACT SINCE THE EARLIER FILE、何も保証しない場合は INTACT BY ITSELF です。それ以外は TAMPERED、UNREADABLE、UNPROVEN のいずれかです。検証した項目としなかった項目はレポートに示されます。",
    evidenceKey:
      "バンドルだけで分かるのは、内部に矛盾がないことです。チェックポイントの署名鍵（--trusted-key 用。サービスの運用者が「cairn checkpoint-key show」で出力できます）または以前のバンドルを別の経路で監査人に渡すと、署名されたログそのものであることと、追記のみ行われたことも確認できます。",
    command: "コマンド",
    details: "詳細",
    filters: "フィルター",
    download: "ダウンロード",
    checkFile: "このファイルを検証",
    copyLink: "リンクをコピー",
    linkHint:
      "このリンクはファイルが削除されるまで、サインインなしで使用できます。ファイルを渡してよい相手にのみ共有してください。",
    inTheLog: "依頼した人とダウンロードした人"
  }
}
