/** The words for ends. */
import type { Texts } from "../../locale/Texts.ts"
import type { End } from "./Ends.ts"

interface EndTable {
  readonly ends: Readonly<Record<End, string>>
  readonly date: string
  readonly endsAt: (time: string) => string
  readonly endsNever: string
  readonly missing: string
  readonly past: string
}

/** In each language. */
export const endTexts: Texts<EndTable> = {
  en: {
    ends: {
      keep: "As it is",
      never: "Never",
      friday: "Until Friday evening",
      week: "For 7 days",
      month: "For 30 days",
      quarter: "For 90 days",
      year: "For a year",
      date: "Until a date …"
    },
    date: "Date and time",
    endsAt: (time) => `Ends on ${time}.`,
    endsNever: "Does not end by itself.",
    missing: "Enter the date and time at which it ends.",
    past: "This is past. Enter a time in the future."
  },
  de: {
    ends: {
      keep: "Wie bisher",
      never: "Nie",
      friday: "Bis Freitagabend",
      week: "Für 7 Tage",
      month: "Für 30 Tage",
      quarter: "Für 90 Tage",
      year: "Für ein Jahr",
      date: "Bis zu einem Datum …"
    },
    date: "Datum und Uhrzeit",
    endsAt: (time) => `Endet am ${time}.`,
    endsNever: "Endet nicht von selbst.",
    missing: "Geben Sie Datum und Uhrzeit des Endes an.",
    past: "Das ist vorbei. Geben Sie einen Zeitpunkt in der Zukunft an."
  },
  ja: {
    ends: {
      keep: "変更しない",
      never: "無期限",
      friday: "金曜日の夜まで",
      week: "7 日間",
      month: "30 日間",
      quarter: "90 日間",
      year: "1 年間",
      date: "日付を指定…"
    },
    date: "日時",
    endsAt: (time) => `${time} に終了します。`,
    endsNever: "自動では終了しません。",
    missing: "終了する日時を入力してください。",
    past: "過去の日時です。将来の日時を入力してください。"
  }
}
