/** What the page "viewer" says of tokens, looks and snippets. */
import type { Texts } from "../../locale/Texts.ts"

interface ViewerTable {
  readonly hint: string
  readonly token: string
  readonly tokenHint: string
  readonly tenant: string
  readonly tenantHint: string
  readonly actor: string
  readonly actorHint: string
  readonly everything: string
  readonly lifetime: string
  readonly lifetimes: Readonly<Record<"300" | "900" | "3600" | "28800" | "86400", string>>
  readonly exports: string
  readonly exportsHint: string
  readonly looks: string
  readonly theme: string
  readonly themes: Readonly<Record<"system" | "light" | "dark", string>>
  readonly language: string
  readonly browser: string
  readonly accent: string
  readonly accentHint: string
  readonly accentFault: string
  readonly make: string
  readonly makeHint: string
  readonly preview: string
  readonly previewEmpty: string
  readonly previewEmptyHint: string
  readonly previewOf: (who: string) => string
  readonly ofTenant: (tenant: string) => string
  readonly ofActor: (actor: string) => string
  readonly ends: string
  readonly stale: string
  readonly frameTitle: string
  readonly embed: string
  readonly embedHint: string
  readonly html: string
  readonly code: string
  readonly codeHint: string
  readonly codeLanguages: Readonly<Record<"curl" | "typescript" | "python", string>>
}

