/** What the page of log streams says. */
import type { Texts } from "../../locale/Texts.ts"
import type { CheckpointChoice } from "./StreamDraft.ts"
import type { LogStream } from "./StreamKinds.ts"

interface StreamTable {
  readonly hint: string
  readonly add: string
  readonly empty: string
  readonly emptyHint: string
  readonly columns: Readonly<Record<"name" | "state" | "lag" | "taken" | "error", string>>
  readonly states: Readonly<Record<LogStream["status"], string>>
  readonly stateHints: Readonly<Record<LogStream["status"], string>>
  readonly since: (time: string) => string
  readonly behind: (count: number, formatted: string) => string
  readonly upToDate: string
  readonly noError: string
  readonly name: string
  readonly nameHint: string
  readonly which: string
  readonly action: string
  readonly actionHint: string
  readonly tenant: string
  readonly tenantHint: string
  readonly notLifted: string
  readonly start: string
  readonly starts: Readonly<Record<"now" | "beginning", string>>
  readonly more: string
  readonly batchEvents: string
  readonly batchSeconds: string
  readonly batchHint: string
  readonly checkpoints: string
  readonly checkpointChoices: Readonly<Record<CheckpointChoice, string>>
  readonly checkpointHint: string
  readonly save: string
  readonly changeTitle: string
  readonly madeTitle: string
  readonly savedTitle: string
  readonly testHeading: string
  readonly progress: string
  readonly sent: string
  readonly lag: string
  readonly lastTaken: string
  readonly lastError: string
  readonly everything: string
  readonly destination: string
  readonly batches: string
  readonly ownBatches: string
  readonly sentCheckpoints: string
  readonly made: string
  readonly changed: string
  readonly change: string
  readonly pause: string
  readonly resume: string
  readonly turnOn: string
  readonly replay: string
  readonly tests: string
  readonly remove: string
  readonly removeTitle: (name: string) => string
  readonly removeText: string
  readonly hidden: string
}

