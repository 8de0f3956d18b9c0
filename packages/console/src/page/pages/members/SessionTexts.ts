/** What is said of the sessions of members. */
import type { Texts } from "../../locale/Texts.ts"

interface SessionsTable {
  readonly sessions: string
  readonly sessionsHint: string
  readonly noSessions: string
  readonly noSessionsHint: string
  readonly browser: string
  readonly noBrowser: string
  readonly thisSession: string
  readonly clientAddress: string
  readonly noAddress: string
  readonly way: string
  readonly ways: Readonly<Record<"mail" | "oidc" | "operator", string>>
  readonly since: string
  readonly firstHere: string
  readonly latestEnd: string
  readonly end: string
  readonly endTitle: string
  readonly endWhat: string
  readonly endAll: string
  readonly endAllTitle: string
  readonly endAllWhat: string
  readonly endOwn: string
}

/** In each language. */
export const sessionTexts: Texts<SessionsTable> = {
  en: {
    sessions: "Sessions",
    sessionsHint: "Where the person has signed in and used this workspace.",
    noSessions: "No sessions",
    noSessionsHint: "The person is not signed in to this workspace.",
    browser: "Browser",
    noBrowser: "Unknown browser",
    thisSession: "this session",
    clientAddress: "Began from",
    noAddress: "no address",
    way: "By",
    ways: { mail: "link by mail", oidc: "identity provider", operator: "operator’s link" },
    since: "Signed in",
    firstHere: "First here",
    latestEnd: "Ends",
    end: "End session",
    endTitle: "End this session?",
    endWhat: "The browser is signed out of this workspace at once. The person can sign in again.",
    endAll: "End all sessions",
    endAllTitle: "End all sessions of this member?",
    endAllWhat:
      "Every browser of the person is signed out of this workspace at once. The person can sign in again.",
    endOwn: "This page’s own session is among them: you will have to sign in again."
  },
  de: {
    sessions: "Sitzungen",
    sessionsHint: "Wo sich die Person angemeldet und diesen Workspace verwendet hat.",
    noSessions: "Keine Sitzungen",
    noSessionsHint: "Die Person ist in diesem Workspace nicht angemeldet.",
    browser: "Browser",
    noBrowser: "Unbekannter Browser",
    thisSession: "diese Sitzung",
    clientAddress: "Begonnen von",
    noAddress: "keine Adresse",
    way: "Über",
    ways: { mail: "Link per E-Mail", oidc: "Identitätsanbieter", operator: "Link des Betreibers" },
    since: "Angemeldet",
    firstHere: "Zuerst hier",
    latestEnd: "Endet",
    end: "Sitzung beenden",
    endTitle: "Diese Sitzung beenden?",
    endWhat: "Der Browser wird sofort von diesem Workspace abgemeldet. Die Person kann sich neu anmelden.",
    endAll: "Alle Sitzungen beenden",
    endAllTitle: "Alle Sitzungen dieses Mitglieds beenden?",
    endAllWhat:
      "Jeder Browser der Person wird sofort von diesem Workspace abgemeldet. Die Person kann sich neu anmelden.",
    endOwn: "Die Sitzung dieser Seite ist dabei: Sie müssen sich neu anmelden."
  },
  ja: {
    sessions: "セッション",
    sessionsHint: "サインインしてこのワークスペースを使用した場所です。",
    noSessions: "セッションはありません",
    noSessionsHint: "このワークスペースにサインインしていません。",
    browser: "ブラウザー",
    noBrowser: "不明なブラウザー",
    thisSession: "このセッション",
    clientAddress: "開始元",
    noAddress: "アドレスなし",
    way: "方法",
    ways: { mail: "メールのリンク", oidc: "ID プロバイダー", operator: "運用者のリンク" },
    since: "サインイン",
    firstHere: "初回使用",
    latestEnd: "終了",
    end: "セッションを終了",
    endTitle: "このセッションを終了しますか?",
    endWhat: "このワークスペースから直ちにサインアウトされます。再度サインインできます。",
    endAll: "すべてのセッションを終了",
    endAllTitle: "このメンバーのすべてのセッションを終了しますか?",
    endAllWhat:
      "すべてのブラウザーがこのワークスペースから直ちにサインアウトされます。再度サインインできます。",
    endOwn: "このページのセッションも含まれます。再度サインインが必要になります。"
  }
}
