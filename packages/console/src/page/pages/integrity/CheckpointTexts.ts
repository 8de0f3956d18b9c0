/** What the page "integrity" says of checkpoints. */
import type { Texts } from "../../locale/Texts.ts"
import type { Comparison } from "./NoteComparison.ts"

interface CheckpointTable {
  readonly title: string
  readonly hint: string
  readonly unsigned: string
  readonly log: string
  readonly events: string
  readonly root: string
  readonly rootHint: string
  readonly keys: string
  readonly keysHint: string
  readonly signed: string
  readonly signedNow: string
  readonly note: string
  readonly noteHint: string
  readonly unreadable: string
  readonly list: string
  readonly listHint: string
  readonly empty: string
  readonly emptyHint: string
  readonly compareRow: string
  readonly compare: string
  readonly compareHint: string
  readonly kept: string
  readonly keptHint: string
  readonly keptFault: string
  readonly against: string
  readonly newest: (events: string) => string
  readonly ofTime: (events: string, at: string) => string
  readonly run: string
  readonly outcomes: Readonly<
    Record<Comparison["kind"], (from: string, to: string, hashes: string) => string>
  >
  readonly computedHere: string
}

/** In each language. */
export const checkpointTexts: Texts<CheckpointTable> = {
  en: {
    title: "Newest checkpoint",
    hint: "A checkpoint is the state of the whole log in one signed hash. Keep it elsewhere: anybody who has one can prove later that the log was changed.",
    unsigned:
      "The service signs no checkpoint at present: either the log is not the one that it signed before, or it cannot be read just now.",
    log: "Log",
    events: "Events",
    root: "Root",
    rootHint:
      "One hash computed from all events, by a Merkle tree: if any event were changed, removed or moved, it would be another.",
    keys: "Signed by",
    keysHint:
      "Whether these signatures are right is not checked here: that takes the public key, from elsewhere.",
    signed: "Signed",
    signedNow: "when this page asked for it",
    note: "Signed note",
    noteHint:
      "The signed note is the checkpoint as a text: the log's name, the number of events, the root, and the signatures.",
    unreadable: "The service answered with something that is no checkpoint.",
    list: "Checkpoints over time",
    listHint: "Signed by the service on its own, about one an hour while events come, and kept for ever.",
    empty: "No checkpoint over time yet",
    emptyHint: "The first is signed within an hour of the first event.",
    compareRow: "Use to compare",
    compare: "Compare with one that you kept",
    compareHint:
      "Proves that the log of the later checkpoint begins with the log of the earlier one. Nothing of what you paste leaves the browser but its size.",
    kept: "Checkpoint that was kept",
    keptHint: "The whole signed note, or one of the list.",
    keptFault: "This is no checkpoint. Paste the whole signed note, with its signatures.",
    against: "Compare with",
    newest: (events) => `The newest: ${events} events`,
    ofTime: (events, at) => `${events} events, ${at}`,
    run: "Compare checkpoints",
    outcomes: {
      grown: (from, to, hashes) =>
        `The log only grew: its first ${from} events are the same in both, and ${to} include them. Computed in your browser from a proof of ${hashes} hashes.`,
      same: (from) => `Both are about the same log of ${from} events, with the same root.`,
      changed: (from, to) =>
        `The log was changed: the log of ${to} events does not begin with that log of ${from} events.`,
      cut: (from, to) =>
        `Events are missing: the checkpoint is about ${from} events, and the log has ${to} now.`,
      split: (from) =>
        `There are two logs: both checkpoints are about ${from} events, and their roots differ.`,
      otherLog: (from) => `This is a checkpoint of another log: ${from}.`,
      nothing: () => "One is about an empty log. Every log begins empty, so this proves nothing."
    },
    computedHere: "Signatures were not checked here; cairn-verify does, with the key."
  },
  de: {
    title: "Neuester Checkpoint",
    hint: "Ein Checkpoint ist der Stand des ganzen Protokolls in einem signierten Hash. Bewahren Sie ihn anderswo auf: Wer einen hat, kann später beweisen, dass das Protokoll verändert wurde.",
    unsigned:
      "Der Dienst signiert zurzeit keinen Checkpoint. Das ist so, wenn das Protokoll nicht mehr das ist, was er früher signiert hat, oder wenn es gerade nicht gelesen werden kann.",
    log: "Protokoll",
    events: "Ereignisse",
    root: "Wurzel",
    rootHint:
      "Ein Hash, der aus allen Ereignissen berechnet wird, mit einem Merkle-Baum: Würde ein Ereignis verändert, entfernt oder verschoben, wäre er ein anderer.",
    keys: "Signiert von",
    keysHint:
      "Ob diese Signaturen stimmen, wird hier nicht geprüft: Dazu braucht es den öffentlichen Schlüssel aus anderer Quelle.",
    signed: "Signiert",
    signedNow: "als diese Seite danach fragte",
    note: "Signierte Notiz",
    noteHint:
      "Die signierte Notiz ist der Checkpoint als Text: Name des Protokolls, Zahl der Ereignisse, Wurzel und Signaturen.",
    unreadable: "Der Dienst hat mit etwas geantwortet, das kein Checkpoint ist.",
    list: "Checkpoints im Lauf der Zeit",
    listHint:
      "Vom Dienst von sich aus signiert, etwa einer pro Stunde, solange Ereignisse kommen, und für immer aufbewahrt.",
    empty: "Noch kein Checkpoint im Lauf der Zeit",
    emptyHint: "Der erste wird innerhalb einer Stunde nach dem ersten Ereignis signiert.",
    compareRow: "Zum Vergleich nehmen",
    compare: "Mit einem aufbewahrten vergleichen",
    compareHint:
      "Beweist, dass das Protokoll des späteren Checkpoints mit dem des früheren beginnt. Von dem, was Sie einfügen, verlässt nur die Größe den Browser.",
    kept: "Aufbewahrter Checkpoint",
    keptHint: "Die ganze signierte Notiz, oder eine aus der Liste.",
    keptFault: "Das ist kein Checkpoint. Fügen Sie die ganze signierte Notiz ein, mit ihren Signaturen.",
    against: "Vergleichen mit",
    newest: (events) => `Dem neuesten: ${events} Ereignisse`,
    ofTime: (events, at) => `${events} Ereignisse, ${at}`,
    run: "Checkpoints vergleichen",
    outcomes: {
      grown: (from, to, hashes) =>
        `Das Protokoll ist nur gewachsen: Seine ersten ${from} Ereignisse sind in beiden gleich, und ${to} enthalten sie. In Ihrem Browser berechnet, aus einem Beweis von ${hashes} Hashes.`,
      same: (from) => `Beide betreffen dasselbe Protokoll von ${from} Ereignissen, mit derselben Wurzel.`,
      changed: (from, to) =>
        `Das Protokoll wurde verändert: Das Protokoll von ${to} Ereignissen beginnt nicht mit jenem von ${from} Ereignissen.`,
      cut: (from, to) =>
        `Es fehlen Ereignisse: Der Checkpoint betrifft ${from} Ereignisse, und das Protokoll hat jetzt ${to}.`,
      split: (from) =>
        `Es gibt zwei Protokolle: Beide Checkpoints betreffen ${from} Ereignisse, und ihre Wurzeln unterscheiden sich.`,
      otherLog: (from) => `Das ist ein Checkpoint eines anderen Protokolls: ${from}.`,
      nothing: () =>
        "Einer betrifft ein leeres Protokoll. Damit beginnt jedes Protokoll, also beweist er nichts."
    },
    computedHere: "Signaturen wurden hier nicht geprüft; das tut cairn-verify, mit dem Schlüssel."
  },
  ja: {
    title: "最新のチェックポイント",
    hint: "チェックポイントは、ログ全体の状態を表す署名付きハッシュです。別の場所に保管してください。保管していれば、後でログが変更されたことを証明できます。",
    unsigned:
      "サービスは現在チェックポイントに署名していません。ログが以前に署名した内容と異なるか、現在読み取れない場合にこうなります。",
    log: "ログ",
    events: "イベント数",
    root: "ルート",
    rootHint:
      "マークルツリーにより全イベントから計算した 1 つのハッシュです。イベントが変更、削除、または移動されると、別の値になります。",
    keys: "署名者",
    keysHint: "これらの署名が正しいかどうかはここでは確認しません。別の経路で入手した公開鍵が必要です。",
    signed: "署名日時",
    signedNow: "このページが要求した時点",
    note: "署名付きノート",
    noteHint:
      "署名付きノートは、チェックポイントをテキストにしたものです。ログの名前、イベント数、ルート、署名からなります。",
    unreadable: "サービスの応答はチェックポイントではありませんでした。",
    list: "これまでのチェックポイント",
    listHint: "イベントがある間、約 1 時間に 1 件サービスが自動的に署名し、無期限に保管します。",
    empty: "まだチェックポイントの記録はありません",
    emptyHint: "最初のイベントから 1 時間以内に署名されます。",
    compareRow: "比較に使う",
    compare: "保管していたものと比較",
    compareHint:
      "新しいチェックポイントのログが、古いチェックポイントのログから始まることを証明します。貼り付けた内容のうちブラウザーの外に送られるのはサイズだけです。",
    kept: "保管していたチェックポイント",
    keptHint: "署名付きノート全体、または一覧のもの。",
    keptFault: "チェックポイントではありません。署名を含むノート全体を貼り付けてください。",
    against: "比較対象",
    newest: (events) => `最新: ${events} 件`,
    ofTime: (events, at) => `${events} 件、${at}`,
    run: "チェックポイントを比較",
    outcomes: {
      grown: (from, to, hashes) =>
        `ログは追記されただけです。最初の ${from} 件は両方で同じで、${to} 件のログに含まれています。${hashes} 個のハッシュの証明からブラウザーで計算しました。`,
      same: (from) => `どちらも ${from} 件の同じログで、ルートも同じです。`,
      changed: (from, to) =>
        `ログが変更されています。${to} 件のログは、${from} 件のログから始まっていません。`,
      cut: (from, to) =>
        `イベントが失われています。チェックポイントは ${from} 件ですが、現在のログは ${to} 件です。`,
      split: (from) => `ログが 2 つあります。どちらも ${from} 件ですが、ルートが異なります。`,
      otherLog: (from) => `別のログのチェックポイントです: ${from}`,
      nothing: () => "一方は空のログのものです。すべてのログは空から始まるため、何も証明しません。"
    },
    computedHere: "署名はここでは確認していません。cairn-verify が鍵を使って確認します。"
  }
}
