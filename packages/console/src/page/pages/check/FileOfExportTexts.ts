/** What the page "check" says to those who come from an export. */
import type { Texts } from "../../locale/Texts.ts"

interface FileOfExportTable {
  readonly ofExport: string
  readonly toExport: string
  readonly downloadIt: string
  readonly dropIt: string
  readonly orCommand: string
  readonly command: string
  readonly noFile: string
  readonly noEvidence: string
}

/** In each language. */
export const fileOfExportTexts: Texts<FileOfExportTable> = {
  en: {
    ofExport: "Check the file of an export",
    toExport: "The export",
    downloadIt: "Download the file:",
    dropIt: "Drop it anywhere on this page, or choose it below. The check begins by itself.",
    orCommand: "Or check it on another computer, with Node.js, by the command that also writes the report:",
    command: "Command to check the file",
    noFile: "This export has no file to download, as it is not ready, failed, or its file was deleted.",
    noEvidence:
      "This export is no evidence: its file proves nothing, and cannot be checked. Export “Evidence” for that."
  },
  de: {
    ofExport: "Datei eines Exports prüfen",
    toExport: "Zum Export",
    downloadIt: "Datei herunterladen:",
    dropIt:
      "Ziehen Sie sie irgendwo auf diese Seite, oder wählen Sie sie unten. Die Prüfung beginnt von selbst.",
    orCommand:
      "Oder prüfen Sie sie auf einem anderen Computer, mit Node.js, mit dem Befehl, der auch den Bericht schreibt:",
    command: "Befehl zum Prüfen der Datei",
    noFile:
      "Dieser Export hat keine Datei zum Herunterladen: Er ist nicht fertig, ist fehlgeschlagen, oder die Datei wurde gelöscht.",
    noEvidence: "Dieser Export ist kein Nachweis: Seine Datei beweist nichts und kann nicht geprüft werden."
  },
  ja: {
    ofExport: "エクスポートのファイルを検証",
    toExport: "エクスポートへ",
    downloadIt: "ファイルをダウンロードします:",
    dropIt: "このページの任意の場所にドロップするか、下で選択します。検証は自動的に始まります。",
    orCommand: "または、別のコンピューターで Node.js を使い、報告書も書き出す次のコマンドで検証します:",
    command: "ファイルを検証するコマンド",
    noFile:
      "このエクスポートにはダウンロードできるファイルがありません。未完了か、失敗したか、ファイルが削除されています。",
    noEvidence: "このエクスポートは証拠バンドルではありません。ファイルは何も証明せず、検証できません。"
  }
}
