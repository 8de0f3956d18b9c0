/** Japanese. */
import { html } from "../Html.ts"
import type { Texts } from "./TextTable.ts"

export const ja: Texts = {
  tagline: "監査ログ",
  footer: (host) => html`Cairn 監査ログ: ${host}`,
  errorTitle: (title) => `エラー: ${title}`,
  or: "または",
  signIn: {
    title: "サインイン",
    continueWith: (provider) => html`${provider} で続ける`,
    email: "メールアドレス",
    emailHint: "サインイン用のリンクをお送りします。パスワードは不要です。",
    sendLink: "リンクを送信",
    operatorOnly: (link, member) =>
      html`このサービスはメールを送信しません。サービスの運用者にリンクを依頼してください。運用者は ${link} で作成します。メンバーの追加がまだの場合は、先に ${member} で追加します。`,
    check: "サインインせずに証拠ファイルを検証"
  },
  hints: {
    signed_out: "サインアウトしました。",
    session_ended: "セッションは終了されました。続けるには、もう一度サインインしてください。",
    session_expired: "セッションの有効期限が切れました。続けるには、もう一度サインインしてください。",
    session_idle:
      "しばらく使われなかったため、セッションが終了しました。続けるには、もう一度サインインしてください。",
    sign_in_first: "続けるには、サインインしてください。",
    address_invalid: "ada@example.com のような形式で入力してください。"
  },
  provider: "ID プロバイダー",
  refusals: {
    link_unknown: () => ({
      title: "このリンクは無効です",
      text: html`コピーの途中で切れたか、古すぎる可能性があります。新しいリンクを取得してください。`
    }),
    link_expired: () => ({
      title: "このリンクは期限切れです",
      text: html`リンクの有効期間が過ぎました。新しいリンクを取得してください。`
    }),
    link_spent: () => ({
      title: "このリンクは使えなくなりました",
      text: html`リンクは 1 回だけ使えます。このリンクは使用済みか、取り消されています。使った覚えがない場合は、新しいリンクでサインインし、心当たりのないセッションを終了してください。`
    }),
    provider_denied: (provider) => ({
      title: "サインインできませんでした",
      text: html`${provider} で許可されなかったか、キャンセルされました。もう一度試すか、アカウントの管理者に問い合わせてください。`
    }),
    provider_unreachable: (provider) => ({
      title: "現在サインインできません",
      text: html`${provider} が応答しません。数分後にもう一度お試しください。`
    }),
    address_not_confirmed: (provider) => ({
      title: "アドレスが確認されていません",
      text: html`${provider} では、メールアドレスがご本人のものと確認されていません。確認を済ませてから、もう一度お試しください。`
    }),
    other_account: (provider) => ({
      title: "別のアカウントです",
      text: html`このアドレスは、これまで ${provider} の別のアカウントで使われていました。そのアカウントでサインインするか、サービスの運用者に問い合わせてください。`
    }),
    took_too_long: () => ({
      title: "時間がかかりすぎました",
      text: html`時間内に完了しなかったか、別のブラウザーで始められました。最初からやり直してください。`
    })
  },
  noMembership: {
    title: "メンバーではありません",
    text: (address) =>
      html`${address} は、どのワークスペースのメンバーでもありません。ワークスペースの管理者に招待を依頼するか、別のアドレスでサインインしてください。`,
    yourAddress: "このアドレス"
  },
  mailSent: {
    title: "メールを確認してください",
    sent: (address) => html`${address} がメンバーのアドレスであれば、リンクをお送りしました。`,
    life: (duration) =>
      `リンクは ${duration}間有効で、1 回だけ使えます。開いたブラウザーでサインインします。`,
    nothingCame: "メールが届かない場合",
    steps: [
      "1 分ほど待ってから、迷惑メールフォルダーを確認してください。",
      "上のアドレスが正しいか確認してください。",
      "このアドレスがメンバーかどうか、ワークスペースの管理者に確認してください。"
    ],
    again: "リンクを再送信",
    otherAddress: "別のアドレスを使う"
  },
  link: {
    title: "サインイン",
    heading: (address) => html`${address} <span class="whole">としてサインイン</span>`,
    invitation: "このワークスペースに招待されています。",
    other: (address) =>
      html`このブラウザでは ${address} がサインインしています。続けるとサインアウトされます。`,
    button: "サインイン",
    once: "リンクは 1 回だけ使えます。このボタンを押すと使用済みになります。",
    notYou: {
      title: "心当たりがない場合",
      text: "このページを閉じてください。ボタンを押さないかぎり何も起こらず、リンクはやがて無効になります。"
    }
  },
  setup: {
    title: "Cairn のセットアップ",
    intro: "オーナーのいるワークスペースがまだありません。オーナーになると、そのままサインインします。",
    workspaceName: "ワークスペースの名前",
    workspaceNameHint: "ワークスペースごとに監査ログがあります。名前は後で変更できます。",
    workspaceChoiceHint: "このワークスペースのオーナーになり、ほかの人を追加できるようになります。",
    emailHint: "ご自身のアドレスです。今後のサインインに使います。",
    name: "お名前",
    nameHint: "変更の記録とともにログに残ります。省略できます。",
    button: "セットアップしてサインイン",
    once: "リンクは 1 回だけ使えます。このボタンを押すと使用済みになります。",
    faults: {
      workspace_name: "1～1,024 文字の名前を入力してください。",
      workspace_choice: "ほかのワークスペースが作成されています。1 つ選んでください。",
      email: "ada@example.com のような形式で入力してください。",
      name: "1,024 文字以内の名前を入力するか、空欄にしてください。"
    },
    emailTaken: (command) =>
      html`このアドレスのメンバーがワークスペースにすでにいます。運用者は ${command} でオーナーにできます。`,
    refusals: {
      unknown: {
        title: "このリンクは無効です",
        text: (life) =>
          `コピーの途中で切れたか、${life}を過ぎている可能性があります。サービスの最後の起動時にログに記録されたファイルを、もう一度確認してください。`
      },
      expired: {
        title: "このリンクは期限切れです",
        text: (life) =>
          `セットアップのリンクの有効期間は${life}です。サービスを再起動すると、新しいリンクがファイルに書き込まれます。`
      },
      spent: {
        title: "このリンクは使えなくなりました",
        text: (life) =>
          `セットアップのリンクは${life}以内に 1 回だけ使え、サービスを起動し直すと新しいものに置き換わります。ファイルをもう一度確認するか、サービスを再起動してください。`
      },
      done: {
        title: "セットアップは完了しています",
        text: () => "オーナーのいるワークスペースがあるため、セットアップのリンクは使えません。"
      },
      other_browser: {
        title: "セットアップされませんでした",
        text: (life) =>
          `フォームが別のブラウザーで開かれたか、開いてから${life}を過ぎています。このブラウザーでリンクをもう一度開いてください。`
      }
    },
    askOperator: (command) =>
      html`オーナーの方はサインインしてください。サインイン用のリンクは、運用者が ${command} で作成します。`
  },
  https: {
    title: "サインインには https が必要です",
    why: (address) =>
      html`暗号化されていない ${address} を開いています。途中でセッションが読み取られ、悪用されるおそれがあるため、サインインできません。`,
    openInstead: (address) => html`${address} を開く`,
    operator: "サービスの運用者の方へ",
    setting: (setting) =>
      html`${setting} に、このサービスの https のアドレスを設定してください。TLS 対応のプロキシがすでに手前にある場合は、これだけで完了です。`,
    proxy: "ない場合は、手前に置いてください。Caddy は証明書を自動で取得します。Caddyfile はこれだけです:",
    exampleName: (name) => html`${name} は、このマシンを指す名前に置き換えてください。`,
    onMachine: "サービスのマシン上で使う場合",
    openThere: (address) => html`そのマシンのブラウザーで ${address} を開いてください。`,
    elsewhere: "手元のマシンから SSH で使う場合",
    tunnel: "次のコマンドを実行し、そのままにしておきます:",
    thenOpen: (address) => html`続けて、ブラウザーで ${address} を開いてください。`
  },
  account: {
    title: "アカウント",
    signedInAs: (address) => html`${address} としてサインインしています。`,
    console: "コンソールに戻る",
    signOut: "サインアウト",
    workspaces: "ワークスペース",
    noWorkspaces: "どのワークスペースのメンバーでもありません。管理者に招待を依頼してください。",
    accessEnds: (time) => html`アクセスの終了: ${time}`,
    sessions: "セッション",
    sessionsHint: "サインイン中の場所です。心当たりのないセッションは終了してください。",
    thisSession: "このセッション",
    address: "アドレス",
    notKnown: "不明",
    method: "サインイン方法",
    began: "開始",
    lastUsed: "最終使用",
    end: "終了",
    endOf: (session) => html`するセッション: ${session}`,
    endOthers: "ほかのセッションをすべて終了",
    device: (browser, system) => `${system} の ${browser}`,
    unknownDevice: "不明なブラウザー",
    done: {
      session_ended: "セッションを終了しました。",
      others_ended: "ほかのセッションをすべて終了しました。"
    }
  },
  role: "ロール",
  workspace: "ワークスペース",
  roles: {
    owner: "オーナー",
    admin: "管理者",
    developer: "開発者",
    auditor: "監査者",
    member: "メンバー"
  },
  roleMeanings: {
    owner: "すべての操作ができます",
    admin: "オーナーの変更を除くすべての操作ができます",
    developer: "鍵、ルール、Webhook、ログストリームを設定します",
    auditor: "閲覧、検証、エクスポートができ、変更はできません",
    member: "ログを閲覧できます"
  },
  methods: {
    mail: "メールのリンク",
    oidc: "ID プロバイダー",
    operator: "運用者のリンク"
  },
  lost: {
    title: "このページはありません",
    text: "アドレスが途中で切れているか、ページがなくなった可能性があります。",
    home: "最初のページへ"
  },
  signedOut: {
    title: "サインアウトしました",
    text: "このブラウザーのセッションは終了しました。",
    again: "もう一度サインイン"
  },
  tooMany: {
    title: "試行回数が多すぎます",
    text: "数分待ってから、もう一度お試しください。",
    wait: (duration) => `${duration}待ってから、もう一度お試しください。`
  },
  failed: {
    title: "問題が発生しました",
    text: "サービスは処理を完了できませんでした。1 分後にもう一度お試しください。繰り返し発生する場合は、サービスの運用者にこの ID を伝えてください。",
    requestId: "リクエスト ID"
  },
  origin: {
    title: "何も実行されませんでした",
    text: "リクエストはこのサービスのページから送信されたものではありません。ここでページを開き、もう一度お試しください。"
  },
  toSignIn: "サインインへ"
}
