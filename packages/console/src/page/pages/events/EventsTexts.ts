/** What the page of events says beside what the list says itself. */
import type { Texts } from "../../locale/Texts.ts"

interface EventsTable {
  readonly hint: string
  readonly exportThese: string
  readonly proof: string
  readonly proofFailed: string
  readonly questions: string
  readonly ask: Readonly<
    Record<"exports" | "mentions" | "access" | "roles" | "keys" | "signIns" | "erasures", string>
  >
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
      exports: "Who exported this log?",
      mentions: "Which events mention an export?",
      access: "Who read the log?",
      roles: "Who was given or lost a role?",
      keys: "Which API keys were made or revoked?",
      signIns: "Who signed in here?",
      erasures: "What was erased from the log?"
    }
  },
  de: {
    hint: "Alles, was aufgezeichnet ist, das Neueste zuerst. Ihr Browser prüft jedes Ereignis gegen den signierten Baum des Protokolls.",
    exportThese: "Diese exportieren",
    proof: "Beweis herunterladen",
    proofFailed: "Es gibt noch keinen Beweis dafür, oder er konnte nicht geladen werden.",
    questions: "Häufig gefragt, zu den letzten sieben Tagen",
    ask: {
      exports: "Wer hat dieses Protokoll exportiert?",
      mentions: "Welche Ereignisse nennen einen Export?",
      access: "Wer hat das Protokoll gelesen?",
      roles: "Wer bekam oder verlor eine Rolle?",
      keys: "Welche API-Schlüssel wurden erstellt oder widerrufen?",
      signIns: "Wer hat sich hier angemeldet?",
      erasures: "Was wurde aus dem Protokoll gelöscht?"
    }
  },
  ja: {
    hint: "記録されたすべてのイベントを新しい順に表示します。各イベントはブラウザーが署名済みのツリーと照合します。",
    exportThese: "この条件でエクスポート",
    proof: "証明をダウンロード",
    proofFailed: "証明はまだないか、読み込めませんでした。",
    questions: "よくある質問(過去 7 日間)",
    ask: {
      exports: "誰がこのログをエクスポートしたか",
      mentions: "export を含むイベントはどれか",
      access: "誰がログを閲覧したか",
      roles: "誰のロールが付与・変更・削除されたか",
      keys: "どの API キーが作成・失効されたか",
      signIns: "誰がここにサインインしたか",
      erasures: "ログから何が消去されたか"
    }
  }
}
