/** What the page "integrity" says of the chain; checkpoints and anchors have texts of their own. */
import type { Texts } from "../../locale/Texts.ts"
import type { Verdict } from "./Verdict.ts"
import type { Period } from "./VerifyRun.ts"

interface IntegrityTable {
  readonly hint: string
  readonly verdicts: Readonly<Record<Verdict, (total: string, checked: string, rest: string) => string>>
  readonly verdictHints: Readonly<Record<Verdict, string>>
  readonly standing: (count: number, formatted: string) => string
  readonly refresh: string
  readonly self: string
  readonly chain: string
  readonly chainFact: (checked: string, total: string) => string
  readonly reachedEnd: string
  readonly began: string
  readonly pausedBadge: string
  readonly paused: string
  readonly notHere: string
  readonly notHereHint: string
  readonly findings: string
  readonly findingEvent: string
  readonly findingKind: string
  readonly findingFound: string
  readonly notSaid: string
  readonly moreFindings: (formatted: string) => string
  readonly kinds: Readonly<Record<"hash_mismatch" | "chain_break", string>>
  readonly now: string
  readonly nowHint: string
  readonly period: string
  readonly periods: Readonly<Record<Period, string>>
  readonly from: string
  readonly to: string
  readonly verify: string
  readonly stop: string
  readonly progress: (checked: string, total: string) => string
  readonly holds: (count: number, formatted: string) => string
  readonly nothing: string
  readonly breaks: (count: number, formatted: string, checked: string) => string
  readonly stopped: (checked: string) => string
  readonly wholeHint: string
  readonly periodHint: string
  readonly outside: string
  readonly outsideHint: string
  readonly cannotExport: (roles: string) => string
  readonly toExports: string
  readonly toCheck: string
  readonly outsideCommand: string
}

