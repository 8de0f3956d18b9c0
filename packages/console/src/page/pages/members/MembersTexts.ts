/** What the page of members says. */
import type { RoleName } from "../../frame/FrameTexts.ts"
import type { Texts } from "../../locale/Texts.ts"
import type { Capability } from "./Roles.ts"

interface MembersTable {
  readonly hint: string
  readonly list: string
  readonly none: string
  readonly noneHint: string
  readonly add: string
  readonly addIt: string
  readonly sendInvitation: string
  readonly back: string
  readonly another: string
  readonly show: string
  readonly done: string
  readonly save: string
  readonly saved: string
  readonly you: string
  readonly person: string
  readonly email: string
  readonly emailMissing: string
  readonly name: string
  readonly role: string
  readonly roleHints: Readonly<Record<RoleName, string>>
  readonly address: string
  readonly confirmed: string
  readonly notConfirmed: string
  readonly notConfirmedHint: string
  readonly accessEnds: string
  readonly noEnd: string
  readonly ended: string
  readonly endless: string
  readonly endStays: string
  readonly endLifted: string
  readonly managedBy: string
  readonly byPeople: string
  readonly byProvider: string
  readonly byProviderHint: string
  readonly lastSignIn: string
  readonly notSignedIn: string
  readonly places: (count: number, formatted: string) => string
  readonly addedWhen: string
  readonly id: string
  readonly about: string
  readonly change: string
  readonly lastOwner: string
  readonly ownersOnly: string
  readonly roleChanges: string
  readonly ownRoleChanges: string
  readonly takesOver: string
  readonly addedTitle: string
  readonly given: string
  readonly howIn: string
  readonly invited: (email: string) => string
  readonly invitable: string
  readonly inviteAgain: string
  readonly byProviderWay: (provider: string) => string
  readonly noMail: string
  readonly orOperator: string
  readonly operatorLink: string
  readonly remove: string
  readonly removeTitle: string
  readonly removeWhat: string
  readonly removeSelf: string
  readonly removeKeys: string
  readonly keysLink: string
  readonly removeProvider: string
  readonly rolesTitle: string
  readonly rolesHint: string
  readonly capability: string
  readonly capabilities: Readonly<Record<Capability["name"], string>>
  readonly yes: string
  readonly no: string
}

const en: MembersTable = {
  hint: "The people of this workspace, and what each of them may do.",
  list: "Members",
  none: "No members",
  noneHint: "Nobody has access by signing in.",
  add: "Add a member",
  addIt: "Add member",
  sendInvitation: "Send invitation",
  back: "Cancel",
  another: "Add another",
  show: "Show member",
  done: "Done",
  save: "Save",
  saved: "Saved",
  you: "you",
  person: "Person",
  email: "E-mail address",
  emailMissing: "Enter the person’s e-mail address.",
  name: "Name",
  role: "Role",
  roleHints: {
    owner: "May do everything, and decides who is an owner. Gets mail about alerts.",
    admin: "Manages members, settings and all else, but not owners. Gets mail about alerts.",
    developer:
      "Sends events and keeps API keys, alert rules, webhooks and log streams. No members, no settings.",
    auditor: "Reads, verifies and exports the log, and sees how it is set up. Changes nothing.",
    member: "Reads and verifies the log. Cannot export or change anything."
  },
  address: "Address",
  confirmed: "Confirmed",
  notConfirmed: "Not confirmed",
  notConfirmedHint:
    "Nobody has proven yet that they read this address’s mail. Until then it gets invitations only.",
  accessEnds: "Access ends",
  noEnd: "no end",
  ended: "Ended",
  endless: "The access of owners and admins has no end, so that none of them misses a notification.",
  endStays:
    "An end can be moved but not removed. For access without an end, remove the member and add it again.",
  endLifted: "The access of owners and admins has no end: this role removes the one that is set.",
  managedBy: "Managed by",
  byPeople: "People",
  byProvider: "Identity provider",
  byProviderHint: "The identity provider: its groups decide on role and membership at each sign-in",
  lastSignIn: "Last sign-in",
  notSignedIn: "not signed in",
  places: (_, formatted) => `in ${formatted} browsers`,
  addedWhen: "Added",
  id: "ID",
  about: "About this member",
  change: "Change",
  lastOwner:
    "This is the last owner. A workspace always keeps one, so this member cannot be removed or given another role. Make somebody else an owner first, who has to sign in once.",
  ownersOnly: "Only an owner can change or remove an owner.",
  roleChanges: "With another role the person is signed out of this workspace, and signs in again.",
  ownRoleChanges:
    "You change your own role: you will have to sign in again, and may not be able to undo this.",
  takesOver: "The identity provider then no longer decides on this membership.",
  addedTitle: "Added",
  given: "What was given",
  howIn: "How the person gets in",
  invited: (email) => `An invitation is on its way to ${email}. Its link works once, within seven days.`,
  invitable: "By the link in the invitation, which works once, within seven days.",
  inviteAgain: "Send invitation again",
  byProviderWay: (provider) => `By ${provider}, with this address, at`,
  noMail:
    "This service sends no mail, so no invitation was sent. Its operator makes a link with this command:",
  orOperator: "Or by a link that the service’s operator makes with this command:",
  operatorLink: "The link works once, within 15 minutes. Pass it to the person in a way that you trust.",
  remove: "Remove member",
  removeTitle: "Remove this member?",
  removeWhat:
    "The person’s sessions for this workspace end at once. What the person has done stays in the log.",
  removeSelf:
    "You remove yourself: you lose access to this workspace at once. What you have done stays in the log.",
  removeKeys: "Viewer tokens that the person has made go on working until they end.",
  keysLink: "Look through the API keys",
  removeProvider:
    "The identity provider decides on this membership: it comes back with the person’s next sign-in unless it is removed there.",
  rolesTitle: "What each role may do",
  rolesHint:
    "An API key has scopes of its own: no more than its maker might give then. It keeps them when its maker’s role changes.",
  capability: "Permission",
  capabilities: {
    read: "Read and verify the log, see alerts, usage and settings",
    export: "Export events and evidence",
    inspect: "See API keys, members, alert rules, webhooks and log streams",
    send: "Send events, make viewer tokens",
    operate: "Acknowledge alerts, change API keys, alert rules, webhooks and log streams",
    people: "Add, change and remove members, end their sessions",
    settings: "Change settings, anchor at once, replace the viewer’s key",
    owners: "Make, change and remove owners"
  },
  yes: "yes",
  no: "no"
}

