/** Japanese. */
import type { RulesTable } from "./RulesTable.ts"

export const rulesJapanese: RulesTable = {
  hint: "ルールはログを監視し、不審な動きがあるとアラートを発生させます。",
  list: "アラートルール",
  newRule: "新しいルール",
  allRules: "すべてのルール",
  empty: "このログを監視するルールはまだありません",
  emptyHint:
    "ルールを作成してください。入力中に、これまでの記録全体でどのアラートが発生していたかを確認できます。",
  limit: (used, limit) => `プランの ${limit} 件中 ${used} 件のルールを使用中`,
  limitReached:
    "プランのルール数の上限に達しています (無効なルールも数えます)。新しく作成するには、いずれかを削除してください。",
  columns: { rule: "ルール", watches: "監視内容", state: "状態", changed: "更新", actions: "操作" },
  on: "有効",
  off: "無効",
  watching: (name) => `監視: ${name}`,
  edit: "編集",
  editNamed: (name) => `${name} を編集`,
  remove: "削除",
  removeNamed: (name) => `${name} を削除`,
  removeTitle: "このルールを削除しますか?",
  removeExplained: (name) =>
    `「${name}」による監視はただちに終了し、元に戻せません。発生済みのアラートは残ります。一時的に止めるだけなら、無効にしてください。`,
  types: {
    new_country: {
      name: "新しい国",
      hint: "これまで使われたことのない国からの操作。",
      first: "新しい国からのアクセス"
    },
    high_volume_destructive: {
      name: "大量削除",
      hint: "短時間に多数の削除や取り消し。",
      first: "大量削除"
    },
    ingestion_spike: {
      name: "イベントの急増",
      hint: "直前の 1 時間よりはるかに多いイベント。",
      first: "イベントの急増"
    },
    repeated_action: {
      name: "操作の連続",
      hint: "スクリプトのような速さで同じ操作を繰り返す。",
      first: "同じ操作の連続"
    },
    off_hours: {
      name: "業務時間外",
      hint: "業務時間外の操作。",
      first: "業務時間外の操作"
    }
  },
  newCountry: "アクターが、これまで使ったことのない国から操作したとき。",
  destructive: (threshold, within, isOne) =>
    `${isOne ? "1 人のアクターが" : "全アクターの合計で"} ${within}以内に ${threshold} 回以上の破壊的な操作を行ったとき。`,
  repeated: (threshold, within) => `アクターが同じ操作を ${within}以内に ${threshold} 回行ったとき。`,
  spike: (factor, within, minimum) =>
    `${within}間のイベント数が直前の 1 時間の平均の ${factor} 倍を超え、かつ ${minimum} 件以上のとき。`,
  offHours: (days, start, end, timezone) =>
    `${days} ${start}～${end} (${timezone}) 以外に操作が行われたとき。`,
  offHoursAlways: "すべての操作。業務日が指定されていません。",
  patterns: "対象の操作:",
  onlyAction: "操作を限定:",
  onlyTenant: "テナントを限定:",
  pause: (span) => `その後 ${span}間は、同じアクターについて再度アラートを発生させません。`,
  pauseWhole: (span) => `その後 ${span}間は、再度アラートを発生させません。`,
  noPause: "条件に当てはまるイベントごとにアラートを発生させます。",
  form: {
    create: "ルールを作成",
    save: "変更を保存",
    cancel: "キャンセル",
    unchanged: "まだ何も変更されていません。",
    type: "検知する内容",
    typeStays: "ルールの種類は変更できません。別の種類が必要な場合は、新しいルールを作成してください。",
    name: "名前",
    nameHint: "アラートに表示されます。メールと Webhook にも含まれます。",
    enabled: "有効にする",
    enabledHint: "無効にすると、ルールは残りますが何も監視しません。",
    what: "アラートの条件",
    which: "対象のイベント",
    whichHint: "絞り込まなければ、すべてが対象です。",
    often: "頻度",
    patterns: "対象の操作",
    patternsHint: "1 行に 1 つのパターン。* は任意の文字列を表します (例: *.deleted)。",
    threshold: "回数",
    destructiveHint: "1～1,000 回。",
    repeatedHint: "2～1,000 回。",
    within: "期間",
    withinHint: "最長 1 日。",
    scope: "集計の単位",
    scopeHint: "合計にすると、複数のアカウントが交互に行う操作も検知できます。",
    scopes: { actor: "アクターごと", workspace: "全アクターの合計" },
    window: "集計時間",
    windowHint: "この時間のイベント数を、直前の 1 時間の平均と比較します。",
    factor: "平均に対する倍率",
    factorHint: "1 より大きい値。5 は通常の 5 倍を意味します。",
    minimum: "最小イベント数",
    minimumHint: "これより少なければ急増とみなしません。静かな夜間の誤検知を防ぎます。",
    timezone: "タイムゾーン",
    timezoneHint: "Europe/Berlin のような名前。夏時間も考慮されます。",
    days: "業務日",
    noDays: "業務日がない場合、すべての操作が業務時間外になります。",
    start: "業務開始",
    end: "業務終了",
    startHint: "業務の最初の 1 分。",
    endHint: "業務後の最初の 1 分。開始以前の時刻は翌日。",
    action: "操作を限定",
    actionHint: "document.* や *.exported のようなパターン。空欄はすべて。",
    tenant: "テナントを限定",
    tenantHint: "テナントの ID。空欄はすべて。",
    cooldown: "アラート後の休止時間",
    cooldownHint:
      "この間、同じアクターについてこのルールのアラートは発生しません。最長 1 週間、0 は休止なし。",
    unitOf: (field) => `${field}: 単位`,
    units: { second: "秒", minute: "分", hour: "時間", day: "日" },
    faults: {
      required: () => "名前を入力してください。",
      long: (_, most) => `${most} 文字以内で入力してください。`,
      between: (least, most) => `${least} から ${most} までの整数を入力してください。`,
      factor: (_, most) => `1 より大きく ${most} 以下の数を入力してください。`,
      span: (least, most) => `${least}から${most}まで、秒単位で割り切れる値を入力してください。`,
      patterns: (_, most) => `1～${most} 個のパターンを、それぞれ 256 文字以内で入力してください。`,
      timezone: () => "不明なタイムゾーンです。Europe/Berlin のように一覧から選択してください。",
      time: () => "09:00 のような時刻を入力してください。",
      kept: () =>
        "テナントは置き換えられますが、解除はできません。限定しないルールは新しく作成してください。",
      keptAction: () =>
        "パターンは置き換えられますが、解除はできません。すべての操作を対象にするには * と入力してください。"
    }
  },
  trial: {
    title: "このルールで発生していたアラート",
    hint: "フォームの内容のルールをログ全体に適用した結果です。何も保存されず、誰にも通知されません。",
    running: "ログに適用しています…",
    unfinished: "フォームを修正すると表示されます。",
    noEvents: "試せるイベントがまだ記録されていません。",
    none: (events) => `${events} 件のイベントでアラートは発生していませんでした`,
    some: (_, alerts, events) => `${events} 件のイベントで ${alerts} 件のアラートが発生していました`,
    recent: (alerts) => ` (うち直近 7 日間に ${alerts} 件)`,
    more: (alerts, events) =>
      `最初の ${events} 件のイベントだけで ${alerts} 件を超えるアラートが発生していました`,
    moreHint:
      "最初の部分のみ表示しています。これほど多いと見落とされやすくなるため、条件を絞り込んでください。",
    alerts: "アラート",
    events: "イベント",
    upTo: (most) => `最大 ${most}`,
    bar: (at, alerts, events) => `${at} — アラート: ${alerts}、イベント: ${events}`,
    plot: (alerts, from, to, most, at) =>
      `${from} から ${to} までに ${alerts} 件のアラート。最多は ${at} ごろの ${most} 件`,
    first: "最初のアラート",
    rest: (_, formatted) => `ほか ${formatted} 件`,
    event: "イベント"
  }
}
