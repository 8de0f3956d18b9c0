/** What the page "check" says; the report that it shows is English. */
import type { Texts } from "../../locale/Texts.ts"
import type { ChainChoice, KnownFaults } from "./KnownTexts.ts"

/** A verdict, as far as words differ: an intact file with and without something from elsewhere. */
export type ShownVerdict =
  | "intact"
  | "part"
  | "continued"
  | "consistent"
  | "tampered"
  | "unproven"
  | "unreadable"

interface CheckTable {
  readonly title: string
  readonly hint: string
  readonly file: string
  readonly choose: string
  readonly drop: string
  readonly dropHint: string
  readonly here: string
  readonly nothingSent: string
  readonly elsewhereHint: string
  readonly openAlone: string
  readonly tooMany: string
  readonly chosen: string
  readonly roles: Readonly<Record<"only" | "earlier" | "later", string>>
  readonly range: (from: string, to: string) => string
  readonly noHead: string
  readonly addAnother: string
  readonly addHint: string
  readonly swap: string
  readonly oddities: Readonly<Record<"order" | "logs", string>>
  readonly known: string
  readonly knownHint: string
  readonly fields: Readonly<
    Record<"keys" | "address" | "blocks" | "chain" | "otherChain", { label: string; hint: string }>
  >
  readonly faults: Readonly<Record<keyof KnownFaults, (text: string) => string>>
  readonly chains: Readonly<Record<ChainChoice, string>>
  readonly correct: string
  readonly running: string
  readonly progress: (read: string, total: string) => string
  readonly cancel: string
  readonly cancelled: string
  readonly again: string
  readonly failures: Readonly<Record<"unreadable" | "changed" | "fault", (name: string) => string>>
  readonly verdicts: Readonly<Record<ShownVerdict, { word: string; sentence: string }>>
  readonly report: string
  readonly print: string
  readonly save: string
  readonly another: string
}

