/** What the page of events says beside what the list says itself. */
import type { Texts } from "../../locale/Texts.ts"

interface EventsTable {
  readonly hint: string
  readonly exportThese: string
  readonly proof: string
  readonly proofFailed: string
  /** What a search finds, where it found nothing. */
  readonly asItStands: (count: number, words: string) => string
  readonly quoted: (text: string) => string
  readonly others: (count: number, formatted: string) => string
  readonly clearOthers: string
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
    asItStands: (count, words) =>
      count === 1
        ? `${words} is searched for exactly as it stands: as one text, also within words. Capitals do not matter.`
        : `${words} must all stand in an event, each exactly as it is, also within words. Capitals do not matter.`,
    quoted: (text) => `“${text}”`,
    others: (count, formatted) =>
      count === 1 ? "Another condition is set as well." : `${formatted} other conditions are set as well.`,
    clearOthers: "Search without them",
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
    asItStands: (count, words) =>
      count === 1
        ? `${words} wird genau so gesucht, wie es dasteht: als ein Text, auch innerhalb von Wörtern. Groß- und Kleinschreibung sind gleich.`
        : `${words} müssen alle in einem Ereignis stehen, jeweils genau so, auch innerhalb von Wörtern. Groß- und Kleinschreibung sind gleich.`,
    quoted: (text) => `„${text}“`,
    others: (count, formatted) =>
      count === 1
        ? "Außerdem ist eine weitere Bedingung gesetzt."
        : `Außerdem sind ${formatted} weitere Bedingungen gesetzt.`,
    clearOthers: "Ohne sie suchen",
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
    asItStands: (count, words) =>
      count === 1
        ? `${words}は入力どおりの一続きの文字列として、単語の途中も含めて検索されます。大文字と小文字は区別されません。`
        : `${words}のすべてを含むイベントを、単語の途中も含めて検索します。大文字と小文字は区別されません。`,
    quoted: (text) => `「${text}」`,
    others: (_, formatted) => `ほかに ${formatted} 件の条件が設定されています。`,
    clearOthers: "ほかの条件を外して検索",
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