const de: MembersTable = {
  hint: "Die Personen dieses Workspace und was jede von ihnen darf.",
  list: "Mitglieder",
  none: "Keine Mitglieder",
  noneHint: "Niemand hat durch Anmelden Zugang.",
  add: "Mitglied hinzufügen",
  addIt: "Mitglied hinzufügen",
  sendInvitation: "Einladung senden",
  back: "Abbrechen",
  another: "Weiteres hinzufügen",
  show: "Mitglied anzeigen",
  done: "Fertig",
  save: "Speichern",
  saved: "Gespeichert",
  you: "Sie",
  person: "Person",
  email: "E-Mail-Adresse",
  emailMissing: "Geben Sie die E-Mail-Adresse der Person ein.",
  name: "Name",
  role: "Rolle",
  roleHints: {
    owner: "Darf alles und bestimmt, wer Inhaber ist. Erhält E-Mails zu Alarmen.",
    admin:
      "Verwaltet Mitglieder, Einstellungen und alles andere, nur keine Inhaber. Erhält E-Mails zu Alarmen.",
    developer:
      "Sendet Ereignisse und verwaltet API-Schlüssel, Alarmregeln, Webhooks und Log-Streams. Keine Mitglieder, keine Einstellungen.",
    auditor: "Liest, prüft und exportiert das Protokoll und sieht, wie es eingerichtet ist. Ändert nichts.",
    member: "Liest und prüft das Protokoll. Exportiert und ändert nichts."
  },
  address: "Adresse",
  confirmed: "Bestätigt",
  notConfirmed: "Nicht bestätigt",
  notConfirmedHint:
    "Noch hat niemand nachgewiesen, dass er die E-Mails an diese Adresse liest. Bis dahin erhält sie nur Einladungen.",
  accessEnds: "Zugang endet",
  noEnd: "kein Ende",
  ended: "Abgelaufen",
  endless:
    "Der Zugang von Inhabern und Administratoren hat kein Ende, damit keiner von ihnen eine Benachrichtigung verpasst.",
  endStays:
    "Ein Ende lässt sich verschieben, aber nicht aufheben. Für Zugang ohne Ende entfernen Sie das Mitglied und fügen es erneut hinzu.",
  endLifted: "Inhaber und Administratoren haben kein Ende: Das gesetzte entfällt mit dieser Rolle.",
  managedBy: "Verwaltet von",
  byPeople: "Personen",
  byProvider: "Identitätsanbieter",
  byProviderHint:
    "Dem Identitätsanbieter: Seine Gruppen entscheiden bei jeder Anmeldung über Rolle und Mitgliedschaft",
  lastSignIn: "Letzte Anmeldung",
  notSignedIn: "nicht angemeldet",
  places: (_, formatted) => `in ${formatted} Browsern`,
  addedWhen: "Hinzugefügt",
  id: "ID",
  about: "Über dieses Mitglied",
  change: "Ändern",
  lastOwner:
    "Das ist der letzte Inhaber. Ein Workspace behält immer einen; daher lässt sich dieses Mitglied weder entfernen noch in eine andere Rolle setzen. Machen Sie zuerst jemand anderen zum Inhaber, der sich einmal anmelden muss.",
  ownersOnly: "Nur ein Inhaber kann einen Inhaber ändern oder entfernen.",
  roleChanges:
    "Mit einer anderen Rolle wird die Person von diesem Workspace abgemeldet und meldet sich neu an.",
  ownRoleChanges:
    "Sie ändern Ihre eigene Rolle: Sie müssen sich neu anmelden und können das vielleicht nicht rückgängig machen.",
  takesOver: "Der Identitätsanbieter entscheidet dann nicht mehr über diese Mitgliedschaft.",
  addedTitle: "Hinzugefügt",
  given: "Was gewährt wurde",
  howIn: "Wie die Person hineinkommt",
  invited: (email) =>
    `Eine Einladung an ${email} ist unterwegs. Ihr Link funktioniert einmal, innerhalb von sieben Tagen.`,
  invitable: "Mit dem Link in der Einladung, der einmal funktioniert, innerhalb von sieben Tagen.",
  inviteAgain: "Einladung erneut senden",
  byProviderWay: (provider) => `Über ${provider}, mit dieser Adresse, unter`,
  noMail:
    "Dieser Dienst sendet keine E-Mails, daher wurde keine Einladung gesendet. Sein Betreiber erzeugt mit diesem Befehl einen Link:",
  orOperator: "Oder mit einem Link, den der Betreiber des Dienstes mit diesem Befehl erzeugt:",
  operatorLink:
    "Der Link funktioniert einmal, innerhalb von 15 Minuten. Geben Sie ihn der Person auf einem Weg, dem Sie vertrauen.",
  remove: "Mitglied entfernen",
  removeTitle: "Dieses Mitglied entfernen?",
  removeWhat:
    "Die Sitzungen der Person für diesen Workspace enden sofort. Was die Person getan hat, bleibt im Protokoll.",
  removeSelf:
    "Sie entfernen sich selbst: Sie verlieren sofort den Zugang zu diesem Workspace. Was Sie getan haben, bleibt im Protokoll.",
  removeKeys: "Viewer-Tokens, die die Person erstellt hat, gelten weiter, bis sie ablaufen.",
  keysLink: "API-Schlüssel durchsehen",
  removeProvider:
    "Der Identitätsanbieter entscheidet über diese Mitgliedschaft: Sie kommt mit der nächsten Anmeldung der Person zurück, wenn sie dort nicht entzogen wird.",
  rolesTitle: "Was jede Rolle darf",
  rolesHint:
    "Ein API-Schlüssel hat eigene Rechte: höchstens die, die sein Ersteller damals vergeben durfte. Er behält sie, wenn sich dessen Rolle ändert.",
  capability: "Berechtigung",
  capabilities: {
    read: "Protokoll lesen und prüfen, Alarme, Verbrauch und Einstellungen sehen",
    export: "Ereignisse und Beweise exportieren",
    inspect: "API-Schlüssel, Mitglieder, Alarmregeln, Webhooks und Log-Streams sehen",
    send: "Ereignisse senden, Viewer-Tokens erstellen",
    operate: "Alarme bestätigen, API-Schlüssel, Alarmregeln, Webhooks und Log-Streams ändern",
    people: "Mitglieder hinzufügen, ändern und entfernen, ihre Sitzungen beenden",
    settings: "Einstellungen ändern, sofort verankern, den Schlüssel des Viewers ersetzen",
    owners: "Inhaber ernennen, ändern und entfernen"
  },
  yes: "ja",
  no: "nein"
}

