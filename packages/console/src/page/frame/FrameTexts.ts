/** What the frame around the pages says. */
import type { Texts } from "../locale/Texts.ts"
import type { PageName } from "./PageNames.ts"

/** Roles of members. */
export type RoleName = "owner" | "admin" | "developer" | "auditor" | "member"

interface FrameTable {
  readonly pages: Readonly<Record<PageName, string>>
  readonly groups: Readonly<Record<"log" | "watch" | "deliver" | "workspace", string>>
  readonly navigation: string
  readonly openNavigation: string
  readonly skip: string
  readonly workspace: string
  readonly account: string
  readonly signOut: string
  readonly roles: Readonly<Record<RoleName, string>>
  readonly refused: string
  readonly refusedHint: string
  readonly gone: string
  readonly goneHint: string
  readonly failed: string
  readonly failedHint: string
  readonly slow: string
  readonly notLoaded: string
  readonly notLoadedHint: string
  readonly noPage: string
  readonly noPageHint: string
  readonly noWorkspace: string
  readonly noWorkspaceHint: string
  readonly notYours: string
  readonly notYoursHint: string
  readonly newer: string
  readonly older: string
  readonly pageOfList: string
  readonly roleCannot: string
}

/** In each language. */
export const frameTexts: Texts<FrameTable> = {
  en: {
    pages: {
      "": "Overview",
      events: "Events",
      integrity: "Integrity",
      exports: "Exports",
      check: "Check a file",
      alerts: "Alerts",
      rules: "Alert rules",
      webhooks: "Webhooks",
      streams: "Log streams",
      viewer: "Viewer",
      keys: "API keys",
      members: "Members",
      retention: "Retention",
      usage: "Usage",
      settings: "Settings"
    },
    groups: { log: "Log", watch: "Watch", deliver: "Deliver", workspace: "Workspace" },
    navigation: "Pages",
    openNavigation: "Menu",
    skip: "Skip to content",
    workspace: "Workspace",
    account: "Account",
    signOut: "Sign out",
    roles: { owner: "Owner", admin: "Admin", developer: "Developer", auditor: "Auditor", member: "Member" },
    refused: "Your role does not allow this.",
    refusedHint: "An owner or admin of the workspace can give you another role.",
    gone: "This is not here",
    goneHint: "It does not exist, or was removed.",
    failed: "The service could not be reached",
    failedHint: "Check your connection and try again.",
    slow: "The service has not answered yet. Still trying.",
    notLoaded: "This page could not be loaded",
    notLoadedHint: "The service was updated, or cannot be reached. Load the page again.",
    noPage: "There is no such page",
    noPageHint: "Choose one from the menu.",
    noWorkspace: "You are in no workspace",
    noWorkspaceHint: "Nobody has added your address, or your access has ended. An owner or admin can add it:",
    notYours: "This workspace is not yours",
    notYoursHint: "You are no member of it, or your access has ended. Your workspaces:",
    newer: "Newer",
    older: "Older",
    pageOfList: "Pages of the list",
    roleCannot: "Your role can see this and not change it."
  },
  de: {
    pages: {
      "": "Übersicht",
      events: "Ereignisse",
      integrity: "Integrität",
      exports: "Exporte",
      check: "Datei prüfen",
      alerts: "Alarme",
      rules: "Alarmregeln",
      webhooks: "Webhooks",
      streams: "Log-Streams",
      viewer: "Viewer",
      keys: "API-Schlüssel",
      members: "Mitglieder",
      retention: "Aufbewahrung",
      usage: "Verbrauch",
      settings: "Einstellungen"
    },
    groups: { log: "Protokoll", watch: "Überwachen", deliver: "Zustellen", workspace: "Workspace" },
    navigation: "Seiten",
    openNavigation: "Menü",
    skip: "Zum Inhalt",
    workspace: "Workspace",
    account: "Konto",
    signOut: "Abmelden",
    roles: {
      owner: "Inhaber",
      admin: "Administrator",
      developer: "Entwickler",
      auditor: "Prüfer",
      member: "Mitglied"
    },
    refused: "Ihre Rolle erlaubt das nicht.",
    refusedHint: "Ein Inhaber oder Administrator des Workspace kann Ihnen eine andere Rolle geben.",
    gone: "Das ist nicht hier",
    goneHint: "Es gibt es nicht oder nicht mehr.",
    failed: "Der Dienst ist nicht erreichbar",
    failedHint: "Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
    slow: "Der Dienst hat noch nicht geantwortet. Der Versuch läuft weiter.",
    notLoaded: "Diese Seite konnte nicht geladen werden",
    notLoadedHint: "Der Dienst wurde aktualisiert oder ist nicht erreichbar. Laden Sie die Seite neu.",
    noPage: "Diese Seite gibt es nicht",
    noPageHint: "Wählen Sie eine aus dem Menü.",
    noWorkspace: "Sie sind in keinem Workspace",
    noWorkspaceHint:
      "Niemand hat Ihre Adresse hinzugefügt, oder Ihr Zugang ist abgelaufen. Ein Inhaber oder Administrator kann sie hinzufügen:",
    notYours: "Dieser Workspace ist nicht Ihrer",
    notYoursHint: "Sie sind kein Mitglied, oder Ihr Zugang ist abgelaufen. Ihre Workspaces:",
    newer: "Neuere",
    older: "Ältere",
    pageOfList: "Seiten der Liste",
    roleCannot: "Ihre Rolle darf das sehen, aber nicht ändern."
  },
  ja: {
    pages: {
      "": "概要",
      events: "イベント",
      integrity: "完全性",
      exports: "エクスポート",
      check: "ファイルを検証",
      alerts: "アラート",
      rules: "アラートルール",
      webhooks: "Webhook",
      streams: "ログストリーム",
      viewer: "ビューアー",
      keys: "API キー",
      members: "メンバー",
      retention: "保存期間",
      usage: "使用量",
      settings: "設定"
    },
    groups: { log: "ログ", watch: "監視", deliver: "配信", workspace: "ワークスペース" },
    navigation: "ページ",
    openNavigation: "メニュー",
    skip: "本文へ移動",
    workspace: "ワークスペース",
    account: "アカウント",
    signOut: "サインアウト",
    roles: {
      owner: "オーナー",
      admin: "管理者",
      developer: "開発者",
      auditor: "監査人",
      member: "メンバー"
    },
    refused: "あなたのロールでは許可されていません。",
    refusedHint: "ワークスペースのオーナーまたは管理者がロールを変更できます。",
    gone: "見つかりません",
    goneHint: "存在しないか、すでに削除されています。",
    failed: "サービスに接続できませんでした",
    failedHint: "接続を確認して、もう一度お試しください。",
    slow: "サービスからまだ応答がありません。再試行を続けています。",
    notLoaded: "このページを読み込めませんでした",
    notLoadedHint: "サービスが更新されたか、接続できません。ページを再読み込みしてください。",
    noPage: "このページはありません",
    noPageHint: "メニューから選択してください。",
    noWorkspace: "参加しているワークスペースがありません",
    noWorkspaceHint:
      "アドレスがまだ追加されていないか、アクセス権の期限が切れています。オーナーまたは管理者が追加できます:",
    notYours: "このワークスペースにはアクセスできません",
    notYoursHint: "メンバーではないか、アクセス権の期限が切れています。参加中のワークスペース:",
    newer: "新しいもの",
    older: "古いもの",
    pageOfList: "一覧のページ",
    roleCannot: "あなたのロールでは閲覧のみ可能で、変更はできません。"
  }
}
