/** What the page "retention" says of how long contents are kept; erasure has texts of its own. */
import type { Texts } from "../../locale/Texts.ts"

interface RetentionTable {
  readonly hint: string
  readonly title: string
  readonly days: (count: number, formatted: string) => string
  readonly keeps: (days: string) => string
  readonly keepsAll: string
  readonly own: string
  readonly asPlanned: string
  readonly plan: string
  readonly unlimited: string
  readonly archive: string
  readonly archiveFact: string
  readonly pending: string
  readonly pendingFact: (days: string, at: string) => string
  readonly pendingCut: (count: string, before: string) => string
  readonly pendingPlan: string
  readonly callOff: string
  readonly callOffTitle: string
  readonly callOffHint: (days: string) => string
  readonly change: string
  readonly changeHint: string
  readonly field: string
  readonly fieldHint: string
  readonly invalid: string
  readonly beyond: (days: string) => string
  readonly none: string
  readonly longer: (days: string) => string
  readonly counting: string
  readonly shorter: (count: number, formatted: string, before: string, at: string) => string
  readonly shorterHint: string
  readonly save: string
  readonly confirmTitle: (days: string) => string
  readonly shorten: string
  readonly saved: string
  readonly removal: string
  readonly removed: string
  readonly removedFact: string
  readonly stays: string
  readonly staysFact: string
  readonly derived: string
  readonly derivedFact: string
  readonly history: string
  readonly historyHint: string
  readonly byRetention: string
  readonly byErasure: string
  readonly changes: string
  readonly records: (count: number, formatted: string) => string
}

