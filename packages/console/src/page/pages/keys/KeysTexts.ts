/** What the page of API keys says. */
import type { Texts } from "../../locale/Texts.ts"
import type { KeyState, Purpose, Scope } from "./Purposes.ts"

interface KeysTable {
  readonly hint: string
  readonly list: string
  readonly none: string
  readonly noneHint: string
  readonly make: string
  readonly newKey: string
  readonly makeIt: string
  readonly back: string
  readonly name: string
  readonly nameHint: string
  readonly nameless: string
  readonly noName: string
  readonly key: string
  readonly mayDo: string
  readonly madeBy: string
  readonly madeWhen: string
  readonly lastUsed: string
  readonly state: string
  readonly states: Readonly<Record<KeyState, string>>
  readonly ends: string
  readonly endsWhen: string
  readonly revokedWhen: string
  readonly id: string
  readonly about: string
  readonly makers: Readonly<Record<"key" | "former" | "command" | "unknown", string>>
  readonly scopes: Readonly<Record<Scope, string>>
  readonly scopeHints: Readonly<Record<Scope, string>>
  readonly purpose: string
  readonly purposes: Readonly<Record<Purpose, string>>
  readonly purposeHints: Readonly<Record<Purpose, string>>
  readonly noAdmin: string
  readonly noScopes: string
  readonly ownEnd: (time: string) => string
  readonly revoke: string
  readonly revokeIt: string
  readonly revokeTitle: (name: string) => string
  readonly revokeWhat: string
  readonly revokeUsed: string
  readonly revokeStays: string
  readonly madeTitle: string
  readonly onceTitle: string
  readonly once: string
  readonly sendTitle: string
  readonly sendHint: string
  readonly readTitle: string
  readonly language: string
  readonly writeFile: (name: string) => string
  readonly runThis: string
  readonly commands: string
  readonly saved: string
  readonly leaveTitle: string
  readonly leaveWhat: string
  readonly leaveIt: string
  readonly leaveNow: string
  readonly copyKey: string
  readonly firstTitle: string
  readonly waiting: string
  readonly waitingHint: string
  readonly waitingFault: string
  readonly watchOver: string
  readonly watchAgain: string
  readonly arrived: string
  readonly otherArrived: string
  readonly chained: string
  readonly action: string
  readonly actor: string
  readonly recorded: string
}

