/** What the page "viewer" says of who may embed it, and of the key that signs tokens. */
import type { Texts } from "../../locale/Texts.ts"

interface EmbeddingTable {
  readonly title: string
  readonly hint: string
  readonly who: string
  readonly choices: Readonly<Record<"service" | "nobody" | "listed", string>>
  readonly choiceHints: Readonly<Record<"service" | "nobody" | "listed", string>>
  readonly origins: string
  readonly originsHint: string
  readonly none: string
  readonly save: string
  readonly saved: string
  readonly key: string
  readonly keyHint: string
  readonly rotate: string
  readonly rotateTitle: string
  readonly rotateHint: string
  readonly revoke: string
  readonly revokeHint: string
  readonly rotated: string
}

/** In each language. */
export const embeddingTexts: Texts<EmbeddingTable> = {
  en: {
    title: "Who may embed it",
    hint: "The pages that may show the viewer of this workspace in a frame, and read answers to its tokens. Other pages' frames stay empty. It counts from the next request on.",
    who: "Pages that may embed the viewer",
    choices: {
      service: "Those that the service allows",
      nobody: "None",
      listed: "Those of these origins"
    },
    choiceHints: {
      service: "As the operator has set it for all workspaces; none, unless the operator has.",
      nobody: "The viewer opens on its own only, and here for the preview.",
      listed: "The viewer opens in frames of pages of these origins only."
    },
    origins: "Origins, one a line",
    originsHint: "Such as https://app.example.com or https://*.example.com:8443; without a path.",
    none: "Give one at least, or choose None.",
    save: "Save",
    saved: "Saved.",
    key: "Key that signs tokens",
    keyHint:
      "Replace it regularly, and at once if it may have leaked. Your server needs no change: tokens are made by the service.",
    rotate: "Replace the key",
    rotateTitle: "Replace the key that signs viewer tokens?",
    rotateHint: "New tokens are signed by a new key. This is recorded in the log.",
    revoke: "End all older tokens at once",
    revokeHint:
      "For a key that may have leaked: everybody who has the viewer open sees within seconds that their access has ended, until your server makes a new token. Otherwise older tokens live as long as they would have.",
    rotated: "The key was replaced; new tokens are signed by"
  },
  de: {
    title: "Wer ihn einbetten darf",
    hint: "Die Seiten, die den Viewer dieses Workspace in einem Rahmen zeigen und Antworten an seine Token lesen dürfen. Bei anderen bleibt der Rahmen leer. Gilt ab der nächsten Anfrage.",
    who: "Seiten, die den Viewer einbetten dürfen",
    choices: {
      service: "Die, die der Dienst erlaubt",
      nobody: "Keine",
      listed: "Die dieser Ursprünge"
    },
    choiceHints: {
      service: "Wie es der Betreiber für alle Workspaces festgelegt hat; sonst niemand.",
      nobody: "Der Viewer öffnet sich nur für sich allein, und hier für die Vorschau.",
      listed: "Der Viewer öffnet sich nur in Rahmen von Seiten dieser Ursprünge."
    },
    origins: "Ursprünge, einer pro Zeile",
    originsHint: "Etwa https://app.example.com oder https://*.example.com:8443; ohne Pfad.",
    none: "Geben Sie mindestens einen an, oder wählen Sie „Keine“.",
    save: "Speichern",
    saved: "Gespeichert.",
    key: "Schlüssel, der Token signiert",
    keyHint:
      "Ersetzen Sie ihn regelmäßig, und sofort, wenn er bekannt geworden sein könnte. An Ihrem Server ändert sich nichts: Token erstellt der Dienst.",
    rotate: "Schlüssel ersetzen",
    rotateTitle: "Den Schlüssel ersetzen, der Viewer-Token signiert?",
    rotateHint: "Neue Token signiert ein neuer Schlüssel. Das wird im Protokoll aufgezeichnet.",
    revoke: "Alle älteren Token sofort beenden",
    revokeHint:
      "Für einen Schlüssel, der bekannt geworden sein könnte: Wer den Viewer geöffnet hat, sieht binnen Sekunden, dass der Zugang abgelaufen ist, bis Ihr Server ein neues Token erstellt. Andernfalls gelten ältere Token so lange, wie sie gegolten hätten.",
    rotated: "Der Schlüssel wurde ersetzt; neue Token signiert"
  },
  ja: {
    title: "組み込みの許可",
    hint: "このワークスペースのビューアーをフレームに表示し、トークンへの応答を読み取れるページです。それ以外のページではフレームは空になります。次のリクエストから有効です。",
    who: "ビューアーを組み込めるページ",
    choices: {
      service: "サービスの設定に従う",
      nobody: "なし",
      listed: "次のオリジンのページ"
    },
    choiceHints: {
      service: "運用者が全ワークスペースに設定した内容に従います。設定がなければ許可されません。",
      nobody: "ビューアーは単独でのみ開けます (ここでのプレビューを除く)。",
      listed: "これらのオリジンのページのフレームでのみ開けます。"
    },
    origins: "オリジン (1 行に 1 つ)",
    originsHint: "例: https://app.example.com、https://*.example.com:8443。パスは含めません。",
    none: "1 つ以上入力するか、「なし」を選択してください。",
    save: "保存",
    saved: "保存しました。",
    key: "トークンに署名する鍵",
    keyHint:
      "定期的に、また漏えいの可能性があれば直ちに交換してください。トークンはサービスが作成するため、サーバー側の変更は不要です。",
    rotate: "鍵を交換",
    rotateTitle: "ビューアートークンに署名する鍵を交換しますか?",
    rotateHint: "以後のトークンは新しい鍵で署名されます。この操作はログに記録されます。",
    revoke: "以前のトークンをすべて直ちに無効にする",
    revokeHint:
      "鍵が漏えいした可能性がある場合に選択します。ビューアーを開いている人には数秒以内に期限切れと表示され、サーバーが新しいトークンを作成するまで閲覧できません。選択しない場合、以前のトークンは本来の期限まで有効です。",
    rotated: "鍵を交換しました。新しいトークンの署名鍵:"
  }
}
