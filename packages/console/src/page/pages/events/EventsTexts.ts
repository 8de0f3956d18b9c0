/** What the page of events says beside what the list says itself. */
import type { Texts } from "../../locale/Texts.ts"

interface EventsTable {
  readonly hint: string
  readonly exportThese: string
  readonly proof: string
  readonly proofFailed: string
  readonly questions: string
  readonly ask: Readonly<Record<"exports" | "access" | "permissions" | "signIns" | "deletions", string>>
}

/** In each language. */
export const eventsTexts: Texts<EventsTable> = {
  en: {
    hint: "Everything that is recorded, newest first. Your browser checks each event against the log's signed tree.",
    exportThese: "Export these",
    proof: "Download proof",
    proofFailed: "There is no proof of it yet, or it could not be loaded.",
    questions: "Often asked, of the last seven days",
    ask: {
      exports: "Who exported what?",
      access: "Who read the log?",
      permissions: "Whose keys and roles changed?",
      signIns: "Who signed in here?",
      deletions: "What was deleted?"
    }
  },
  de: {
    hint: "Alles, was aufgezeichnet ist, das Neueste zuerst. Ihr Browser prüft jedes Ereignis gegen den signierten Baum des Protokolls.",
    exportThese: "Diese exportieren",
    proof: "Beweis herunterladen",
    proofFailed: "Es gibt noch keinen Beweis dafür, oder er konnte nicht geladen werden.",
    questions: "Häufig gefragt, zu den letzten sieben Tagen",
    ask: {
      exports: "Wer hat was exportiert?",
      access: "Wer hat das Protokoll gelesen?",
      permissions: "Wessen Schlüssel und Rollen wurden geändert?",
      signIns: "Wer hat sich hier angemeldet?",
      deletions: "Was wurde gelöscht?"
    }
  },
  ja: {
    hint: "記録されたすべてのイベントを新しい順に表示します。各イベントはブラウザーが署名済みのツリーと照合します。",
    exportThese: "この条件でエクスポート",
    proof: "証明をダウンロード",
    proofFailed: "証明はまだないか、読み込めませんでした。",
    questions: "よくある質問(過去 7 日間)",
    ask: {
      exports: "誰が何をエクスポートしたか",
      access: "誰がログを閲覧したか",
      permissions: "誰のキーとロールが変更されたか",
      signIns: "誰がここにサインインしたか",
      deletions: "何が削除されたか"
    }
  }
}
