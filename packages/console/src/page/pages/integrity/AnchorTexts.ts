/** What the page "integrity" says of anchors. */
import type { Texts } from "../../locale/Texts.ts"

interface AnchorTable {
  readonly title: string
  readonly hint: string
  readonly empty: string
  readonly emptyHint: string
  readonly period: string
  readonly events: string
  readonly state: string
  readonly states: Readonly<Record<"pending" | "submitted" | "confirmed", string>>
  readonly transaction: string
  readonly notSent: string
  readonly explorer: string
  readonly open: string
  readonly more: string
  readonly onlyNewest: (formatted: string) => string
  readonly pending: string
  readonly neverSent: string
  readonly close: string
  readonly closeTitle: string
  readonly closeHint: string
  readonly closed: (count: number, formatted: string) => string
  readonly closedNone: string
  readonly anchor: string
  readonly id: string
  readonly root: string
  readonly rootHint: string
  readonly previous: string
  readonly none: string
  readonly firstHash: string
  readonly lastHash: string
  readonly block: string
  readonly created: string
  readonly verify: string
  readonly verifyHint: string
  readonly valid: (count: number, formatted: string) => string
  readonly invalid: string
  readonly expected: string
  readonly actual: string
  readonly linked: string
  readonly unlinked: string
  readonly chain: Readonly<Record<"matches" | "differs" | "unreachable" | "not_checked", string>>
  readonly range: (from: string, to: string) => string
}