const en: CheckTable = {
  title: "Check a file",
  hint: "Checks an evidence file here in your browser, without asking the service it came from, and makes a report to print, sign and keep. The page itself is the service's; the command cairn-verify makes the same check without it.",
  file: "Evidence file",
  choose: "Choose a file",
  drop: "or drop it anywhere on this page",
  dropHint:
    "One file, or two of the same log: then the page also checks that the later one only continues the earlier one.",
  here: "The file is read here, in your browser. It is not uploaded.",
  nothingSent:
    "Nothing of your files is sent: your browser blocks every request of this page, as its security policy says. You can disconnect the network now and still check.",
  elsewhereHint: "The same page without signing in, where the browser forbids it to send anything:",
  openAlone: "Open it alone",
  tooMany: "Choose one file, or an earlier and a later one.",
  chosen: "Chosen files",
  roles: { only: "File", earlier: "Earlier file", later: "Later file" },
  range: (from, to) => `events ${from} to ${to}`,
  noHead: "does not begin as an evidence file",
  addAnother: "Compare with another file",
  addHint: "An earlier or a later file of the same log, such as the one of your last audit.",
  swap: "The other way round",
  oddities: {
    order: "The file given as the earlier one ends later than the other. They are the wrong way round.",
    logs: "These are files of two different logs. Choose two files of one log."
  },
  known: "What you know from elsewhere",
  knownHint:
    "A file alone shows only that it agrees with itself. Give what you have from another source than the file's sender, and the check compares it. All of it is optional.",
  fields: {
    keys: {
      label: "Keys that sign the log",
      hint: "One a line, name+id+base64, from the operator's website, a contract or an earlier audit; not from this file or its report. Without one, anybody with access to the database could have rewritten the whole file."
    },
    address: {
      label: "Account that anchors",
      hint: "0x and 40 characters, from the same sources. It shows that there is no second, hidden chain of anchors."
    },
    blocks: {
      label: "Hashes of blocks",
      hint: "NUMBER=HASH, one a line, as you look them up in a block explorer; the report lists the blocks. They show that the anchors are on the blockchain, and since when."
    },
    chain: {
      label: "Blockchain",
      hint: "The one on which the service anchors, as its operator says: transactions of another chain count as false."
    },
    otherChain: { label: "Number of the chain", hint: "Its chain ID, such as 10." }
  },
  faults: {
    keys: (text) => `This is not a whole key. Copy it again from its name to its last character: ${text}`,
    address: (text) => `This is not an address. It has 0x and 40 characters from 0 to 9 and a to f: ${text}`,
    blocks: (text) =>
      `One NUMBER=HASH a line, the hash with 0x and 64 characters, and one hash for each block. This line is wrong: ${text}`,
    otherChain: () => "Enter a whole number from 1 on."
  },
  chains: { base: "Base (8453)", base_sepolia: "Base Sepolia, a test network (84532)", other: "Another" },
  correct: "Correct what is marked above, and the file is checked.",
  running: "Checking…",
  progress: (read, total) => `${read} of ${total} read`,
  cancel: "Cancel",
  cancelled: "The check was cancelled. It says nothing about the file.",
  again: "Check again",
  failures: {
    unreadable: (name) =>
      `${name} could not be read to its end: it was moved, deleted or changed, or it is a folder. There is no result. Choose it again.`,
    changed: (name) => `${name} was changed while it was read. There is no result. Choose it again.`,
    fault: (name) => `The check of ${name} failed because of a fault of this page. There is no result.`
  },
  verdicts: {
    intact: {
      word: "Intact",
      sentence:
        "Every required check succeeded, and what you typed in vouches for every event. It does so only if it came from elsewhere than this file, its report or the service: this page cannot know where it came from."
    },
    part: {
      word: "Intact in part",
      sentence:
        "Every required check succeeded, but what you typed in vouches for the first events only; the report says up to which. It vouches for them only if it came from elsewhere than this file, its report or the service."
    },
    continued: {
      word: "Intact since the earlier file",
      sentence:
        "Every required check succeeded, and the log continues the earlier file. Nothing else that you typed in vouches for it. Add what you know above."
    },
    consistent: {
      word: "Intact by itself",
      sentence:
        "Every required check succeeded, but nothing that you typed in shows whose file this is. Add what you know above."
    },
    tampered: { word: "Tampered", sentence: "At least one check failed. Do not rely on this file." },
    unproven: {
      word: "Unproven",
      sentence: "Nothing failed, but something that you gave matches nothing in the file."
    },
    unreadable: {
      word: "Unreadable",
      sentence: "This is no evidence file, or it is damaged. It proves nothing."
    }
  },
  report: "Evidence report",
  print: "Print",
  save: "Save report",
  another: "Check another file"
}

