/** German. */
import type { RulesTable } from "./RulesTable.ts"

export const rulesGerman: RulesTable = {
  hint: "Eine Regel überwacht das Protokoll und löst einen Alarm aus, wenn darin etwas nicht stimmt.",
  list: "Alarmregeln",
  newRule: "Neue Regel",
  allRules: "Alle Regeln",
  empty: "Noch überwacht keine Regel dieses Protokoll",
  emptyHint:
    "Legen Sie eine an: Während Sie sie ausfüllen, sehen Sie, welche Alarme sie über alles Aufgezeichnete ausgelöst hätte.",
  limit: (used, limit) => `${used} von ${limit} Regeln des Tarifs`,
  limitReached:
    "Der Tarif lässt keine weiteren Regeln zu, ob aktiv oder nicht. Löschen Sie eine, um eine andere anzulegen.",
  columns: {
    rule: "Regel",
    watches: "Was sie überwacht",
    state: "Status",
    changed: "Geändert",
    actions: "Aktionen"
  },
  on: "Aktiv",
  off: "Inaktiv",
  watching: (name) => `Überwacht: ${name}`,
  edit: "Bearbeiten",
  editNamed: (name) => `${name} bearbeiten`,
  remove: "Löschen",
  removeNamed: (name) => `${name} löschen`,
  removeTitle: "Diese Regel löschen?",
  removeExplained: (name) =>
    `„${name}“ überwacht ab sofort nichts mehr und kann nicht wiederhergestellt werden. Ihre Alarme bleiben erhalten. Um sie nur eine Weile anzuhalten, deaktivieren Sie sie.`,
  types: {
    new_country: {
      name: "Neues Land",
      hint: "Jemand handelt aus einem Land, aus dem er noch nie kam.",
      first: "Zugriff aus einem neuen Land"
    },
    high_volume_destructive: {
      name: "Massenlöschung",
      hint: "Viele Löschungen, Entfernungen oder Entzüge in kurzer Zeit.",
      first: "Massenlöschung"
    },
    ingestion_spike: {
      name: "Ereignisspitze",
      hint: "Viel mehr Ereignisse als in der Stunde davor.",
      first: "Ungewöhnlich viele Ereignisse"
    },
    repeated_action: {
      name: "Wiederholte Aktion",
      hint: "Jemand wiederholt eine Aktion so schnell wie ein Skript.",
      first: "Schnelle Wiederholung"
    },
    off_hours: {
      name: "Außerhalb der Geschäftszeiten",
      hint: "Etwas geschieht außerhalb der Geschäftszeiten.",
      first: "Arbeit außerhalb der Geschäftszeiten"
    }
  },
  newCountry: "Jemand handelt aus einem Land, aus dem er noch nie kam.",
  destructive: (threshold, within, isOne) =>
    `${isOne ? "Ein Akteur führt" : "Alle Akteure zusammen führen"} mindestens ${threshold} destruktive Aktionen innerhalb von ${within} aus.`,
  repeated: (threshold, within) =>
    `Ein Akteur führt dieselbe Aktion ${threshold}-mal innerhalb von ${within} aus.`,
  spike: (factor, within, minimum) =>
    `Mehr als ${factor}-mal so viele Ereignisse innerhalb von ${within} wie im Mittel der Stunde davor, mindestens aber ${minimum}.`,
  offHours: (days, start, end, timezone) =>
    `Etwas geschieht außerhalb von ${days}, ${start} bis ${end} Uhr (${timezone}).`,
  offHoursAlways: "Überhaupt etwas geschieht: Kein Tag ist ein Arbeitstag.",
  patterns: "Aktionen, die zählen:",
  onlyAction: "Nur Aktionen:",
  onlyTenant: "Nur Mandant:",
  pause: (span) => `Danach ${span} lang kein weiterer Alarm durch denselben Akteur.`,
  pauseWhole: (span) => `Danach ${span} lang kein weiterer Alarm.`,
  noPause: "Jedes Ereignis, das die Bedingung erfüllt, löst einen Alarm aus.",
  form: {
    create: "Regel anlegen",
    save: "Änderungen speichern",
    cancel: "Abbrechen",
    unchanged: "Noch wurde nichts geändert.",
    type: "Wonach gesucht wird",
    typeStays: "Die Art einer Regel ändert sich nie. Für eine andere Art legen Sie eine andere Regel an.",
    name: "Name",
    nameHint: "Alarme tragen ihn, auch in E-Mails und Webhooks.",
    enabled: "Aktiv",
    enabledHint: "Inaktiv bleibt die Regel erhalten und überwacht nichts.",
    what: "Wann ein Alarm ausgelöst wird",
    which: "Welche Ereignisse",
    whichHint: "Alle, wenn Sie es nicht eingrenzen.",
    often: "Wie oft",
    patterns: "Aktionen, die zählen",
    patternsHint: "Ein Muster je Zeile; * steht für beliebige Zeichen, wie in *.deleted.",
    threshold: "Wie viele",
    destructiveHint: "1 bis 1.000 solche Aktionen.",
    repeatedHint: "2- bis 1.000-mal.",
    within: "Innerhalb von",
    withinHint: "Höchstens ein Tag.",
    scope: "Gezählt für",
    scopeHint: "Zusammen findet, was mehrere Konten abwechselnd tun.",
    scopes: { actor: "jeden Akteur einzeln", workspace: "alle Akteure zusammen" },
    window: "Zeitfenster",
    windowHint: "Seine Ereignisse werden mit dem Mittel der Stunde davor verglichen.",
    factor: "Vielfaches des Mittels",
    factorHint: "Mehr als 1; 5 heißt fünfmal so viele wie üblich.",
    minimum: "Mindestens Ereignisse",
    minimumHint: "Weniger in einem Zeitfenster sind nie eine Spitze, damit eine ruhige Nacht keine ergibt.",
    timezone: "Zeitzone",
    timezoneHint: "Ein Name wie Europe/Berlin. Die Sommerzeit wird berücksichtigt.",
    days: "Arbeitstage",
    noDays: "Ohne Arbeitstag gilt jede Aktion als außerhalb der Geschäftszeiten.",
    start: "Arbeitsbeginn",
    end: "Arbeitsende",
    startHint: "Die erste Minute der Arbeit.",
    endHint: "Die erste Minute danach; vor dem Beginn: am nächsten Tag.",
    action: "Nur Aktionen",
    actionHint: "Ein Muster wie document.* oder *.exported; leer für alle.",
    tenant: "Nur Mandant",
    tenantHint: "Die ID eines Mandanten; leer für alle.",
    cooldown: "Pause nach einem Alarm",
    cooldownHint:
      "So lange löst derselbe Akteur durch diese Regel keinen weiteren Alarm aus; höchstens eine Woche, 0 für keine Pause.",
    unitOf: (field) => `${field}: Einheit`,
    units: { second: "Sekunden", minute: "Minuten", hour: "Stunden", day: "Tage" },
    faults: {
      required: () => "Geben Sie einen Namen an.",
      long: (_, most) => `Höchstens ${most} Zeichen.`,
      between: (least, most) => `Eine ganze Zahl von ${least} bis ${most}.`,
      factor: (_, most) => `Eine Zahl über 1, höchstens ${most}.`,
      span: (least, most) => `Ganze Sekunden, von ${least} bis ${most}.`,
      patterns: (_, most) => `1 bis ${most} Muster mit je höchstens 256 Zeichen.`,
      timezone: () => "Diese Zeitzone ist nicht bekannt. Wählen Sie eine aus der Liste, etwa Europe/Berlin.",
      time: () => "Eine Uhrzeit wie 09:00.",
      kept: () =>
        "Ein Mandant lässt sich ersetzen, aber nicht aufheben. Für eine Regel ohne Mandant legen Sie eine andere an.",
      keptAction: () =>
        "Ein Muster lässt sich ersetzen, aber nicht aufheben. Für jede Aktion geben Sie * ein."
    }
  },
  trial: {
    title: "Was sie ausgelöst hätte",
    hint: "Die Regel, wie sie im Formular steht, über das ganze Protokoll. Nichts wird gespeichert, niemand wird benachrichtigt.",
    running: "Sie wird auf das Protokoll angewendet …",
    unfinished: "Berichtigen Sie das Formular, um es zu sehen.",
    noEvents: "Noch ist nichts aufgezeichnet, woran sie sich erproben ließe.",
    none: (events) => `Sie hätte über ${events} Ereignisse keinen Alarm ausgelöst`,
    some: (count, alerts, events) =>
      `Sie hätte über ${events} Ereignisse ${alerts} ${count === 1 ? "Alarm" : "Alarme"} ausgelöst`,
    recent: (alerts) => `, ${alerts} in den letzten 7 Tagen`,
    more: (alerts, events) =>
      `Sie hätte über die ersten ${events} Ereignisse mehr als ${alerts} Alarme ausgelöst`,
    moreHint:
      "Gezeigt werden die ersten davon. Eine Regel, die so viele auslöst, wird bald nicht mehr beachtet: Grenzen Sie sie ein.",
    alerts: "Alarme",
    events: "Ereignisse",
    upTo: (most) => `bis ${most}`,
    bar: (at, alerts, events) => `${at} – Alarme: ${alerts}, Ereignisse: ${events}`,
    plot: (alerts, from, to, most, at) =>
      `${alerts} Alarme von ${from} bis ${to}; die meisten auf einmal, ${most}, um ${at}`,
    first: "Die ersten Alarme",
    rest: (count, formatted) => (count === 1 ? "und ein weiterer" : `und ${formatted} weitere`),
    event: "Ereignis"
  }
}