/** In each language. */
export const integrityTexts: Texts<IntegrityTable> = {
  en: {
    hint: "Was anything tampered with? What the service has verified, and what you can verify yourself.",
    verdicts: {
      broken: () => "The log does not hold: something was changed, removed or inserted.",
      whole: (total) => `No tampering found: all ${total} events agree with the hash chain.`,
      following: (_, checked, rest) =>
        `No tampering found: events 1 to ${checked} agree with the hash chain. Not checked yet: the newest ${rest}.`,
      partly: (total, checked) =>
        `No tampering found so far: verification is at event ${checked} of ${total}.`,
      unverified: () => "Nobody has verified this log yet.",
      empty: () => "The log has no events yet: there is nothing to verify."
    },
    verdictHints: {
      broken:
        "The events below do not match their hashes or their neighbours. All others hold, as far as they were checked.",
      whole:
        "Every event is as it was recorded, in its order, and none is missing. Contents that retention or an erasure removed are recorded as such.",
      following:
        "Every event that was checked is as it was recorded, in its order. The service follows new ones, as a rule within a minute.",
      partly: "The service verifies the whole log again regularly; a pass is in progress.",
      unverified:
        "The service begins by itself soon, unless that is switched off. You can verify it now below.",
      empty: "This changes with the first event."
    },
    standing: (count, formatted) => `${formatted} ${count === 1 ? "finding stands" : "findings stand"}`,
    refresh: "Refresh",
    self: "Verification by the service",
    chain: "Checked in this pass",
    chainFact: (checked, total) => `up to event ${checked} of ${total}`,
    reachedEnd: "Last at the end of the log",
    began: "Pass began",
    pausedBadge: "Paused",
    paused: "The operator has paused this verification.",
    notHere: "Not checked here",
    notHereHint:
      "This is what the service says of itself. It takes the service's public key to check signatures; anchors are checked against the blockchain when you verify one below.",
    findings: "Findings",
    findingEvent: "Event",
    findingKind: "What is wrong",
    findingFound: "Found",
    notSaid: "not recorded",
    moreFindings: (formatted) => `and ${formatted} more`,
    kinds: {
      hash_mismatch: "It is not what was hashed: it was changed after it was recorded.",
      chain_break: "It does not follow the event before it: an event was removed, inserted or moved here."
    },
    now: "Verify now",
    nowHint: "Reads the events as they are stored, computes their hashes, and follows the chain.",
    period: "Events",
    periods: {
      all: "The whole log",
      day: "Last 24 hours",
      week: "Last 7 days",
      month: "Last 30 days",
      custom: "A period"
    },
    from: "From",
    to: "To",
    verify: "Verify",
    stop: "Stop",
    progress: (checked, total) => `${checked} of ${total} events checked`,
    holds: (count, formatted) =>
      count === 1 ? "1 event was checked, and it holds." : `${formatted} events were checked, and all hold.`,
    nothing: "There are no events of the chain in this period.",
    breaks: (count, formatted, checked) =>
      `${formatted} ${count === 1 ? "break" : "breaks"} in ${checked} events that were checked.`,
    stopped: (checked) => `Stopped after ${checked} events. What comes after them was not checked.`,
    wholeHint: "From the first event to the end of the log.",
    periodHint: "Of this period only; it says nothing of events before and after.",
    outside: "Verify without this service",
    outsideHint:
      "All of the above is computed by the service. If you do not trust it, export an evidence bundle and check it in the browser, where nothing is uploaded, or by a command, against a key, a block or an earlier bundle from elsewhere. The report of the check can be printed, signed and kept.",
    cannotExport: (roles) =>
      `Your role cannot export evidence. These roles can: ${roles}. Ask one of them for the file, which you can check yourself.`,
    toExports: "Export an evidence bundle",
    toCheck: "Check an evidence file without trusting this service",
    outsideCommand: "Command to check a bundle"
  },
  de: {
    hint: "Wurde etwas manipuliert? Was der Dienst geprüft hat und was Sie selbst prüfen können.",
    verdicts: {
      broken: () => "Das Protokoll ist nicht unversehrt: Etwas wurde verändert, entfernt oder eingefügt.",
      whole: (total) =>
        `Keine Manipulation gefunden: Alle ${total} Ereignisse stimmen mit der Hashkette überein.`,
      following: (_, checked, rest) =>
        `Keine Manipulation gefunden: Die Ereignisse 1 bis ${checked} stimmen mit der Hashkette überein. Noch nicht geprüft: die neuesten ${rest}.`,
      partly: (total, checked) =>
        `Bisher keine Manipulation gefunden: Die Prüfung ist bei Ereignis ${checked} von ${total}.`,
      unverified: () => "Dieses Protokoll wurde noch nicht geprüft.",
      empty: () => "Das Protokoll hat noch keine Ereignisse: Es gibt nichts zu prüfen."
    },
    verdictHints: {
      broken:
        "Die Ereignisse unten passen nicht zu ihren Hashes oder zu ihren Nachbarn. Alle anderen stimmen, soweit sie geprüft wurden.",
      whole:
        "Jedes Ereignis ist so, wie es aufgezeichnet wurde, in seiner Reihenfolge, und keines fehlt. Inhalte, die durch Aufbewahrungsfrist oder Löschung entfernt wurden, sind als solche vermerkt.",
      following:
        "Jedes geprüfte Ereignis ist so, wie es aufgezeichnet wurde, in seiner Reihenfolge. Neuen folgt der Dienst in der Regel binnen einer Minute.",
      partly: "Der Dienst geht regelmäßig das ganze Protokoll neu durch und ist gerade unterwegs.",
      unverified:
        "Der Dienst beginnt bald von selbst, sofern das nicht abgeschaltet ist. Unten können Sie jetzt prüfen.",
      empty: "Das ändert sich mit dem ersten Ereignis."
    },
    standing: (count, formatted) => `${formatted} ${count === 1 ? "offener Befund" : "offene Befunde"}`,
    refresh: "Aktualisieren",
    self: "Prüfung durch den Dienst",
    chain: "In diesem Durchgang geprüft",
    chainFact: (checked, total) => `bis Ereignis ${checked} von ${total}`,
    reachedEnd: "Zuletzt am Ende des Protokolls",
    began: "Durchgang begonnen",
    pausedBadge: "Angehalten",
    paused: "Der Betreiber hat diese Prüfung angehalten.",
    notHere: "Hier nicht geprüft",
    notHereHint:
      "Dies sagt der Dienst über sich selbst. Signaturen prüft, wer den öffentlichen Schlüssel des Dienstes hat, und Anker werden gegen die Blockchain geprüft, wenn Sie unten einen prüfen.",
    findings: "Befunde",
    findingEvent: "Ereignis",
    findingKind: "Was nicht stimmt",
    findingFound: "Gefunden",
    notSaid: "nicht vermerkt",
    moreFindings: (formatted) => `und ${formatted} weitere`,
    kinds: {
      hash_mismatch: "Es ist nicht, was gehasht wurde: Es wurde nach der Aufzeichnung verändert.",
      chain_break:
        "Es folgt nicht auf das Ereignis davor: Hier wurde ein Ereignis entfernt, eingefügt oder verschoben."
    },
    now: "Jetzt prüfen",
    nowHint: "Liest die Ereignisse, wie sie gespeichert sind, berechnet ihre Hashes und folgt der Kette.",
    period: "Ereignisse",
    periods: {
      all: "Das ganze Protokoll",
      day: "Letzte 24 Stunden",
      week: "Letzte 7 Tage",
      month: "Letzte 30 Tage",
      custom: "Ein Zeitraum"
    },
    from: "Von",
    to: "Bis",
    verify: "Prüfen",
    stop: "Anhalten",
    progress: (checked, total) => `${checked} von ${total} Ereignissen geprüft`,
    holds: (count, formatted) =>
      count === 1
        ? "1 Ereignis wurde geprüft, und es stimmt."
        : `${formatted} Ereignisse wurden geprüft, und alle stimmen.`,
    nothing: "In diesem Zeitraum gibt es keine Ereignisse der Kette.",
    breaks: (count, formatted, checked) =>
      `${formatted} ${count === 1 ? "Bruch" : "Brüche"} in ${checked} geprüften Ereignissen.`,
    stopped: (checked) => `Nach ${checked} Ereignissen angehalten. Was danach kommt, wurde nicht geprüft.`,
    wholeHint: "Vom ersten Ereignis bis zum Ende des Protokolls.",
    periodHint: "Nur für diesen Zeitraum; über Ereignisse davor und danach sagt es nichts.",
    outside: "Ohne diesen Dienst prüfen",
    outsideHint:
      "Alles oben berechnet der Dienst. Wer ihm nicht vertraut, exportiert ein Beweispaket und prüft es im Browser, wo nichts hochgeladen wird, oder mit einem Befehl, gegen einen Schlüssel, einen Block oder ein früheres Paket aus anderer Quelle. Der Prüfbericht lässt sich drucken, unterschreiben und aufbewahren.",
    cannotExport: (roles) =>
      `Ihre Rolle kann kein Beweispaket exportieren. Wer das kann: ${roles}. Bitten Sie dort um die Datei; prüfen können Sie sie selbst.`,
    toExports: "Beweispaket exportieren",
    toCheck: "Beweispaket prüfen, ohne diesem Dienst zu vertrauen",
    outsideCommand: "Befehl zum Prüfen eines Pakets"
  },
  ja: {
    hint: "改ざんはあったか。サービスが検証した内容と、ご自身で検証できる内容を表示します。",
    verdicts: {
      broken: () => "ログは完全ではありません。変更、削除、または挿入された箇所があります。",
      whole: (total) =>
        `改ざんは見つかりませんでした。全 ${total} 件のイベントがハッシュチェーンと一致します。`,
      following: (_, checked, rest) =>
        `改ざんは見つかりませんでした。1 ～ ${checked} 番目のイベントがハッシュチェーンと一致します。最新の ${rest} 件は未検証です。`,
      partly: (total, checked) =>
        `これまでのところ改ざんは見つかっていません。全 ${total} 件中 ${checked} 番目のイベントまで検証しました。`,
      unverified: () => "このログはまだ検証されていません。",
      empty: () => "ログにはまだイベントがありません。検証の対象がありません。"
    },
    verdictHints: {
      broken:
        "次のイベントは、ハッシュまたは前後のイベントと一致しません。それ以外は、検証した範囲では一致します。",
      whole:
        "すべてのイベントは記録されたとおりの内容と順序で、欠落はありません。保存期間の経過や消去により削除された内容は、その旨が記録されています。",
      following:
        "検証済みのイベントはすべて記録されたとおりの内容と順序です。新しいイベントは通常 1 分以内に検証されます。",
      partly: "サービスは定期的にログ全体を検証し直しており、現在その途中です。",
      unverified:
        "無効に設定されていなければ、サービスがまもなく検証を開始します。下の機能で今すぐ検証できます。",
      empty: "最初のイベントが記録されると変わります。"
    },
    standing: (_, formatted) => `未解決の検出 ${formatted} 件`,
    refresh: "更新",
    self: "サービスによる検証",
    chain: "今回の検証範囲",
    chainFact: (checked, total) => `全 ${total} 件中 ${checked} 番目まで`,
    reachedEnd: "最後にログの末尾に到達",
    began: "検証の開始",
    pausedBadge: "一時停止中",
    paused: "運用者がこの検証を一時停止しています。",
    notHere: "ここでは確認していないこと",
    notHereHint:
      "これはサービス自身による報告です。署名はサービスの公開鍵を持つ人が確認し、アンカーは下で検証したときにブロックチェーンと照合されます。",
    findings: "検出結果",
    findingEvent: "イベント",
    findingKind: "問題",
    findingFound: "検出日時",
    notSaid: "記録なし",
    moreFindings: (formatted) => `他 ${formatted} 件`,
    kinds: {
      hash_mismatch: "ハッシュと内容が一致しません。記録後に変更されています。",
      chain_break: "直前のイベントとつながりません。ここでイベントが削除、挿入、または移動されています。"
    },
    now: "今すぐ検証",
    nowHint: "保存されているイベントを読み取り、ハッシュを計算してチェーンをたどります。",
    period: "対象のイベント",
    periods: {
      all: "ログ全体",
      day: "過去 24 時間",
      week: "過去 7 日間",
      month: "過去 30 日間",
      custom: "期間を指定"
    },
    from: "開始",
    to: "終了",
    verify: "検証する",
    stop: "停止",
    progress: (checked, total) => `${total} 件中 ${checked} 件を検証済み`,
    holds: (_, formatted) => `${formatted} 件のイベントを検証し、すべて一致しました。`,
    nothing: "この期間にはチェーンのイベントがありません。",
    breaks: (_, formatted, checked) =>
      `検証した ${checked} 件のイベントに ${formatted} 件の不一致があります。`,
    stopped: (checked) => `${checked} 件で停止しました。それ以降のイベントは検証していません。`,
    wholeHint: "最初のイベントからログの末尾まで。",
    periodHint: "この期間のみが対象で、その前後のイベントについては何も示しません。",
    outside: "このサービスを使わずに検証",
    outsideHint:
      "上記はすべてサービスが計算したものです。サービスを信頼しない場合は、証拠バンドルをエクスポートし、別の経路で入手した鍵、ブロック、または以前のバンドルと照らして、何もアップロードせずにブラウザー内で、またはコマンドで検証できます。検証の報告書は印刷・署名・保管できます。",
    cannotExport: (roles) =>
      `あなたのロールでは証拠をエクスポートできません。エクスポートできるロール: ${roles}。ファイルを受け取れば、ご自身で検証できます。`,
    toExports: "証拠バンドルをエクスポート",
    toCheck: "このサービスを信頼せずに証拠ファイルを検証",
    outsideCommand: "バンドルを検証するコマンド"
  }
}