const de: CheckTable = {
  title: "Datei prüfen",
  hint: "Prüft eine Nachweisdatei hier in Ihrem Browser, ohne den Dienst zu fragen, aus dem sie kommt, und erstellt einen Bericht zum Drucken, Unterschreiben und Aufbewahren. Die Seite selbst stammt vom Dienst; der Befehl cairn-verify prüft dasselbe ohne sie.",
  file: "Nachweisdatei",
  choose: "Datei auswählen",
  drop: "oder irgendwo auf dieser Seite ablegen",
  dropHint:
    "Eine Datei oder zwei desselben Protokolls: Dann prüft die Seite auch, dass die spätere die frühere nur fortsetzt.",
  here: "Die Datei wird hier gelesen, in Ihrem Browser. Sie wird nicht hochgeladen.",
  nothingSent:
    "Ihr Browser hindert diese Seite daran, irgendetwas zu senden: Ihre Regeln verbieten jede Anfrage. Sie können jetzt die Netzwerkverbindung trennen und trotzdem prüfen.",
  elsewhereHint: "Dieselbe Seite ohne Anmeldung; dort verbietet ihr der Browser, etwas zu senden:",
  openAlone: "Einzeln öffnen",
  tooMany: "Wählen Sie eine Datei oder eine frühere und eine spätere.",
  chosen: "Gewählte Dateien",
  roles: { only: "Datei", earlier: "Frühere Datei", later: "Spätere Datei" },
  range: (from, to) => `Ereignisse ${from} bis ${to}`,
  noHead: "beginnt nicht wie eine Nachweisdatei",
  addAnother: "Mit einer anderen Datei vergleichen",
  addHint: "Eine frühere oder spätere Datei desselben Protokolls, etwa die Ihrer letzten Prüfung.",
  swap: "Umgekehrt",
  oddities: {
    order: "Die als früher angegebene Datei endet später als die andere. Die Reihenfolge ist falsch.",
    logs: "Dies sind Dateien zweier verschiedener Protokolle. Wählen Sie zwei Dateien eines Protokolls."
  },
  known: "Was Sie aus anderer Quelle wissen",
  knownHint:
    "Eine Datei allein zeigt nur, dass sie mit sich selbst übereinstimmt. Geben Sie an, was Sie nicht vom Absender der Datei haben; die Prüfung vergleicht es. Alles ist freiwillig.",
  fields: {
    keys: {
      label: "Schlüssel, die das Protokoll signieren",
      hint: "Einer je Zeile, name+id+base64, von der Website des Betreibers, aus einem Vertrag oder einer früheren Prüfung; nicht aus dieser Datei oder ihrem Bericht. Ohne Schlüssel könnte jeder mit Zugriff auf die Datenbank die ganze Datei neu erzeugt haben."
    },
    address: {
      label: "Konto, das verankert",
      hint: "0x und 40 Zeichen, aus denselben Quellen. Es zeigt, dass es keine zweite, verborgene Kette von Ankern gibt."
    },
    blocks: {
      label: "Hashes von Blöcken",
      hint: "NUMMER=HASH, einer je Zeile, wie Sie ihn in einem Block-Explorer nachschlagen; der Bericht nennt die Blöcke. Sie zeigen, dass die Anker auf der Blockchain stehen und seit wann."
    },
    chain: {
      label: "Blockchain",
      hint: "Die, auf der der Dienst verankert, laut seinem Betreiber: Transaktionen einer anderen gelten als falsch."
    },
    otherChain: { label: "Nummer der Blockchain", hint: "Ihre Chain-ID, zum Beispiel 10." }
  },
  faults: {
    keys: (text) =>
      `Das ist kein vollständiger Schlüssel. Kopieren Sie ihn erneut, vom Namen bis zum letzten Zeichen: ${text}`,
    address: (text) =>
      `Das ist keine Adresse. Sie besteht aus 0x und 40 Zeichen von 0 bis 9 und a bis f: ${text}`,
    blocks: (text) =>
      `Eine Angabe NUMMER=HASH je Zeile, der Hash mit 0x und 64 Zeichen, und ein Hash je Block. Diese Zeile ist falsch: ${text}`,
    otherChain: () => "Geben Sie eine ganze Zahl ab 1 ein."
  },
  chains: { base: "Base (8453)", base_sepolia: "Base Sepolia, ein Testnetz (84532)", other: "Eine andere" },
  correct: "Berichtigen Sie, was oben markiert ist; dann wird die Datei geprüft.",
  running: "Prüfung läuft …",
  progress: (read, total) => `${read} von ${total} gelesen`,
  cancel: "Abbrechen",
  cancelled: "Die Prüfung wurde abgebrochen. Sie sagt nichts über die Datei.",
  again: "Erneut prüfen",
  failures: {
    unreadable: (name) =>
      `${name} konnte nicht bis zum Ende gelesen werden: Die Datei wurde verschoben, gelöscht oder geändert, oder es ist ein Ordner. Es gibt kein Ergebnis. Wählen Sie sie erneut.`,
    changed: (name) =>
      `${name} wurde beim Lesen geändert. Es gibt kein Ergebnis. Wählen Sie die Datei erneut.`,
    fault: (name) =>
      `Die Prüfung von ${name} ist an einem Fehler dieser Seite gescheitert. Es gibt kein Ergebnis.`
  },
  verdicts: {
    intact: {
      word: "Unversehrt",
      sentence:
        "Alle nötigen Prüfungen sind gelungen, und was Sie eingegeben haben, bürgt für jedes Ereignis. Das gilt nur, wenn es nicht aus dieser Datei, ihrem Bericht oder vom Dienst stammt: Woher es stammt, kann diese Seite nicht wissen."
    },
    part: {
      word: "Zum Teil unversehrt",
      sentence:
        "Alle nötigen Prüfungen sind gelungen, aber was Sie eingegeben haben, bürgt nur für die ersten Ereignisse; der Bericht sagt, bis zu welchem. Das gilt nur, wenn es nicht aus dieser Datei, ihrem Bericht oder vom Dienst stammt."
    },
    continued: {
      word: "Unversehrt seit der früheren Datei",
      sentence:
        "Alle nötigen Prüfungen sind gelungen, und das Protokoll setzt die frühere Datei fort. Sonst bürgt nichts von Ihren Eingaben für sie. Ergänzen Sie oben, was Sie wissen."
    },
    consistent: {
      word: "In sich unversehrt",
      sentence:
        "Alle nötigen Prüfungen sind gelungen, aber nichts von Ihren Eingaben zeigt, wessen Datei dies ist. Ergänzen Sie oben, was Sie wissen."
    },
    tampered: {
      word: "Manipuliert",
      sentence: "Mindestens eine Prüfung ist fehlgeschlagen. Verlassen Sie sich nicht auf diese Datei."
    },
    unproven: {
      word: "Nicht bewiesen",
      sentence: "Nichts ist fehlgeschlagen, aber zu einer Ihrer Angaben gibt es nichts in der Datei."
    },
    unreadable: {
      word: "Nicht lesbar",
      sentence: "Dies ist keine Nachweisdatei, oder sie ist beschädigt. Sie beweist nichts."
    }
  },
  report: "Prüfbericht",
  print: "Drucken",
  save: "Bericht speichern",
  another: "Andere Datei prüfen"
}