/** In each language. */
export const streamTexts: Texts<StreamTable> = {
  en: {
    hint: "Each sends every event, in the order of the chain, to another system. An outage loses nothing; the stream goes on where it stopped.",
    add: "Add log stream",
    empty: "No log streams yet",
    emptyHint:
      "A log stream feeds a SIEM, a bucket or a file with every event, seconds after it was recorded.",
    columns: { name: "Stream", state: "State", lag: "Lag", taken: "Last taken", error: "Last error" },
    states: { healthy: "Running", retrying: "Retrying", down: "Failing", paused: "Paused", disabled: "Off" },
    stateHints: {
      healthy: "The destination takes what is sent.",
      retrying: "The last attempt failed. It is tried again by itself.",
      down: "Every attempt has failed for long. It is tried again every five minutes; nothing is lost.",
      paused: "It was paused by hand, and goes on where it stopped when it is resumed.",
      disabled: "It is off and sends nothing."
    },
    since: (time) => `since ${time}`,
    behind: (count, formatted) => `${formatted} ${count === 1 ? "event" : "events"} behind`,
    upToDate: "up to date",
    noError: "none",
    name: "Name",
    nameHint: "What you call it.",
    which: "Which events",
    action: "Action",
    actionHint: "A pattern such as document.*; empty sends all.",
    tenant: "Tenant",
    tenantHint: "Only this tenant's events; empty sends all.",
    notLifted: "It can be replaced, not removed.",
    start: "Begins with",
    starts: { now: "Events from now on", beginning: "The whole log first" },
    more: "Batches and checkpoints",
    batchEvents: "Events of a batch",
    batchSeconds: "Seconds of a batch",
    batchHint: "Empty for what suits the destination.",
    checkpoints: "Checkpoints",
    checkpointChoices: {
      default: "Unless it is for one tenant",
      yes: "Always",
      no: "Never"
    },
    checkpointHint:
      "Signed states of the log, once an hour. Kept elsewhere, they prove it if somebody rewrites the log.",
    save: "Save",
    changeTitle: "Change log stream",
    madeTitle: "Log stream added",
    savedTitle: "Log stream changed",
    testHeading: "Test record",
    progress: "Progress",
    sent: "Sent up to event",
    lag: "Lag",
    lastTaken: "Last taken",
    lastError: "Last error",
    everything: "all events",
    destination: "Settings",
    batches: "Batches",
    ownBatches: "as suits the destination",
    sentCheckpoints: "Checkpoint sent, of size",
    made: "Added",
    changed: "Last changed",
    change: "Change",
    pause: "Pause",
    resume: "Resume",
    turnOn: "Turn on",
    replay: "To send events again from an earlier one, the operator of the service uses",
    tests: "Earlier tests",
    remove: "Delete",
    removeTitle: (name) => `Delete ${name}?`,
    removeText:
      "It sends nothing any more, and its place in the log and its credentials are gone. What the destination has stays there. This cannot be undone.",
    hidden: "Your role sees the host only."
  },
  de: {
    hint: "Jeder sendet alle Ereignisse in der Reihenfolge der Kette an ein anderes System. Bei einem Ausfall geht nichts verloren; der Stream setzt dort fort, wo er stand.",
    add: "Log-Stream hinzufügen",
    empty: "Noch keine Log-Streams",
    emptyHint:
      "Ein Log-Stream versorgt ein SIEM, einen Bucket oder eine Datei mit jedem Ereignis, Sekunden nach seiner Aufzeichnung.",
    columns: {
      name: "Stream",
      state: "Status",
      lag: "Rückstand",
      taken: "Zuletzt angenommen",
      error: "Letzter Fehler"
    },
    states: {
      healthy: "Läuft",
      retrying: "Neuer Versuch",
      down: "Schlägt fehl",
      paused: "Pausiert",
      disabled: "Aus"
    },
    stateHints: {
      healthy: "Das Ziel nimmt an, was gesendet wird.",
      retrying: "Der letzte Versuch ist fehlgeschlagen. Er wird von selbst wiederholt.",
      down: "Seit längerem schlägt jeder Versuch fehl. Alle fünf Minuten wird es erneut versucht; nichts geht verloren.",
      paused: "Er wurde von Hand pausiert und setzt dort fort, wo er stand, wenn er fortgesetzt wird.",
      disabled: "Er ist aus und sendet nichts."
    },
    since: (time) => `seit ${time}`,
    behind: (count, formatted) => `${formatted} ${count === 1 ? "Ereignis" : "Ereignisse"} zurück`,
    upToDate: "aktuell",
    noError: "keiner",
    name: "Name",
    nameHint: "Wie Sie ihn nennen.",
    which: "Welche Ereignisse",
    action: "Aktion",
    actionHint: "Ein Muster wie document.*; leer sendet alle.",
    tenant: "Mandant",
    tenantHint: "Nur Ereignisse dieses Mandanten; leer sendet alle.",
    notLifted: "Kann ersetzt, aber nicht entfernt werden.",
    start: "Beginnt mit",
    starts: { now: "Ereignissen ab jetzt", beginning: "dem ganzen Protokoll" },
    more: "Stapel und Checkpoints",
    batchEvents: "Ereignisse je Stapel",
    batchSeconds: "Sekunden je Stapel",
    batchHint: "Leer für das, was zum Ziel passt.",
    checkpoints: "Checkpoints",
    checkpointChoices: { default: "Außer bei nur einem Mandanten", yes: "Immer", no: "Nie" },
    checkpointHint:
      "Signierte Stände des Protokolls, einmal in der Stunde. Anderswo aufbewahrt, beweisen sie es, wenn jemand das Protokoll umschreibt.",
    save: "Speichern",
    changeTitle: "Log-Stream ändern",
    madeTitle: "Log-Stream hinzugefügt",
    savedTitle: "Log-Stream geändert",
    testHeading: "Testdatensatz",
    progress: "Fortschritt",
    sent: "Gesendet bis Ereignis",
    lag: "Rückstand",
    lastTaken: "Zuletzt angenommen",
    lastError: "Letzter Fehler",
    everything: "alle Ereignisse",
    destination: "Einstellungen",
    batches: "Stapel",
    ownBatches: "passend zum Ziel",
    sentCheckpoints: "Checkpoint gesendet, der Größe",
    made: "Hinzugefügt",
    changed: "Zuletzt geändert",
    change: "Ändern",
    pause: "Pausieren",
    resume: "Fortsetzen",
    turnOn: "Einschalten",
    replay: "Um Ereignisse ab einem früheren erneut zu senden, verwendet der Betreiber des Dienstes",
    tests: "Frühere Tests",
    remove: "Löschen",
    removeTitle: (name) => `${name} löschen?`,
    removeText:
      "Er sendet nichts mehr; seine Stelle im Protokoll und seine Zugangsdaten sind verloren. Was das Ziel hat, bleibt dort. Das kann nicht rückgängig gemacht werden.",
    hidden: "Ihre Rolle sieht nur den Host."
  },
  ja: {
    hint: "すべてのイベントを、チェーンの順序で別のシステムに送信します。障害が起きても失われず、停止した位置から再開します。",
    add: "ログストリームを追加",
    empty: "ログストリームはまだありません",
    emptyHint: "記録から数秒以内に、すべてのイベントを SIEM、バケット、ファイルに送信できます。",
    columns: { name: "ストリーム", state: "状態", lag: "遅延", taken: "最後の受信", error: "最後のエラー" },
    states: { healthy: "実行中", retrying: "再試行中", down: "失敗中", paused: "一時停止", disabled: "オフ" },
    stateHints: {
      healthy: "送信先は正常に受信しています。",
      retrying: "最後の試行が失敗しました。自動的に再試行されます。",
      down: "長時間すべての試行が失敗しています。5 分ごとに再試行され、データは失われません。",
      paused: "手動で一時停止されています。再開すると停止した位置から続行します。",
      disabled: "オフで、何も送信しません。"
    },
    since: (time) => `${time} から`,
    behind: (_, formatted) => `${formatted} 件の遅延`,
    upToDate: "最新",
    noError: "なし",
    name: "名前",
    nameHint: "識別用の名前です。",
    which: "対象のイベント",
    action: "操作",
    actionHint: "document.* のようなパターン。空欄の場合はすべて送信します。",
    tenant: "テナント",
    tenantHint: "このテナントのイベントのみ。空欄の場合はすべて送信します。",
    notLifted: "変更はできますが、解除はできません。",
    start: "開始位置",
    starts: { now: "今後のイベントのみ", beginning: "ログ全体を最初から" },
    more: "バッチとチェックポイント",
    batchEvents: "バッチの件数",
    batchSeconds: "バッチの秒数",
    batchHint: "空欄の場合は送信先に適した値になります。",
    checkpoints: "チェックポイント",
    checkpointChoices: { default: "テナント限定以外で送信", yes: "常に送信", no: "送信しない" },
    checkpointHint:
      "1 時間ごとに署名されるログの状態です。別の場所に保管しておけば、ログの書き換えを検出できます。",
    save: "保存",
    changeTitle: "ログストリームを変更",
    madeTitle: "ログストリームを追加しました",
    savedTitle: "ログストリームを変更しました",
    testHeading: "テストレコード",
    progress: "進行状況",
    sent: "送信済みのイベント番号",
    lag: "遅延",
    lastTaken: "最後の受信",
    lastError: "最後のエラー",
    everything: "すべてのイベント",
    destination: "設定",
    batches: "バッチ",
    ownBatches: "送信先に適した値",
    sentCheckpoints: "送信済みチェックポイントのサイズ",
    made: "追加日時",
    changed: "最終変更",
    change: "変更",
    pause: "一時停止",
    resume: "再開",
    turnOn: "オンにする",
    replay: "以前のイベントから再送信するには、サービスの運用者が次のコマンドを使用します:",
    tests: "以前のテスト",
    remove: "削除",
    removeTitle: (name) => `${name} を削除しますか?`,
    removeText:
      "今後は何も送信されず、ログ内の位置と認証情報は失われます。送信先にあるデータは残ります。元に戻せません。",
    hidden: "あなたのロールではホストのみ表示されます。"
  }
}