/** In each language. */
export const retentionTexts: Texts<RetentionTable> = {
  en: {
    hint: "How long contents of events are kept, what is removed then, and what stays.",
    title: "Retention",
    days: (count, formatted) => `${formatted} ${count === 1 ? "day" : "days"}`,
    keeps: (days) => `Contents are kept for ${days}.`,
    keepsAll: "Contents are kept for ever.",
    own: "Set for this workspace",
    asPlanned: "nothing: the plan decides",
    plan: "Most that the plan allows",
    unlimited: "no limit",
    archive: "Archive",
    archiveFact:
      "The operator may keep what retention removes in an archive (CAIRN_ARCHIVE_STORE). This page cannot see whether that is so.",
    pending: "Becomes shorter",
    pendingFact: (days, at) => `From ${at} on, contents are kept for ${days}.`,
    pendingCut: (count, before) =>
      `That removes the contents of up to ${count} events recorded before ${before}.`,
    pendingPlan: "The plan decides this: only the operator can call it off.",
    callOff: "Call it off",
    callOffTitle: "Call the shorter retention off?",
    callOffHint: (days) =>
      `Contents are then kept for ${days}, as they are now. This is recorded in the log.`,
    change: "Change it",
    changeHint:
      "A longer retention counts at once. A shorter one counts seven days later, unless the operator has set another delay; until then nothing is hidden or removed, and it can be called off. Owners and admins are notified by mail.",
    field: "Days that contents are kept",
    fieldHint: "Empty: as long as the plan allows.",
    invalid: "Give a whole number of days, from 1 to 36,500.",
    beyond: (days) => `The plan allows ${days} at most.`,
    none: "This is how it is now.",
    longer: (days) =>
      `Counts at once: contents are kept for ${days}. Nothing is removed, and what was removed does not come back.`,
    counting: "Counting events …",
    shorter: (count, formatted, before, at) =>
      count === 0
        ? `Would remove nothing at first: no event was recorded before ${before}. Counts from ${at} on.`
        : `Would remove the contents of up to ${formatted} ${count === 1 ? "event" : "events"} recorded before ${before}, on ${at}.`,
    shorterHint:
      "Until then nothing is hidden, and it can be called off. Headers and hashes stay, so that the log still verifies. Contents of Cairn's own records of retention stay too.",
    save: "Save",
    confirmTitle: (days) => `Keep contents for ${days} only?`,
    shorten: "Shorten retention",
    saved: "Saved.",
    removal: "What is removed, and what stays",
    removed: "Removed",
    removedFact:
      "The content of the event: who, what, when it occurred, on what, where, metadata, and the salt of its hash. It cannot be brought back, nor guessed from its hash.",
    stays: "Stays",
    staysFact:
      "The header: sequence, time of recording, id and hashes. So the chain, anchors, checkpoints and older evidence bundles still verify.",
    derived: "Goes with it",
    derivedFact:
      "Its entries in search and filters, its idempotency key, and what alerts quote of it. Not what has left the service: exports that were downloaded, webhooks, streams, mail and backups.",
    history: "Removals so far",
    historyHint: "Each removal, and each change of retention, is an event of the log, with who made it.",
    byRetention: "By retention",
    byErasure: "By erasure",
    changes: "Retention and its changes",
    records: (count, formatted) => `${formatted} ${count === 1 ? "record" : "records"}`
  },
  de: {
    hint: "Wie lange Inhalte von Ereignissen aufbewahrt werden, was dann entfernt wird und was bleibt.",
    title: "Aufbewahrung",
    days: (count, formatted) => `${formatted} ${count === 1 ? "Tag" : "Tage"}`,
    keeps: (days) => `Aufbewahrungsdauer der Inhalte: ${days}.`,
    keepsAll: "Inhalte werden unbegrenzt aufbewahrt.",
    own: "Für diesen Workspace festgelegt",
    asPlanned: "nichts: Der Tarif entscheidet",
    plan: "Höchstdauer nach Tarif",
    unlimited: "unbegrenzt",
    archive: "Archiv",
    archiveFact:
      "Der Betreiber kann, was nach Ablauf entfernt wird, in einem Archiv aufbewahren (CAIRN_ARCHIVE_STORE). Ob das so ist, kann diese Seite nicht sehen.",
    pending: "Wird kürzer",
    pendingFact: (days, at) => `Ab ${at} gilt die Aufbewahrungsdauer ${days}.`,
    pendingCut: (count, before) =>
      `Damit werden die Inhalte von bis zu ${count} Ereignissen entfernt, die vor ${before} aufgezeichnet wurden.`,
    pendingPlan: "Das bestimmt der Tarif: Nur der Betreiber kann es widerrufen.",
    callOff: "Widerrufen",
    callOffTitle: "Die kürzere Aufbewahrung widerrufen?",
    callOffHint: (days) =>
      `Die Aufbewahrungsdauer bleibt dann ${days}, wie sie jetzt ist. Das wird im Protokoll aufgezeichnet.`,
    change: "Ändern",
    changeHint:
      "Eine längere Aufbewahrung gilt sofort. Eine kürzere gilt sieben Tage später, sofern der Betreiber keine andere Frist festgelegt hat; bis dahin wird nichts verborgen oder entfernt, und sie kann widerrufen werden. Inhaber und Administratoren erhalten eine E-Mail.",
    field: "Aufbewahrungsdauer in Tagen",
    fieldHint: "Leer: so lange, wie der Tarif erlaubt.",
    invalid: "Geben Sie eine ganze Zahl von Tagen an, von 1 bis 36.500.",
    beyond: (days) => `Der Tarif erlaubt höchstens ${days}.`,
    none: "So ist es jetzt.",
    longer: (days) =>
      `Gilt sofort, Aufbewahrungsdauer: ${days}. Nichts wird entfernt, und was entfernt wurde, kommt nicht zurück.`,
    counting: "Ereignisse werden gezählt …",
    shorter: (count, formatted, before, at) =>
      count === 0
        ? `Würde zunächst nichts entfernen: Vor ${before} wurde kein Ereignis aufgezeichnet. Gilt ab ${at}.`
        : `Würde am ${at} die Inhalte von bis zu ${formatted} ${count === 1 ? "Ereignis" : "Ereignissen"} entfernen, die vor ${before} aufgezeichnet wurden.`,
    shorterHint:
      "Bis dahin wird nichts verborgen, und es kann widerrufen werden. Kopfdaten und Hashes bleiben, sodass das Protokoll weiter prüfbar ist. Auch die Inhalte der Aufzeichnungen über die Aufbewahrung bleiben.",
    save: "Speichern",
    confirmTitle: (days) => `Aufbewahrungsdauer auf ${days} verkürzen?`,
    shorten: "Aufbewahrung verkürzen",
    saved: "Gespeichert.",
    removal: "Was entfernt wird und was bleibt",
    removed: "Entfernt",
    removedFact:
      "Der Inhalt des Ereignisses: wer, was, wann es geschah, woran, wo, Metadaten, und das Salz seines Hashes. Er lässt sich weder wiederherstellen noch aus dem Hash erraten.",
    stays: "Bleibt",
    staysFact:
      "Die Kopfdaten: laufende Nummer, Zeit der Aufzeichnung, ID und Hashes. Kette, Anker, Checkpoints und ältere Beweispakete bleiben also prüfbar.",
    derived: "Geht mit",
    derivedFact:
      "Einträge in Suche und Filtern, der Idempotenzschlüssel und was Alarme daraus zitieren. Nicht, was den Dienst verlassen hat: heruntergeladene Exporte, Webhooks, Streams, E-Mails und Sicherungen.",
    history: "Bisherige Entfernungen",
    historyHint:
      "Jede Entfernung und jede Änderung der Aufbewahrung ist ein Ereignis des Protokolls, mit ihrem Urheber.",
    byRetention: "Nach Ablauf der Frist",
    byErasure: "Durch Löschung",
    changes: "Aufbewahrung und ihre Änderungen",
    records: (count, formatted) => `${formatted} ${count === 1 ? "Aufzeichnung" : "Aufzeichnungen"}`
  },
  ja: {
    hint: "イベントの内容の保存期間と、期間後に削除されるもの、残るものを表示します。",
    title: "保存期間",
    days: (_, formatted) => `${formatted} 日`,
    keeps: (days) => `内容は ${days}間保存されます。`,
    keepsAll: "内容は無期限に保存されます。",
    own: "このワークスペースの設定",
    asPlanned: "なし (プランに従う)",
    plan: "プランの上限",
    unlimited: "無制限",
    archive: "アーカイブ",
    archiveFact:
      "運用者は、保存期間後に削除される内容をアーカイブ (CAIRN_ARCHIVE_STORE) に残せます。設定の有無はこのページからは確認できません。",
    pending: "短縮の予定",
    pendingFact: (days, at) => `${at} から保存期間は ${days}になります。`,
    pendingCut: (count, before) =>
      `${before} より前に記録された最大 ${count} 件のイベントの内容が削除されます。`,
    pendingPlan: "プランによる変更のため、取り消せるのは運用者だけです。",
    callOff: "取り消す",
    callOffTitle: "保存期間の短縮を取り消しますか?",
    callOffHint: (days) => `保存期間は現在と同じ ${days}のままになります。この操作はログに記録されます。`,
    change: "変更",
    changeHint:
      "延長は直ちに有効になります。短縮は、運用者が別の猶予を設定していなければ 7 日後に有効になります。それまでは何も非表示にも削除もされず、取り消せます。オーナーと管理者にメールで通知されます。",
    field: "内容の保存日数",
    fieldHint: "空欄の場合はプランの上限まで保存します。",
    invalid: "1 ～ 36,500 の整数で日数を入力してください。",
    beyond: (days) => `プランの上限は ${days}です。`,
    none: "現在の設定と同じです。",
    longer: (days) =>
      `直ちに有効になり、保存期間は ${days}になります。何も削除されません。削除済みの内容は元に戻りません。`,
    counting: "イベントを集計中…",
    shorter: (count, formatted, before, at) =>
      count === 0
        ? `当面は何も削除されません。${before} より前のイベントはありません。${at} から有効になります。`
        : `${at} に、${before} より前に記録された最大 ${formatted} 件のイベントの内容が削除されます。`,
    shorterHint:
      "それまでは何も非表示にならず、取り消せます。ヘッダーとハッシュは残るため、ログは引き続き検証できます。保存期間に関する Cairn 自身の記録の内容も残ります。",
    save: "保存",
    confirmTitle: (days) => `保存期間を ${days}に短縮しますか?`,
    shorten: "保存期間を短縮",
    saved: "保存しました。",
    removal: "削除されるものと残るもの",
    removed: "削除",
    removedFact:
      "イベントの内容 (実行者、操作、発生日時、対象、場所、メタデータ) と、ハッシュのソルト。復元することも、ハッシュから推測することもできません。",
    stays: "保持",
    staysFact:
      "ヘッダー (連番、記録日時、ID、ハッシュ)。そのため、チェーン、アンカー、チェックポイント、過去の証拠バンドルは引き続き検証できます。",
    derived: "同時に削除",
    derivedFact:
      "検索とフィルターの項目、冪等キー、アラートに引用された内容。サービスの外に出たもの (ダウンロード済みのエクスポート、Webhook、ストリーム、メール、バックアップ) は削除されません。",
    history: "これまでの削除",
    historyHint: "削除と保存期間の変更は、実行者とともにログのイベントとして記録されます。",
    byRetention: "保存期間による削除",
    byErasure: "消去",
    changes: "保存期間とその変更",
    records: (_, formatted) => `${formatted} 件の記録`
  }
}