const ja: CheckTable = {
  title: "ファイルを検証",
  hint: "発行元のサービスに問い合わせることなく、ブラウザー内で証拠ファイルを検証し、印刷・署名・保管できる報告書を作成します。このページ自体はサービスが提供するものです。コマンド cairn-verify を使うと、このページに頼らずに同じ検証ができます。",
  file: "証拠ファイル",
  choose: "ファイルを選択",
  drop: "またはこのページの任意の場所にドロップ",
  dropHint:
    "1 つのファイル、または同じログの 2 つのファイルを選べます。2 つの場合は、新しいファイルが古いファイルの続きであることも検証します。",
  here: "ファイルはブラウザー内で読み取られます。アップロードされません。",
  nothingSent:
    "このページからの送信はブラウザーが禁止しています。すべてのリクエストが拒否されるため、今ネットワークを切断しても検証できます。",
  elsewhereHint: "サインイン不要の同じページでは、ブラウザーが送信を禁止します:",
  openAlone: "単独で開く",
  tooMany: "1 つのファイル、または古いファイルと新しいファイルの 2 つを選択してください。",
  chosen: "選択したファイル",
  roles: { only: "ファイル", earlier: "古いファイル", later: "新しいファイル" },
  range: (from, to) => `イベント ${from} ～ ${to}`,
  noHead: "証拠ファイルの形式で始まっていません",
  addAnother: "別のファイルと比較",
  addHint: "前回の監査のファイルなど、同じログの以前または以後のファイルです。",
  swap: "順序を入れ替える",
  oddities: {
    order: "「古いファイル」の末尾が、もう一方より後になっています。順序が逆です。",
    logs: "異なるログのファイルです。同じログのファイルを 2 つ選択してください。"
  },
  known: "別の経路で得た情報",
  knownHint:
    "ファイル単体で示せるのは、内容に矛盾がないことだけです。ファイルの送り手以外から得た情報を入力すると照合します。すべて任意です。",
  fields: {
    keys: {
      label: "ログに署名する鍵",
      hint: "1 行に 1 つ、name+id+base64 の形式で入力します。運用者のウェブサイト、契約書、以前の監査などから入手します。このファイルやその報告書から取らないでください。鍵がないと、データベースを持つ人がファイル全体を作り直した可能性を排除できません。"
    },
    address: {
      label: "アンカーを送信するアカウント",
      hint: "0x と 40 文字。入手先は鍵と同じです。隠された別のアンカーの列がないことを示します。"
    },
    blocks: {
      label: "ブロックのハッシュ",
      hint: "1 行に 1 つ、番号=ハッシュの形式で入力します。ブロックエクスプローラーで調べた値です。対象のブロックは報告書に記載されます。アンカーがブロックチェーン上にあることと、その時期を示します。"
    },
    chain: {
      label: "ブロックチェーン",
      hint: "サービスがアンカーを送信するチェーンです。運用者に確認してください。別のチェーンのトランザクションは不正と判定されます。"
    },
    otherChain: { label: "チェーンの番号", hint: "チェーン ID です。例: 10" }
  },
  faults: {
    keys: (text) => `完全な鍵ではありません。名前から最後の文字までコピーし直してください: ${text}`,
    address: (text) => `アドレスではありません。0x と、0 ～ 9、a ～ f の 40 文字で入力してください: ${text}`,
    blocks: (text) =>
      `1 行に 1 つ、番号=ハッシュ(0x と 64 文字)で、ブロックごとにハッシュは 1 つです。正しくない行: ${text}`,
    otherChain: () => "1 以上の整数を入力してください。"
  },
  chains: { base: "Base (8453)", base_sepolia: "Base Sepolia(テストネットワーク、84532)", other: "その他" },
  correct: "上の誤りを修正すると、ファイルを検証します。",
  running: "検証中…",
  progress: (read, total) => `${total} 中 ${read} を読み取り済み`,
  cancel: "キャンセル",
  cancelled: "検証をキャンセルしました。ファイルについては何も判定していません。",
  again: "もう一度検証",
  failures: {
    unreadable: (name) =>
      `${name} を最後まで読み取れませんでした。移動、削除、または変更されたか、フォルダーです。結果はありません。もう一度選択してください。`,
    changed: (name) => `${name} は読み取り中に変更されました。結果はありません。もう一度選択してください。`,
    fault: (name) => `このページの不具合により ${name} を検証できませんでした。結果はありません。`
  },
  verdicts: {
    intact: {
      word: "改ざんなし",
      sentence:
        "必要な検証はすべて成功し、入力された情報がすべてのイベントを保証します。ただし、その情報がこのファイル、その報告書、サービスのいずれでもない別の経路で得られたものである場合に限ります。入手先をこのページが知ることはできません。"
    },
    part: {
      word: "一部について改ざんなし",
      sentence:
        "必要な検証はすべて成功しましたが、入力された情報が保証するのは最初のイベントだけで、その情報がこのファイル、その報告書、サービスのいずれでもない別の経路で得られたものである場合に限ります。どこまでかは報告書に記載されています。"
    },
    continued: {
      word: "以前のファイル以降、改ざんなし",
      sentence:
        "必要な検証はすべて成功し、ログは以前のファイルの続きです。入力された情報の中に、ほかにこのファイルを保証するものはありません。わかる情報を上に入力してください。"
    },
    consistent: {
      word: "ファイル内では矛盾なし",
      sentence:
        "必要な検証はすべて成功しましたが、入力された情報からは、誰のファイルかわかりません。わかる情報を上に入力してください。"
    },
    tampered: {
      word: "改ざんあり",
      sentence: "失敗した検証があります。このファイルに依拠しないでください。"
    },
    unproven: {
      word: "証明不十分",
      sentence: "失敗した検証はありませんが、入力された情報に対応するものがファイルにありません。"
    },
    unreadable: {
      word: "読み取り不可",
      sentence: "証拠ファイルではないか、破損しています。何も証明されません。"
    }
  },
  report: "検証報告書",
  print: "印刷",
  save: "報告書を保存",
  another: "別のファイルを検証"
}

/** In each language. */
export const checkTexts: Texts<CheckTable> = { en, de, ja }
