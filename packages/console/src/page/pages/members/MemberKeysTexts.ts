/** What the page of members says of the API keys of somebody who is removed or lowered. */
import type { Texts } from "../../locale/Texts.ts"

interface MemberKeysTable {
  readonly legend: string
  readonly removed: string
  readonly lowered: string
}

/** The texts, by language. */
export const memberKeysTexts: Texts<MemberKeysTable> = {
  en: {
    legend: "Revoke API keys that this person has made",
    removed: "Those without a tick go on working. Programs may use those that only send events.",
    lowered: "Those without a tick keep what they may do. Those with one may do more than the new role."
  },
  de: {
    legend: "API-Schlüssel widerrufen, die diese Person erstellt hat",
    removed:
      "Ohne Häkchen gelten sie weiter. Schlüssel, die nur Ereignisse senden, werden vielleicht von Programmen benutzt.",
    lowered: "Ohne Häkchen behalten sie ihre Rechte. Die mit Häkchen dürfen mehr als die neue Rolle."
  },
  ja: {
    legend: "このメンバーが作成した API キーを失効させる",
    removed:
      "チェックのないキーは引き続き有効です。イベント送信専用のキーはプログラムが使っている場合があります。",
    lowered:
      "チェックのないキーの権限は変わりません。チェック済みのキーは新しいロールより強い権限を持ちます。"
  }
}
