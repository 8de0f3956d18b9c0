/** The few words that parts say by themselves, in every language. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"

/** The words of one language. */
export interface PartsTexts {
  readonly cancel: string
  readonly close: string
  readonly copy: string
  readonly copied: string
  readonly copyFailed: string
  /** What to type to confirm: "Type acme to go on". */
  readonly typeToConfirm: (name: string) => string
  readonly required: string
  readonly never: string
}

const en: PartsTexts = {
  cancel: "Cancel",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "Could not be copied",
  typeToConfirm: (name) => `Type ${name} to go on`,
  required: "required",
  never: "never"
}

const de: PartsTexts = {
  cancel: "Abbrechen",
  close: "Schließen",
  copy: "Kopieren",
  copied: "Kopiert",
  copyFailed: "Kopieren nicht möglich",
  typeToConfirm: (name) => `Zum Fortfahren ${name} eingeben`,
  required: "erforderlich",
  never: "nie"
}

const ja: PartsTexts = {
  cancel: "キャンセル",
  close: "閉じる",
  copy: "コピー",
  copied: "コピーしました",
  copyFailed: "コピーできませんでした",
  typeToConfirm: (name) => `続けるには ${name} と入力してください`,
  required: "必須",
  never: "なし"
}

const TABLE: Readonly<Record<string, PartsTexts>> = { de, en, ja }

/** The words of a locale's language; English where there is none. */
export const partsTextsOf = (locale: string): PartsTexts => TABLE[new Intl.Locale(locale).language] ?? en

/** The words, for every part. */
export const PartsTextsContext = createContext<PartsTexts>(en)

/** The words in use. */
export const usePartsTexts = (): PartsTexts => useContext(PartsTextsContext)
