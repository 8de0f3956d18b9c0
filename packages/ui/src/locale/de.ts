/** German. */
import type { Messages } from "./MessageTable.ts"
import { deSentences } from "./sentences/de.ts"

export const de: Messages = {
  title: "Audit-Protokoll",
  loading: "Wird geladen …",
  retry: "Erneut versuchen",
  close: "Schließen",
  refresh: "Aktualisieren",
  previous: "Neueres Ereignis",
  next: "Älteres Ereignis",
  filters: "Filter",
  clearFilters: "Filter zurücksetzen",
  remove: (label) => `Filter entfernen: ${label}`,
  conditions: {
    search: "Suche",
    action: "Aktion",
    actor_id: "Akteur",
    resource: "Art der Ressource",
    resource_id: "Ressource",
    resource_name: "Name der Ressource",
    session_id: "Sitzung",
    tenant_id: "Mandant",
    target_type: "Art des Ziels",
    target_id: "Ziel",
    category: "Kategorie",
    country: "Land",
    from: "Von",
    to: "Bis"
  },
  period: "Zeitraum",
  periods: {
    all: "Gesamter Zeitraum",
    hour: "Letzte Stunde",
    day: "Letzte 24 Stunden",
    today: "Heute",
    yesterday: "Gestern",
    week: "Letzte 7 Tage",
    this_week: "Diese Woche (ab Mo)",
    last_week: "Letzte Woche (Mo–So)",
    month: "Letzte 30 Tage",
    this_month: "Dieser Monat",
    last_month: "Letzter Monat",
    quarter: "Letzte 90 Tage",
    custom: "Eigener"
  },
  filter: {
    label: "Suchen und filtern",
    placeholder: "Suchen oder filtern: Akteur, Aktion …",
    fields: {
      actor: "Akteur",
      action: "Aktion",
      resource: "Ressource",
      target: "Ziel",
      session: "Sitzung",
      country: "Land",
      category: "Kategorie",
      tenant: "Mandant"
    },
    hints: {
      actor: "Name oder ID",
      action: "document, *.deleted, document.*",
      resource: "Art, Name oder ID",
      target: "Name, ID oder Art",
      session: "ID",
      country: "Name oder Kürzel",
      category: "etwa access",
      tenant: "ID"
    },
    suggestions: "Vorschläge",
    found: (count, formatted) => `${formatted} ${count === 1 ? "Vorschlag" : "Vorschläge"}`,
    none: "Keine Vorschläge",
    searchFor: "Suchen nach",
    below: "und alles, was so beginnt",
    ending: "alles, was so endet",
    byId: "nach ID",
    counted: (events, complete) =>
      complete ? `Gezählt in allen ${events} Ereignissen` : `Gezählt in den neuesten ${events} Ereignissen`,
    full: (most) => `Mehr als ${most} Werte sind nicht möglich.`,
    starNotes: {
      action: "* wirkt am Anfang oder am Ende: user.* oder *.deleted",
      search: "Findet den Text überall; * ist nicht nötig",
      whole: "Wird als Ganzes verglichen: * ist hier ein gewöhnliches Zeichen"
    },
    or: "oder",
    and: "und",
    only: {
      actor: "Nur dieser Akteur",
      action: "Nur diese Aktion",
      resource: "Nur diese Ressource",
      session: "Nur diese Sitzung"
    },
    named: "Zeiträume",
    date: "Datum",
    time: "Uhrzeit",
    monthBefore: "Monat davor",
    monthAfter: "Monat danach",
    zone: (name) => `Zeiten in ${name}.`,
    wrongOrder: "Das Ende liegt vor dem Anfang.",
    apply: "Anwenden"
  },
  columns: {
    verification: "Prüfung",
    actor: "Akteur",
    action: "Aktion",
    resource: "Ressource",
    place: "Ort"
  },
  showRelative: "Relative Zeiten zeigen",
  showAbsolute: "Genaue Zeiten zeigen",
  counting: "Wird gezählt …",
  total: (count, formatted) => `${formatted} ${count === 1 ? "Ereignis" : "Ereignisse"}`,
  activity: "Aktivität",
  activityHint: "Einen Zeitraum wählen: über das Diagramm ziehen, oder mit Pfeiltasten und Eingabetaste.",
  activitySummary: (total, from, to, most, at) =>
    `${total} Ereignisse von ${from} bis ${to}; die meisten, ${most}, um ${at}`,
  empty: "Noch ist nichts geschehen",
  emptyHint: "Ereignisse erscheinen hier, kurz nachdem sie aufgezeichnet wurden.",
  emptyFiltered: "Kein Ereignis passt",
  emptyFilteredHint: "Filter ändern oder zurücksetzen, um mehr zu sehen.",
  expired: "Diese Ansicht ist abgelaufen",
  expiredHint: "Laden Sie die Seite, von der Sie kommen, neu.",
  missing: "Diese Ansicht wurde ohne Zugang geöffnet",
  missingHint: "Öffnen Sie sie aus dem Produkt, das sie Ihnen zeigt.",
  refused: "Diese Ansicht darf nicht gezeigt werden",
  refusedHint: "Ihr Zugang umfasst das Lesen dieses Audit-Protokolls nicht.",
  elsewhere: "Diese Ansicht darf hier nicht gezeigt werden",
  elsewhereHint: "Dieses Audit-Protokoll darf von Ihrer Netzwerkadresse aus nicht gelesen werden.",
  invalid: (condition) =>
    condition === undefined ? "Der Filter ist ungültig" : `Der Filter ist ungültig: ${condition}`,
  invalidHint: "Damit lässt sich nichts suchen. Ändern oder entfernen Sie ihn.",
  gone: "Dieses Ereignis ist nicht hier",
  goneHint: "Es gibt es nicht, es wird nicht mehr aufbewahrt, oder Sie dürfen es nicht sehen.",
  failed: "Das Audit-Protokoll ist nicht erreichbar",
  failedHint: "Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
  busy: (seconds) => `Zu viele Anfragen. Neuer Versuch in ${seconds} s.`,
  unavailable: (seconds) => `Der Dienst kann gerade nicht antworten. Neuer Versuch in ${seconds} s.`,
  byCairn: "Von Cairn selbst aufgezeichnet",
  marks: {
    checking: "Wird geprüft",
    proven: "Geprüft",
    broken: "Prüfung fehlgeschlagen",
    unchecked: "Nicht geprüft"
  },
  provenStatement: (sequence, size) =>
    `Was Sie sehen, ist genau das, was das Protokoll als Ereignis ${sequence} von ${size} enthält. Eine Änderung daran würde den Fingerabdruck des Protokolls ändern.`,
  provenHere: "Das hat Ihr Browser selbst berechnet, aus dem Ereignis und seinem Beweis.",
  signedBy: (key) => `Der Stand des Protokolls ist signiert von ${key}.`,
  notSigned:
    "Wer den Stand des Protokolls signiert hat, wurde nicht geprüft: dafür wurde kein Schlüssel angegeben.",
  anchoredIn: (id) =>
    `Es ist Teil des Ankers ${id}, dessen Wurzel für eine öffentliche Blockchain bestimmt ist.`,
  notAnchored: "Es ist noch in keinem Anker auf einer Blockchain.",
  brokenStatement:
    "Dieses Ereignis ist nicht das, was der Beweis des Protokolls enthält. Es wurde vielleicht nachträglich geändert.",
  uncheckedReasons: {
    no_hash: "Es wurde aufgezeichnet, bevor das Protokoll prüfbar wurde.",
    no_proof: "Es gibt noch keinen Beweis dafür. Er folgt kurz nach der Aufzeichnung.",
    unreachable: "Der Beweis konnte nicht geladen werden."
  },
  expected: "Erwartet",
  found: "Gefunden",
  log: "Protokoll",
  changes: "Änderungen",
  field: "Feld",
  before: "Vorher",
  after: "Nachher",
  absent: "nicht gesetzt",
  metadata: "Weitere Details",
  foundIn: (words, fields) => `„${words}“ wurde gefunden in: ${fields}.`,
  targets: "Auch betroffen",
  details: "Einzelheiten des Ereignisses",
  fields: {
    recorded: "Aufgezeichnet",
    occurred: "Geschehen",
    actor: "Akteur",
    resource: "Ressource",
    category: "Kategorie",
    place: "Ort",
    tenant: "Mandant",
    session: "Sitzung",
    id: "Ereignis-ID",
    version: "Version",
    idempotencyKey: "Idempotenzschlüssel",
    eventHash: "Hash",
    previousHash: "Hash des Ereignisses davor"
  },
  showMore: (count) => `${count} weitere zeigen`,
  copy: "Als JSON kopieren",
  copied: "Kopiert",
  copyFailed: "Kopieren nicht möglich",
  onlyThis: (label) => `Nur dies zeigen: ${label}`,
  live: {
    news: (count, formatted) => (count === 1 ? `${formatted} neues Ereignis` : `${formatted} neue Ereignisse`)
  },
  exportOf: {
    busy: (seconds) => `Der Dienst ist ausgelastet. In ${seconds} s noch einmal versuchen.`,
    as: (format) => `Als ${format} exportieren`,
    cancel: "Export abbrechen",
    saved: "Exportiert",
    failed: "Nicht exportiert",
    refused: "Dies darf nicht exportiert werden, oder die Exporte des Monats sind verbraucht."
  },
  verified: {
    checking: "Wird geprüft…",
    of: (count, proven, shown) =>
      `${proven} von ${shown} gezeigten ${count === 1 ? "Ereignis" : "Ereignissen"} geprüft`,
    next: "Eines zeigen, das nicht geprüft ist"
  },
  keys: {
    title: "Tastatur",
    single: "Einzelne Tasten sind Kurzbefehle",
    skip: "Zur Liste",
    toolbar: "Liste",
    copyLink: "Link kopieren",
    uses: {
      search: "Suchen",
      rows: "Nächstes und voriges Ereignis",
      open: "Das Ereignis öffnen, oder den Zeitraum wählen",
      close: "Das Ereignis schließen",
      help: "Diese Tasten"
    }
  },
  print: { printed: "Gedruckt", of: (rows, total) => `${rows} von ${total} Ereignissen` },
  clock: {
    byOccurrence: "Nach Geschehen ordnen",
    byRecording: "Nach Aufzeichnung ordnen",
    inUtc: "Zeiten in UTC zeigen",
    inLocal: "Zeiten in Ihrer Zone zeigen",
    other: { occurred: (at) => `Geschehen: ${at}`, recorded: (at) => `Aufgezeichnet: ${at}` }
  },
  sentence: deSentences,
  drawer: {
    technical: "Technische Einzelheiten",
    json: "Alles als JSON",
    added: "hinzugefügt",
    removed: "entfernt",
    changed: "geändert",
    showAll: (count) => `Alles zeigen, ${count} Zeichen`
  }
}
