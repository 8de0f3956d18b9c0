/** What the page "viewer" says of the workspace's own sentences. */
import type { Texts } from "../../locale/Texts.ts"

interface SentencesTable {
  readonly title: string
  readonly hint: string
  readonly lines: string
  readonly linesHint: string
  readonly wrong: (line: string) => string
  readonly none: string
  readonly save: string
  readonly saved: string
}

/** In each language. */
export const sentencesTexts: Texts<SentencesTable> = {
  en: {
    title: "How events are worded",
    hint: "The viewer tells each event as a sentence, by the verb of its action. Sentences of your own come first, in the language of the reader.",
    lines: "Your sentences, one a line",
    linesHint:
      "Action or prefix, language (en, de, ja), sentence: document.* en: {actor} changed {resource}. Also {action}, {resource_type}, {target} and {tenant} are filled in. The longest prefix counts.",
    wrong: (line) => `Not an action, a language and a sentence, or given twice: ${line}`,
    none: "None: the viewer tells events in its own way.",
    save: "Save sentences",
    saved: "Saved."
  },
  de: {
    title: "Wie Ereignisse erzählt werden",
    hint: "Der Viewer erzählt jedes Ereignis als Satz, nach dem Verb seiner Aktion. Eigene Sätze gehen vor, in der Sprache des Lesers.",
    lines: "Eigene Sätze, einer pro Zeile",
    linesHint:
      "Aktion oder Präfix, Sprache (en, de, ja), Satz: document.* de: {actor} hat {resource} geändert. Auch {action}, {resource_type}, {target} und {tenant} werden eingesetzt. Das längste Präfix gilt.",
    wrong: (line) => `Nicht Aktion, Sprache und Satz, oder doppelt: ${line}`,
    none: "Keine: Der Viewer erzählt Ereignisse auf seine Weise.",
    save: "Sätze speichern",
    saved: "Gespeichert."
  },
  ja: {
    title: "イベントの文",
    hint: "ビューアーは、操作の動詞に応じて各イベントを文で表示します。独自の文がある場合は、閲覧者の言語の文が優先されます。",
    lines: "独自の文 (1 行に 1 つ)",
    linesHint:
      "操作または接頭辞、言語 (en、de、ja)、文の順に入力します: document.* ja: {actor} が {resource} を変更。{action}、{resource_type}、{target}、{tenant} も使えます。最も長い接頭辞が優先されます。",
    wrong: (line) => `操作・言語・文の形式でないか、重複しています: ${line}`,
    none: "なし: ビューアー既定の文で表示します。",
    save: "文を保存",
    saved: "保存しました。"
  }
}