const ja: MembersTable = {
  hint: "このワークスペースのメンバーと、それぞれの権限です。",
  list: "メンバー",
  none: "メンバーはいません",
  noneHint: "サインインしてアクセスできる人はいません。",
  add: "メンバーを追加",
  addIt: "メンバーを追加",
  sendInvitation: "招待を送信",
  back: "キャンセル",
  another: "続けて追加",
  show: "メンバーを表示",
  done: "完了",
  save: "保存",
  saved: "保存しました",
  you: "自分",
  person: "ユーザー",
  email: "メールアドレス",
  emailMissing: "メールアドレスを入力してください。",
  name: "名前",
  role: "ロール",
  roleHints: {
    owner: "すべての操作ができ、オーナーを決定します。アラートのメールを受け取ります。",
    admin: "オーナー以外のメンバー、設定、その他すべてを管理します。アラートのメールを受け取ります。",
    developer:
      "イベントを送信し、API キー、アラートルール、Webhook、ログストリームを管理します。メンバーと設定は変更できません。",
    auditor: "ログの閲覧・検証・エクスポートと、設定の閲覧ができます。変更はできません。",
    member: "ログの閲覧と検証ができます。エクスポートと変更はできません。"
  },
  address: "アドレス",
  confirmed: "確認済み",
  notConfirmed: "未確認",
  notConfirmedHint:
    "このアドレス宛てのメールを読めることがまだ確認されていません。確認されるまで、招待以外のメールは送信されません。",
  accessEnds: "アクセスの終了",
  noEnd: "無期限",
  ended: "終了済み",
  endless: "オーナーと管理者のアクセスに期限はありません。重要な通知を見逃さないためです。",
  endStays:
    "期限は変更できますが、取り消せません。無期限にするには、メンバーを削除して追加し直してください。",
  endLifted: "オーナーと管理者に期限はありません。このロールにすると、設定済みの期限はなくなります。",
  managedBy: "管理元",
  byPeople: "メンバー",
  byProvider: "ID プロバイダー",
  byProviderHint: "ID プロバイダー: サインインのたびにグループがロールとメンバーシップを決定します",
  lastSignIn: "最終サインイン",
  notSignedIn: "サインインしていません",
  places: (_, formatted) => `${formatted} 個のブラウザー`,
  addedWhen: "追加日時",
  id: "ID",
  about: "このメンバーについて",
  change: "変更",
  lastOwner:
    "最後のオーナーです。ワークスペースには常にオーナーが必要なため、削除もロールの変更もできません。先に別の人をオーナーにしてください。その人は一度サインインする必要があります。",
  ownersOnly: "オーナーを変更・削除できるのはオーナーのみです。",
  roleChanges: "ロールを変更すると、このワークスペースからサインアウトされ、再度サインインが必要になります。",
  ownRoleChanges:
    "自分のロールを変更しようとしています。再度サインインが必要になり、元に戻せないことがあります。",
  takesOver: "以後、ID プロバイダーはこのメンバーシップを決定しません。",
  addedTitle: "追加しました",
  given: "付与した内容",
  howIn: "サインインの方法",
  invited: (email) => `${email} に招待を送信しています。リンクは 7 日以内に一度だけ使用できます。`,
  invitable: "招待のリンクからサインインします。リンクは 7 日以内に一度だけ使用できます。",
  inviteAgain: "招待を再送信",
  byProviderWay: (provider) => `${provider} により、このアドレスで次のページからサインインします:`,
  noMail:
    "このサービスはメールを送信しないため、招待は送信されていません。サービスの運用者が次のコマンドでリンクを作成します:",
  orOperator: "または、サービスの運用者が次のコマンドで作成するリンクを使用します:",
  operatorLink: "リンクは 15 分以内に一度だけ使用できます。信頼できる方法で本人に渡してください。",
  remove: "メンバーを削除",
  removeTitle: "このメンバーを削除しますか?",
  removeWhat: "このワークスペースのセッションは直ちに終了します。行った操作はログに残ります。",
  removeSelf:
    "自分自身を削除しようとしています。このワークスペースへのアクセスを直ちに失います。行った操作はログに残ります。",
  removeKeys: "この人が作成したビューアートークンは期限まで有効です。",
  keysLink: "API キーを確認",
  removeProvider:
    "このメンバーシップは ID プロバイダーが決定しています。プロバイダー側で取り消さない限り、次回のサインインで復活します。",
  rolesTitle: "ロールごとの権限",
  rolesHint:
    "API キーには個別の権限があり、作成時に作成者が付与できた範囲に限られます。作成者のロールが変わっても権限は変わりません。",
  capability: "権限",
  capabilities: {
    read: "ログの閲覧と検証、アラート・使用量・設定の閲覧",
    export: "イベントと証拠のエクスポート",
    inspect: "API キー、メンバー、アラートルール、Webhook、ログストリームの閲覧",
    send: "イベントの送信、ビューアートークンの作成",
    operate: "アラートの確認、API キー・アラートルール・Webhook・ログストリームの変更",
    people: "メンバーの追加・変更・削除、セッションの終了",
    settings: "設定の変更、即時アンカー、ビューアーの鍵の交換",
    owners: "オーナーの任命・変更・削除"
  },
  yes: "可",
  no: "不可"
}

/** In each language. */
export const membersTexts: Texts<MembersTable> = { en, de, ja }