/** In each language. */
export const viewerTexts: Texts<ViewerTable> = {
  en: {
    hint: "The audit log in your own product: an element that shows what its token allows.",
    token: "Whose events",
    tokenHint: "A token decides what the viewer shows. Your server makes one for each reader.",
    tenant: "Tenant id",
    tenantHint: "Only this tenant's events.",
    actor: "Actor id",
    actorHint: "Only this person's events.",
    everything: "Without a tenant and an actor, the token shows every event of the workspace.",
    lifetime: "Lifetime",
    lifetimes: {
      "300": "5 minutes",
      "900": "15 minutes",
      "3600": "1 hour",
      "28800": "8 hours",
      "86400": "24 hours"
    },
    exports: "Its reader may export",
    exportsHint: "What the viewer shows, as a file. Each counts toward the exports of the month.",
    looks: "How it looks",
    theme: "Theme",
    themes: { system: "As the reader's system", light: "Light", dark: "Dark" },
    language: "Language",
    browser: "As the reader's browser",
    accent: "Accent colour",
    accentHint:
      "Such as #0b5cad; made darker or lighter where it could not be read. Empty: the viewer's own.",
    accentFault: "Give a colour as #rgb or #rrggbb.",
    make: "Make a token and preview",
    makeHint: "Each token that is made here is recorded in the log, with you as its maker.",
    preview: "Preview",
    previewEmpty: "No preview yet",
    previewEmptyHint: "Make a token to see what its reader would see.",
    previewOf: (who) => `What a reader with this token sees: ${who}.`,
    ofTenant: (tenant) => `tenant ${tenant}`,
    ofActor: (actor) => `actor ${actor}`,
    ends: "Token ends",
    stale: "The preview has a token for other settings. Make another one.",
    frameTitle: "Preview of the viewer",
    embed: "Embed it",
    embedHint:
      "Put the element into your page. It asks your server for a token at /audit-log-token, and your server makes one for the person who is signed in. Never give an API key to a browser.",
    html: "In your page (HTML)",
    code: "On your server, in",
    codeHint: "The key needs the scope viewer.",
    codeLanguages: { curl: "curl", typescript: "TypeScript", python: "Python" }
  },
  de: {
    hint: "Das Audit-Protokoll in Ihrem eigenen Produkt: ein Element, das zeigt, was sein Token erlaubt.",
    token: "Wessen Ereignisse",
    tokenHint: "Ein Token entscheidet, was der Viewer zeigt. Ihr Server erstellt für jeden Leser eines.",
    tenant: "Mandanten-ID",
    tenantHint: "Nur Ereignisse dieses Mandanten.",
    actor: "Akteur-ID",
    actorHint: "Nur Ereignisse dieser Person.",
    everything: "Ohne Mandant und Akteur zeigt das Token alle Ereignisse des Workspace.",
    lifetime: "Gültigkeit",
    lifetimes: {
      "300": "5 Minuten",
      "900": "15 Minuten",
      "3600": "1 Stunde",
      "28800": "8 Stunden",
      "86400": "24 Stunden"
    },
    exports: "Der Leser darf exportieren",
    exportsHint: "Was der Viewer zeigt, als Datei. Jeder Export zählt zu den Exporten des Monats.",
    looks: "Aussehen",
    theme: "Farbschema",
    themes: { system: "Wie das System des Lesers", light: "Hell", dark: "Dunkel" },
    language: "Sprache",
    browser: "Wie der Browser des Lesers",
    accent: "Akzentfarbe",
    accentHint: "Etwa #0b5cad; wird dunkler oder heller, wo sie nicht lesbar wäre. Leer: die des Viewers.",
    accentFault: "Geben Sie eine Farbe als #rgb oder #rrggbb an.",
    make: "Token erstellen und Vorschau zeigen",
    makeHint: "Jedes hier erstellte Token wird im Protokoll aufgezeichnet, mit Ihnen als Urheber.",
    preview: "Vorschau",
    previewEmpty: "Noch keine Vorschau",
    previewEmptyHint: "Erstellen Sie ein Token, um zu sehen, was sein Leser sähe.",
    previewOf: (who) => `Was ein Leser mit diesem Token sieht: ${who}.`,
    ofTenant: (tenant) => `Mandant ${tenant}`,
    ofActor: (actor) => `Akteur ${actor}`,
    ends: "Token endet",
    stale: "Die Vorschau hat ein Token für andere Einstellungen. Erstellen Sie ein neues.",
    frameTitle: "Vorschau des Viewers",
    embed: "Einbetten",
    embedHint:
      "Fügen Sie das Element in Ihre Seite ein. Es fragt Ihren Server unter /audit-log-token nach einem Token, und Ihr Server erstellt eines für die angemeldete Person. Geben Sie nie einen API-Schlüssel an einen Browser.",
    html: "In Ihrer Seite (HTML)",
    code: "Auf Ihrem Server, in",
    codeHint: "Der Schlüssel braucht den Scope viewer.",
    codeLanguages: { curl: "curl", typescript: "TypeScript", python: "Python" }
  },
  ja: {
    hint: "監査ログを自社製品に組み込めます。トークンが許可する範囲を表示する要素です。",
    token: "対象のイベント",
    tokenHint: "ビューアーに表示される内容はトークンで決まります。閲覧者ごとにサーバーで作成します。",
    tenant: "テナント ID",
    tenantHint: "このテナントのイベントのみ。",
    actor: "実行者 ID",
    actorHint: "この人のイベントのみ。",
    everything: "テナントと実行者を指定しない場合、ワークスペースのすべてのイベントが表示されます。",
    lifetime: "有効期間",
    lifetimes: { "300": "5 分", "900": "15 分", "3600": "1 時間", "28800": "8 時間", "86400": "24 時間" },
    exports: "閲覧者にエクスポートを許可",
    exportsHint: "表示中の内容をファイルに保存できます。毎月のエクスポート回数に含まれます。",
    looks: "外観",
    theme: "テーマ",
    themes: { system: "閲覧者のシステムに従う", light: "ライト", dark: "ダーク" },
    language: "言語",
    browser: "閲覧者のブラウザーに従う",
    accent: "アクセントカラー",
    accentHint: "例: #0b5cad。読みにくい場合は明るさを調整します。空欄の場合は既定の色です。",
    accentFault: "#rgb または #rrggbb の形式で入力してください。",
    make: "トークンを作成してプレビュー",
    makeHint: "ここで作成したトークンは、作成者とともにログに記録されます。",
    preview: "プレビュー",
    previewEmpty: "プレビューはまだありません",
    previewEmptyHint: "トークンを作成すると、閲覧者に見える内容を確認できます。",
    previewOf: (who) => `このトークンの閲覧者に見える内容: ${who}`,
    ofTenant: (tenant) => `テナント ${tenant}`,
    ofActor: (actor) => `実行者 ${actor}`,
    ends: "トークンの期限",
    stale: "プレビューのトークンは別の設定のものです。作成し直してください。",
    frameTitle: "ビューアーのプレビュー",
    embed: "組み込み",
    embedHint:
      "要素をページに追加します。要素はサーバーの /audit-log-token にトークンを要求し、サーバーはログイン中の人のためにトークンを作成します。API キーをブラウザーに渡さないでください。",
    html: "ページ内 (HTML)",
    code: "サーバー側のコード",
    codeHint: "キーには viewer スコープが必要です。",
    codeLanguages: { curl: "curl", typescript: "TypeScript", python: "Python" }
  }
}
