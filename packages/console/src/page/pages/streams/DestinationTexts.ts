/** What the fields of a log stream's destination and of its format are called. */
import type { Texts } from "../../locale/Texts.ts"
import type { FieldName, Format, Kind } from "./StreamKinds.ts"

interface DestinationTable {
  readonly kinds: Readonly<Record<Kind, string>>
  readonly kindHints: Readonly<Record<Kind, string>>
  readonly formats: Readonly<Record<Format, string>>
  readonly formatHints: Readonly<Record<Format, string>>
  readonly fields: Readonly<Record<FieldName, string>>
  readonly fieldHints: Readonly<Partial<Record<FieldName, string>>>
  readonly bodies: Readonly<Record<"ndjson" | "array", string>>
  readonly switches: Readonly<Record<"true" | "false", string>>
  readonly secretKept: string
  readonly kind: string
  readonly format: string
}

/** In each language. */
export const destinationTexts: Texts<DestinationTable> = {
  en: {
    kinds: {
      https: "HTTPS endpoint",
      splunk_hec: "Splunk HTTP Event Collector",
      syslog: "Syslog",
      s3: "S3 bucket",
      file: "File on the server"
    },
    kindHints: {
      https: "Batches as the body of a POST. Any 2xx says that they were taken.",
      splunk_hec: "For Splunk Enterprise and Splunk Cloud.",
      syslog: "RFC 5424 over TLS or TCP, with octet counting.",
      s3: "Gzip objects by the hour, in any S3-compatible store.",
      file: "Lines at the end of a file, if the operator allows it."
    },
    formats: { cairn: "Cairn (JSON)", ocsf: "OCSF", cef: "CEF", cloudevents: "CloudEvents" },
    formatHints: {
      cairn: "Each event as the interface returns it, with all that verifies it.",
      ocsf: "The Open Cybersecurity Schema Framework, which most SIEMs read.",
      cef: "ArcSight's Common Event Format, a line each.",
      cloudevents: "CloudEvents 1.0 with the event as data."
    },
    fields: {
      url: "Address",
      body: "Body",
      authorization: "Authorization header",
      host: "Host",
      port: "Port",
      tls: "Over TLS",
      facility: "Facility",
      hostname: "HOSTNAME",
      app_name: "APP-NAME",
      bucket: "Bucket",
      access_key_id: "Access key id",
      secret_access_key: "Secret access key",
      endpoint: "Endpoint",
      region: "Region",
      prefix: "Prefix",
      token: "Token",
      index: "Index",
      source: "Source",
      sourcetype: "Source type",
      path: "Path"
    },
    fieldHints: {
      authorization: "The whole value of the header, such as Bearer and a token.",
      tls: "Without it anyone on the network path can read the events.",
      facility: "A number of RFC 5424; 13 is log audit.",
      endpoint: "The store's address, unless it is AWS.",
      prefix: "What the keys of objects begin with.",
      index: "Empty for the token's own.",
      path: "Below the workspace's own folder."
    },
    switches: { true: "yes", false: "no" },
    bodies: { ndjson: "One record a line (NDJSON)", array: "One JSON array" },
    secretKept: "Leave it empty to keep it. With another address it must be given again.",
    kind: "Destination",
    format: "Format"
  },
  de: {
    kinds: {
      https: "HTTPS-Endpunkt",
      splunk_hec: "Splunk HTTP Event Collector",
      syslog: "Syslog",
      s3: "S3-Bucket",
      file: "Datei auf dem Server"
    },
    kindHints: {
      https: "Stapel als Inhalt eines POST. Jedes 2xx bestätigt die Annahme.",
      splunk_hec: "Für Splunk Enterprise und Splunk Cloud.",
      syslog: "RFC 5424 über TLS oder TCP, mit Oktettzählung.",
      s3: "Gzip-Objekte nach Stunden, in jedem S3-kompatiblen Speicher.",
      file: "Zeilen am Ende einer Datei, wenn der Betreiber das erlaubt."
    },
    formats: { cairn: "Cairn (JSON)", ocsf: "OCSF", cef: "CEF", cloudevents: "CloudEvents" },
    formatHints: {
      cairn: "Jedes Ereignis, wie es die Schnittstelle liefert, mit allem, womit es geprüft wird.",
      ocsf: "Das Open Cybersecurity Schema Framework, das die meisten SIEMs lesen.",
      cef: "Das Common Event Format von ArcSight, je eine Zeile.",
      cloudevents: "CloudEvents 1.0 mit dem Ereignis als Daten."
    },
    fields: {
      url: "Adresse",
      body: "Inhalt",
      authorization: "Authorization-Header",
      host: "Host",
      port: "Port",
      tls: "Über TLS",
      facility: "Facility",
      hostname: "HOSTNAME",
      app_name: "APP-NAME",
      bucket: "Bucket",
      access_key_id: "Access Key ID",
      secret_access_key: "Secret Access Key",
      endpoint: "Endpunkt",
      region: "Region",
      prefix: "Präfix",
      token: "Token",
      index: "Index",
      source: "Source",
      sourcetype: "Source Type",
      path: "Pfad"
    },
    fieldHints: {
      authorization: "Der ganze Wert des Headers, etwa Bearer und ein Token.",
      tls: "Ohne TLS kann jeder auf dem Netzwerkweg die Ereignisse lesen.",
      facility: "Eine Zahl aus RFC 5424; 13 ist log audit.",
      endpoint: "Die Adresse des Speichers, wenn es nicht AWS ist.",
      prefix: "Womit die Schlüssel der Objekte beginnen.",
      index: "Leer für den des Tokens.",
      path: "Unterhalb des Ordners des Arbeitsbereichs."
    },
    switches: { true: "ja", false: "nein" },
    bodies: { ndjson: "Ein Datensatz je Zeile (NDJSON)", array: "Ein JSON-Array" },
    secretKept: "Leer lassen, um es zu behalten. Bei einer anderen Adresse muss es neu angegeben werden.",
    kind: "Ziel",
    format: "Format"
  },
  ja: {
    kinds: {
      https: "HTTPS エンドポイント",
      splunk_hec: "Splunk HTTP Event Collector",
      syslog: "Syslog",
      s3: "S3 バケット",
      file: "サーバー上のファイル"
    },
    kindHints: {
      https: "バッチを POST の本文として送信します。2xx が受信の確認です。",
      splunk_hec: "Splunk Enterprise と Splunk Cloud 用です。",
      syslog: "TLS または TCP 上の RFC 5424（オクテットカウント方式）です。",
      s3: "S3 互換ストレージに、1 時間ごとの gzip オブジェクトを保存します。",
      file: "ファイルの末尾に行を追加します（運用者が許可している場合）。"
    },
    formats: { cairn: "Cairn（JSON）", ocsf: "OCSF", cef: "CEF", cloudevents: "CloudEvents" },
    formatHints: {
      cairn: "API が返すとおりのイベントと、検証に必要なすべての情報です。",
      ocsf: "多くの SIEM が対応する Open Cybersecurity Schema Framework です。",
      cef: "ArcSight の Common Event Format で、1 イベント 1 行です。",
      cloudevents: "イベントをデータとする CloudEvents 1.0 です。"
    },
    fields: {
      url: "アドレス",
      body: "本文",
      authorization: "Authorization ヘッダー",
      host: "ホスト",
      port: "ポート",
      tls: "TLS を使用",
      facility: "ファシリティ",
      hostname: "HOSTNAME",
      app_name: "APP-NAME",
      bucket: "バケット",
      access_key_id: "アクセスキー ID",
      secret_access_key: "シークレットアクセスキー",
      endpoint: "エンドポイント",
      region: "リージョン",
      prefix: "プレフィックス",
      token: "トークン",
      index: "インデックス",
      source: "ソース",
      sourcetype: "ソースタイプ",
      path: "パス"
    },
    fieldHints: {
      authorization: "ヘッダーの値全体です（例: Bearer とトークン）。",
      tls: "使用しない場合、経路上の誰でもイベントを読み取れます。",
      facility: "RFC 5424 の番号です。13 は log audit です。",
      endpoint: "AWS 以外の場合のストレージのアドレスです。",
      prefix: "オブジェクトキーの先頭部分です。",
      index: "空欄の場合はトークンのものを使用します。",
      path: "ワークスペース専用フォルダーからの相対パスです。"
    },
    switches: { true: "はい", false: "いいえ" },
    bodies: { ndjson: "1 行に 1 レコード（NDJSON）", array: "1 つの JSON 配列" },
    secretKept: "空欄のままにすると現在の値を保持します。アドレスを変更した場合は再入力が必要です。",
    kind: "送信先",
    format: "形式"
  }
}
