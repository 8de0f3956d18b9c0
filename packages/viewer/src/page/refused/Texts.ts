/** What the page says that is shown in place of the viewer where it may not be embedded. */

/** The texts of one language. */
export interface RefusalTexts {
  readonly title: string
  /** Why; `origin` is undefined if the page around is not known. */
  readonly why: (origin: string | undefined) => string
  /** What its developer can do about it. */
  readonly what: string
}

export const en: RefusalTexts = {
  title: "This page may not be embedded here",
  why: (origin) =>
    `The workspace does not allow its audit log to be embedded in ${origin === undefined ? "this page" : `pages of ${origin}`}.`,
  what: "To allow it, add the origin to the workspace's viewer_frame_ancestors, in the console, by command or with a key of scope admin:"
}

const de: RefusalTexts = {
  title: "Diese Seite darf hier nicht eingebettet werden",
  why: (origin) =>
    `Der Workspace erlaubt es nicht, sein Audit-Log in ${origin === undefined ? "diese Seite" : `Seiten von ${origin}`} einzubetten.`,
  what: "Um es zu erlauben, nehmen Sie den Origin in viewer_frame_ancestors des Workspace auf, in der Konsole, per Befehl oder mit einem Schlüssel mit Scope admin:"
}

const ja: RefusalTexts = {
  title: "このページはここに埋め込めません",
  why: (origin) =>
    `このワークスペースの監査ログを${origin === undefined ? "このページ" : ` ${origin} のページ`}に埋め込むことは許可されていません。`,
  what: "許可するには、コンソール、コマンド、またはスコープ admin のキーで、ワークスペースの viewer_frame_ancestors にオリジンを追加してください："
}

const LANGUAGES: Readonly<Record<string, RefusalTexts>> = { en, de, ja }

/** The texts of the first language among `wanted` (BCP 47) that they are in, and which it is. */
export const refusalTexts = (
  wanted: ReadonlyArray<string>
): { readonly language: string; readonly texts: RefusalTexts } => {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split("-")[0] ?? ""
    const texts = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
    if (texts !== undefined) return { language, texts }
  }
  return { language: "en", texts: en }
}

/** How it is allowed, as a request and as a command. Both set the whole list. */
export const remedyFor = (service: string, origin: string): string =>
  [
    `curl -X PATCH ${service}/api/v1/workspace -H "Authorization: Bearer $KEY" \\`,
    `  -d '{ "viewer_frame_ancestors": ["${origin}", …] }'`,
    `cairn workspace update NAME --frame-ancestors ${origin},…`
  ].join("\n")