/** In each language. */
export const anchorTexts: Texts<AnchorTable> = {
  en: {
    title: "Anchors",
    hint: "An anchor is the root of a period's events, one hash computed from all of them, for a public blockchain: once it is there, not even the service can change them unseen.",
    empty: "No anchor yet",
    emptyHint: "A period becomes an anchor when it ends; one without events has none.",
    period: "Period",
    events: "Events",
    state: "State",
    states: { pending: "Not sent", submitted: "Submitted", confirmed: "Confirmed" },
    transaction: "Transaction",
    notSent: "none",
    explorer: "Block explorer",
    open: "Details and verification",
    more: "Show more",
    onlyNewest: (formatted) => `The newest ${formatted} are shown. An evidence bundle has all of them.`,
    pending:
      "The root of an anchor is fixed before the anchor is sent. It is sent once the one before it is confirmed, if the service has an account for anchoring.",
    neverSent:
      "None of these has been sent to a blockchain. Without an account for anchoring (CAIRN_ANCHOR_PRIVATE_KEY) the service never sends one: the roots are fixed, and only this service vouches for them.",
    close: "Close the period now",
    closeTitle: "Close the open period now?",
    closeHint:
      "The events since the last period become a period of their own, whose root is fixed at once. It becomes an anchor, and is sent to the chain when the one before it is confirmed. The schedule stays as it is. This is recorded in the log.",
    closed: (count, formatted) =>
      `The period is closed, with ${formatted} ${count === 1 ? "event" : "events"}.`,
    closedNone: "No event has come since the last period ended: there is nothing to close.",
    anchor: "Anchor",
    id: "Anchor id",
    root: "Merkle root",
    rootHint:
      "One hash computed from the period's events, by a Merkle tree: if any of them were changed, removed or moved, it would be another.",
    previous: "Hash of the anchor before",
    none: "none: it is the first",
    firstHash: "Hash of the first event",
    lastHash: "Hash of the last event",
    block: "Block",
    created: "Made",
    verify: "Verify this anchor",
    verifyHint:
      "The service hashes the period's events again from their contents, and reads the transaction from the chain if one is configured.",
    valid: (count, formatted) =>
      count === 1
        ? "The period's event still has the root that was fixed then."
        : `The period's ${formatted} events still have the root that was fixed then.`,
    invalid:
      "The period does not verify: its events have another root than the anchor, or the blockchain has another anchor.",
    expected: "Root computed now",
    actual: "Root fixed then",
    linked: "It follows the anchor before it.",
    unlinked: "It does not follow the anchor before it, or its transaction is wrong.",
    chain: {
      matches: "The blockchain has the same anchor as this service.",
      differs: "The blockchain has another anchor, or none, in that block.",
      unreachable: "No node of the blockchain responded, so this could not be checked.",
      not_checked: "The blockchain was not asked."
    },
    range: (from, to) => `${from} to ${to}`
  },
  de: {
    title: "Anker",
    hint: "Ein Anker ist die Wurzel der Ereignisse einer Periode, ein Hash, der aus allen berechnet wird, für eine öffentliche Blockchain: Steht er dort, kann nicht einmal der Dienst sie unbemerkt ändern.",
    empty: "Noch kein Anker",
    emptyHint: "Eine Periode wird zum Anker, wenn sie endet; eine ohne Ereignisse hat keinen.",
    period: "Periode",
    events: "Ereignisse",
    state: "Zustand",
    states: { pending: "Nicht gesendet", submitted: "Gesendet", confirmed: "Bestätigt" },
    transaction: "Transaktion",
    notSent: "keine",
    explorer: "Block-Explorer",
    open: "Einzelheiten und Prüfung",
    more: "Mehr zeigen",
    onlyNewest: (formatted) => `Gezeigt werden die neuesten ${formatted}. Ein Beweispaket enthält alle.`,
    pending:
      "Bei einem nicht gesendeten Anker steht die Wurzel fest: Er wird gesendet, sobald der davor bestätigt ist, falls der Dienst ein Konto zum Verankern hat.",
    neverSent:
      "Keiner davon wurde an eine Blockchain gesendet. Ohne ein Konto zum Verankern (CAIRN_ANCHOR_PRIVATE_KEY) sendet der Dienst nie einen: Die Wurzeln stehen fest, und nur dieser Dienst bürgt dafür.",
    close: "Periode jetzt schließen",
    closeTitle: "Die offene Periode jetzt schließen?",
    closeHint:
      "Die Ereignisse seit der letzten Periode werden eine eigene Periode, deren Wurzel sofort feststeht. Sie wird zum Anker und an die Blockchain gesendet, sobald der davor bestätigt ist. Der Zeitplan bleibt. Das wird im Protokoll aufgezeichnet.",
    closed: (count, formatted) =>
      `Die Periode ist geschlossen, mit ${formatted} ${count === 1 ? "Ereignis" : "Ereignissen"}.`,
    closedNone: "Seit dem Ende der letzten Periode kam kein Ereignis: Es gibt nichts zu schließen.",
    anchor: "Anker",
    id: "Anker-ID",
    root: "Merkle-Wurzel",
    rootHint:
      "Ein Hash, der aus den Ereignissen der Periode berechnet wird, mit einem Merkle-Baum: Würde eines verändert, entfernt oder verschoben, wäre er ein anderer.",
    previous: "Hash des Ankers davor",
    none: "keiner: Es ist der erste",
    firstHash: "Hash des ersten Ereignisses",
    lastHash: "Hash des letzten Ereignisses",
    block: "Block",
    created: "Erstellt",
    verify: "Diesen Anker prüfen",
    verifyHint:
      "Der Dienst hasht die Ereignisse der Periode neu aus ihren Inhalten und liest die Transaktion von der Blockchain, falls eine eingerichtet ist.",
    valid: (count, formatted) =>
      count === 1
        ? "Das Ereignis der Periode hat noch die damals festgelegte Wurzel."
        : `Die ${formatted} Ereignisse der Periode haben noch die damals festgelegte Wurzel.`,
    invalid:
      "Die Periode ist nicht unversehrt: Ihre Ereignisse haben eine andere Wurzel, oder die Blockchain hat eine andere.",
    expected: "Jetzt berechnete Wurzel",
    actual: "Damals festgelegte Wurzel",
    linked: "Er folgt auf den Anker davor.",
    unlinked: "Er folgt nicht auf den Anker davor, oder seine Transaktion ist falsch.",
    chain: {
      matches: "Die Blockchain hat denselben Anker wie dieser Dienst.",
      differs: "Die Blockchain hat in diesem Block einen anderen Anker oder keinen.",
      unreachable: "Kein Knoten der Blockchain hat geantwortet, deshalb ließ sich das nicht prüfen.",
      not_checked: "Die Blockchain wurde nicht gefragt."
    },
    range: (from, to) => `${from} bis ${to}`
  },
  ja: {
    title: "アンカー",
    hint: "アンカーは、期間内の全イベントから計算した 1 つのハッシュ(ルート)を公開ブロックチェーンに記録するためのものです。記録後はサービス自身でも気付かれずに変更できません。",
    empty: "まだアンカーはありません",
    emptyHint: "期間が終わるとアンカーになります。イベントのない期間にはアンカーはありません。",
    period: "期間",
    events: "イベント数",
    state: "状態",
    states: { pending: "未送信", submitted: "送信済み", confirmed: "確定済み" },
    transaction: "トランザクション",
    notSent: "なし",
    explorer: "ブロックエクスプローラー",
    open: "詳細と検証",
    more: "さらに表示",
    onlyNewest: (formatted) => `最新の ${formatted} 件を表示しています。証拠バンドルにはすべて含まれます。`,
    pending:
      "未送信のアンカーもルートは確定しています。サービスにアンカー用のアカウントがあれば、直前のアンカーが確定した後に送信されます。",
    neverSent:
      "どれもブロックチェーンに送信されていません。アンカー用のアカウント (CAIRN_ANCHOR_PRIVATE_KEY) がない場合、サービスが送信することはありません。ルートは確定していますが、保証するのはこのサービスだけです。",
    close: "期間を今すぐ締める",
    closeTitle: "現在の期間を今すぐ締めますか?",
    closeHint:
      "前回の期間以降のイベントが 1 つの期間になり、そのルートが直ちに確定します。期間はアンカーになり、直前のアンカーが確定するとブロックチェーンに送信されます。スケジュールは変わりません。この操作はログに記録されます。",
    closed: (_, formatted) => `期間を締めました。イベントは ${formatted} 件です。`,
    closedNone: "前回の期間の終了後にイベントがないため、締める対象がありません。",
    anchor: "アンカー",
    id: "アンカー ID",
    root: "マークルルート",
    rootHint:
      "マークルツリーにより期間内のイベントから計算した 1 つのハッシュです。イベントが変更、削除、または移動されると、別の値になります。",
    previous: "直前のアンカーのハッシュ",
    none: "なし (最初のアンカー)",
    firstHash: "最初のイベントのハッシュ",
    lastHash: "最後のイベントのハッシュ",
    block: "ブロック",
    created: "作成日時",
    verify: "このアンカーを検証",
    verifyHint:
      "サービスが期間内のイベントを内容から再度ハッシュし、ブロックチェーンが設定されていればトランザクションを読み取ります。",
    valid: (_, formatted) => `期間内の ${formatted} 件のイベントのルートは、確定時のルートと一致します。`,
    invalid: "この期間は一致しません。イベントのルート、またはブロックチェーン上のルートが異なります。",
    expected: "今回計算したルート",
    actual: "確定時のルート",
    linked: "直前のアンカーに続いています。",
    unlinked: "直前のアンカーに続いていないか、トランザクションに誤りがあります。",
    chain: {
      matches: "ブロックチェーン上の内容は、ここに保存されているものと一致します。",
      differs: "ブロックチェーンのそのブロックには、別の内容があるか、何もありません。",
      unreachable: "ブロックチェーンのノードが応答しなかったため、ブロックチェーンについては不明です。",
      not_checked: "ブロックチェーンには照会していません。"
    },
    range: (from, to) => `${from} ～ ${to}`
  }
}