/** In each language. */
export const keysTexts: Texts<KeysTable> = {
  en: {
    hint: "Programs use them to call the interface. Give each program its own, with no more than it needs.",
    list: "API keys",
    none: "No API keys yet",
    noneHint: "A program needs one to send events to this workspace.",
    make: "New API key",
    newKey: "New API key",
    makeIt: "Create key",
    back: "Cancel",
    name: "Name",
    nameless: "Give the key a name.",
    nameHint:
      "Which program uses it, such as “Billing service, production”. You will want to know when you revoke it.",
    noName: "Without a name",
    key: "Key",
    mayDo: "What it may do",
    madeBy: "Created by",
    madeWhen: "Created",
    lastUsed: "Last used",
    state: "State",
    states: { active: "Active", ending: "Ends soon", ended: "Expired", revoked: "Revoked" },
    ends: "ends",
    endsWhen: "Expires",
    revokedWhen: "Revoked",
    id: "ID",
    about: "About this key",
    makers: {
      key: "another API key",
      former: "a former member",
      command: "command line",
      unknown: "unknown"
    },
    scopes: {
      ingest: "Send events",
      read: "Read the log",
      export: "Export",
      viewer: "Viewer tokens",
      admin: "Administration"
    },
    scopeHints: {
      ingest: "Adds events to the log. It reads nothing.",
      read: "Lists, searches and counts events, verifies them, and reads proofs, checkpoints, anchors and alerts.",
      export: "Makes exports and evidence bundles, and downloads their files.",
      viewer: "Makes tokens with which your own pages show a tenant its events.",
      admin: "What an owner may do: members, keys, alert rules, webhooks, log streams and settings."
    },
    purpose: "What is the key for?",
    purposes: {
      send: "Send events only",
      read: "Read only",
      all: "Everything but administration",
      custom: "Custom"
    },
    purposeHints: {
      send: "For an application that writes the log. A stolen key can read nothing.",
      read: "For reports and checks: lists, searches and verifies events. Changes nothing.",
      all: "Sends, reads and exports events, and makes viewer tokens.",
      custom: "Choose what it may do, one by one."
    },
    noAdmin: "A key for administration may do what an owner may. Only an owner can create one.",
    noScopes: "Choose at least one thing that the key may do.",
    ownEnd: (time) => `Your own access ends on ${time}. No key of yours can last longer.`,
    revoke: "Revoke",
    revokeIt: "Revoke key",
    revokeTitle: (name) => `Revoke “${name}”?`,
    revokeWhat: "Programs that use this key are refused within seconds. What stops working for them:",
    revokeUsed: "If a program still uses it, give that program a new key first.",
    revokeStays: "A revoked key cannot be restored. It stays in the list.",
    madeTitle: "Your new API key",
    onceTitle: "Copy the key now",
    once: "It is shown only this once: the service keeps no copy that could be read. If it is lost, revoke it and create another.",
    sendTitle: "Send a first event",
    sendHint:
      "This records a real event in this log, for good, with the action cairn-test.sent. The commands hold your key. Do not put them where others can read them.",
    readTitle: "Try it",
    language: "Language",
    writeFile: (name) => `Save this as ${name}:`,
    runThis: "Run this in a shell:",
    commands: "Commands",
    saved: "Done, I have saved the key",
    leaveTitle: "Leave without the key?",
    leaveWhat:
      "The key has not been copied and is never shown again. All that could be done then is to revoke it and create another.",
    leaveIt: "Leave without it",
    leaveNow: "Leave",
    copyKey: "Copy the key",
    firstTitle: "Your first event",
    waiting: "Waiting",
    waitingHint: "The event appears here as soon as it has arrived.",
    waitingFault: "The service does not answer at the moment. This page keeps trying.",
    watchOver: "No event of this snippet has arrived in ten minutes. Run it, and look at what it prints.",
    watchAgain: "Wait again",
    arrived: "Your event has arrived.",
    otherArrived: "An event has arrived, though not this snippet’s. The page still waits for that one.",
    chained: "Chained and verified",
    action: "Action",
    actor: "Actor",
    recorded: "Recorded"
  },
  de: {
    hint: "Damit rufen Programme die Schnittstelle auf. Geben Sie jedem Programm einen eigenen, der nicht mehr darf als nötig.",
    list: "API-Schlüssel",
    none: "Noch keine API-Schlüssel",
    noneHint: "Ein Programm braucht einen, um Ereignisse an diesen Workspace zu senden.",
    make: "Neuer API-Schlüssel",
    newKey: "Neuer API-Schlüssel",
    makeIt: "Schlüssel erstellen",
    back: "Abbrechen",
    name: "Name",
    nameless: "Geben Sie dem Schlüssel einen Namen.",
    nameHint:
      "Welches Programm ihn verwendet, etwa „Abrechnung, Produktion“. Das hilft, wenn Sie ihn widerrufen wollen.",
    noName: "Ohne Namen",
    key: "Schlüssel",
    mayDo: "Was er darf",
    madeBy: "Erstellt von",
    madeWhen: "Erstellt",
    lastUsed: "Zuletzt verwendet",
    state: "Status",
    states: { active: "Aktiv", ending: "Läuft bald ab", ended: "Abgelaufen", revoked: "Widerrufen" },
    ends: "endet",
    endsWhen: "Läuft ab",
    revokedWhen: "Widerrufen",
    id: "ID",
    about: "Über diesen Schlüssel",
    makers: {
      key: "anderer API-Schlüssel",
      former: "früheres Mitglied",
      command: "Kommandozeile",
      unknown: "unbekannt"
    },
    scopes: {
      ingest: "Ereignisse senden",
      read: "Protokoll lesen",
      export: "Exportieren",
      viewer: "Viewer-Tokens",
      admin: "Verwaltung"
    },
    scopeHints: {
      ingest: "Fügt dem Protokoll Ereignisse hinzu. Liest nichts.",
      read: "Listet, durchsucht, zählt und prüft Ereignisse, liest Nachweise, Checkpoints, Anker und Alarme.",
      export: "Erstellt Exporte und Beweispakete und lädt deren Dateien herunter.",
      viewer: "Erstellt Tokens, mit denen Ihre eigenen Seiten einem Mandanten seine Ereignisse zeigen.",
      admin:
        "Was ein Inhaber darf: Mitglieder, Schlüssel, Alarmregeln, Webhooks, Log-Streams und Einstellungen."
    },
    purpose: "Wofür ist der Schlüssel?",
    purposes: {
      send: "Nur Ereignisse senden",
      read: "Nur lesen",
      all: "Alles außer Verwaltung",
      custom: "Benutzerdefiniert"
    },
    purposeHints: {
      send: "Für eine Anwendung, die das Protokoll schreibt. Wer den Schlüssel stiehlt, kann nichts lesen.",
      read: "Für Berichte und Prüfungen: listet, durchsucht und prüft Ereignisse. Ändert nichts.",
      all: "Sendet, liest und exportiert Ereignisse und erstellt Viewer-Tokens.",
      custom: "Wählen Sie einzeln, was er darf."
    },
    noAdmin:
      "Ein Schlüssel für die Verwaltung darf, was ein Inhaber darf. Nur ein Inhaber kann ihn erstellen.",
    noScopes: "Wählen Sie mindestens eines, was der Schlüssel darf.",
    ownEnd: (time) => `Ihr eigener Zugang endet am ${time}. Kein Schlüssel von Ihnen gilt länger.`,
    revoke: "Widerrufen",
    revokeIt: "Schlüssel widerrufen",
    revokeTitle: (name) => `„${name}“ widerrufen?`,
    revokeWhat: "Programme mit diesem Schlüssel werden binnen Sekunden abgewiesen. Für sie endet:",
    revokeUsed: "Verwendet ihn noch ein Programm, geben Sie diesem zuerst einen neuen Schlüssel.",
    revokeStays: "Ein widerrufener Schlüssel lässt sich nicht wiederherstellen. Er bleibt in der Liste.",
    madeTitle: "Ihr neuer API-Schlüssel",
    onceTitle: "Kopieren Sie den Schlüssel jetzt",
    once: "Er wird nur dieses eine Mal gezeigt: Der Dienst behält keine lesbare Kopie. Geht er verloren, widerrufen Sie ihn und erstellen Sie einen neuen.",
    sendTitle: "Ein erstes Ereignis senden",
    sendHint:
      "Damit wird ein echtes Ereignis in diesem Protokoll aufgezeichnet, dauerhaft, mit der Aktion cairn-test.sent. Die Befehle enthalten Ihren Schlüssel. Legen Sie sie nicht dort ab, wo andere sie lesen können.",
    readTitle: "Ausprobieren",
    language: "Sprache",
    writeFile: (name) => `Speichern Sie dies als ${name}:`,
    runThis: "Führen Sie dies in einer Shell aus:",
    commands: "Befehle",
    saved: "Fertig, ich habe den Schlüssel gespeichert",
    leaveTitle: "Ohne den Schlüssel verlassen?",
    leaveWhat:
      "Der Schlüssel wurde nicht kopiert und wird nie wieder gezeigt. Danach lässt er sich nur noch widerrufen und durch einen neuen ersetzen.",
    leaveIt: "Ohne ihn verlassen",
    leaveNow: "Verlassen",
    copyKey: "Schlüssel kopieren",
    firstTitle: "Ihr erstes Ereignis",
    waiting: "Wartet",
    waitingHint: "Das Ereignis erscheint hier, sobald es angekommen ist.",
    waitingFault: "Der Dienst antwortet gerade nicht. Diese Seite versucht es weiter.",
    watchOver:
      "In zehn Minuten ist kein Ereignis dieses Beispiels angekommen. Führen Sie es aus und sehen Sie sich die Ausgabe an.",
    watchAgain: "Weiter warten",
    arrived: "Ihr Ereignis ist angekommen.",
    otherArrived:
      "Ein Ereignis ist angekommen, aber nicht das aus diesem Beispiel. Die Seite wartet weiter darauf.",
    chained: "Verkettet und geprüft",
    action: "Aktion",
    actor: "Akteur",
    recorded: "Aufgezeichnet"
  },
  ja: {
    hint: "プログラムが API を呼び出すためのキーです。プログラムごとに、必要最小限の権限で作成してください。",
    list: "API キー",
    none: "API キーはまだありません",
    noneHint: "このワークスペースにイベントを送信するプログラムには API キーが必要です。",
    make: "API キーを作成",
    newKey: "新しい API キー",
    makeIt: "キーを作成",
    back: "キャンセル",
    name: "名前",
    nameless: "キーに名前を付けてください。",
    nameHint: "使用するプログラムの名前（例:「請求サービス 本番」）。失効させるときの判断に役立ちます。",
    noName: "名前なし",
    key: "キー",
    mayDo: "権限",
    madeBy: "作成者",
    madeWhen: "作成日時",
    lastUsed: "最終使用",
    state: "状態",
    states: { active: "有効", ending: "まもなく期限切れ", ended: "期限切れ", revoked: "失効済み" },
    ends: "期限:",
    endsWhen: "有効期限",
    revokedWhen: "失効日時",
    id: "ID",
    about: "このキーについて",
    makers: { key: "別の API キー", former: "以前のメンバー", command: "コマンドライン", unknown: "不明" },
    scopes: {
      ingest: "イベントの送信",
      read: "ログの閲覧",
      export: "エクスポート",
      viewer: "ビューアートークン",
      admin: "管理"
    },
    scopeHints: {
      ingest: "ログにイベントを追加します。閲覧はできません。",
      read: "イベントの一覧・検索・集計・検証を行い、証明、チェックポイント、アンカー、アラートを閲覧します。",
      export: "エクスポートと証拠バンドルを作成し、ファイルをダウンロードします。",
      viewer: "自社のページでテナントにそのイベントを表示するためのトークンを作成します。",
      admin: "オーナーと同じ操作: メンバー、キー、アラートルール、Webhook、ログストリーム、設定。"
    },
    purpose: "キーの用途",
    purposes: {
      send: "イベントの送信のみ",
      read: "閲覧のみ",
      all: "管理以外のすべて",
      custom: "カスタム"
    },
    purposeHints: {
      send: "ログを書き込むアプリケーション向け。キーが盗まれても何も閲覧できません。",
      read: "レポートや検査向け。イベントの一覧・検索・検証のみで、変更はできません。",
      all: "イベントの送信・閲覧・エクスポートと、ビューアートークンの作成。",
      custom: "権限を一つずつ選択します。"
    },
    noAdmin: "管理用のキーはオーナーと同じ操作ができます。作成できるのはオーナーのみです。",
    noScopes: "権限を少なくとも一つ選択してください。",
    ownEnd: (time) => `ご自身のアクセスは ${time} に終了します。作成するキーの期限はそれ以前になります。`,
    revoke: "失効",
    revokeIt: "キーを失効",
    revokeTitle: (name) => `「${name}」を失効させますか?`,
    revokeWhat: "このキーを使用するプログラムは数秒以内に拒否されます。使えなくなる操作:",
    revokeUsed: "まだ使用しているプログラムがある場合は、先に新しいキーを設定してください。",
    revokeStays: "失効したキーは元に戻せません。一覧には残ります。",
    madeTitle: "新しい API キー",
    onceTitle: "今すぐキーをコピーしてください",
    once: "表示されるのはこの一度だけです。サービスは読み取り可能な控えを保持しません。紛失した場合は失効させ、新しく作成してください。",
    sendTitle: "最初のイベントを送信",
    sendHint:
      "これにより、このログに実際のイベント(アクション cairn-test.sent)が恒久的に記録されます。コマンドにはキーが含まれています。他の人が読める場所に置かないでください。",
    readTitle: "試す",
    language: "言語",
    writeFile: (name) => `${name} として保存します:`,
    runThis: "シェルで実行します:",
    commands: "コマンド",
    saved: "キーを保存しました",
    leaveTitle: "キーをコピーせずに離れますか?",
    leaveWhat:
      "キーはまだコピーされておらず、二度と表示されません。離れた後は、失効させて新しく作成するしかありません。",
    leaveIt: "コピーせずに離れる",
    leaveNow: "離れる",
    copyKey: "キーをコピー",
    firstTitle: "最初のイベント",
    waiting: "待機中",
    waitingHint: "イベントが届くとここに表示されます。",
    waitingFault: "現在サービスが応答していません。引き続き試行します。",
    watchOver: "10 分以内にこの例のイベントは届きませんでした。実行して出力を確認してください。",
    watchAgain: "もう一度待つ",
    arrived: "イベントが届きました。",
    otherArrived: "イベントが届きましたが、この例のものではありません。引き続き待機しています。",
    chained: "チェーンに記録され、検証済み",
    action: "アクション",
    actor: "アクター",
    recorded: "記録日時"
  }
}
