/** German. */
import { html } from "../Html.ts"
import type { Texts } from "./TextTable.ts"

export const de: Texts = {
  tagline: "Audit-Protokoll",
  footer: (host) => html`Cairn, das Audit-Protokoll unter ${host}`,
  errorTitle: (title) => `Fehler: ${title}`,
  or: "oder",
  signIn: {
    title: "Anmelden",
    continueWith: (provider) => html`Weiter mit ${provider}`,
    email: "E-Mail-Adresse",
    emailHint: "Wir senden Ihnen einen Link, der Sie anmeldet. Sie brauchen kein Passwort.",
    sendLink: "Link senden",
    operatorOnly: (link, member) =>
      html`Dieser Dienst verschickt keine E-Mails. Bitten Sie den Betreiber um einen Link; er erstellt ihn mit
        ${link} und zuvor ein Mitglied mit ${member}`,
    check: "Eine Nachweisdatei ohne Anmeldung prüfen"
  },
  hints: {
    signed_out: "Sie sind abgemeldet.",
    session_ended: "Ihre Sitzung wurde beendet. Melden Sie sich erneut an, um fortzufahren.",
    session_expired: "Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an, um fortzufahren.",
    session_idle:
      "Ihre Sitzung ist beendet, weil sie eine Weile nicht benutzt wurde. Melden Sie sich erneut an, um fortzufahren.",
    sign_in_first: "Melden Sie sich an, um fortzufahren.",
    address_invalid: "Geben Sie eine Adresse wie ada@example.com ein."
  },
  provider: "Der Identitätsanbieter",
  refusals: {
    link_unknown: () => ({
      title: "Dieser Link ist nicht gültig",
      text: html`Vielleicht wurde er beim Kopieren abgeschnitten, oder er ist zu alt. Fordern Sie einen neuen
        an.`
    }),
    link_expired: () => ({
      title: "Dieser Link ist abgelaufen",
      text: html`Links gelten nur eine begrenzte Zeit. Fordern Sie einen neuen an.`
    }),
    link_spent: () => ({
      title: "Dieser Link gilt nicht mehr",
      text: html`Jeder Link meldet einmal an, und dieser wurde benutzt oder zurückgezogen. Wenn Sie ihn nicht
        benutzt haben, melden Sie sich mit einem neuen an und beenden Sie die Sitzungen, die Sie nicht kennen.`
    }),
    provider_denied: (provider) => ({
      title: "Sie wurden nicht angemeldet",
      text: html`${provider} hat es nicht erlaubt, oder es wurde dort abgebrochen. Versuchen Sie es erneut, oder
        fragen Sie, wer Ihr Konto dort verwaltet.`
    }),
    provider_unreachable: (provider) => ({
      title: "Die Anmeldung geht zurzeit nicht",
      text: html`${provider} antwortet nicht. Versuchen Sie es in ein paar Minuten erneut.`
    }),
    address_not_confirmed: (provider) => ({
      title: "Ihre Adresse ist nicht bestätigt",
      text: html`${provider} sagt nicht, dass Ihre E-Mail-Adresse Ihnen gehört. Bestätigen Sie sie dort, und
        versuchen Sie es erneut.`
    }),
    other_account: (provider) => ({
      title: "Das ist ein anderes Konto",
      text: html`Mit Ihrer Adresse wurde bisher ein anderes Konto bei ${provider} angemeldet. Melden Sie sich
        mit diesem an, oder fragen Sie den Betreiber dieses Dienstes.`
    }),
    took_too_long: () => ({
      title: "Die Anmeldung hat zu lange gedauert",
      text: html`Sie wurde nicht rechtzeitig beendet oder in einem anderen Browser begonnen. Beginnen Sie von
        vorn.`
    })
  },
  noMembership: {
    title: "Sie sind kein Mitglied",
    text: (address) =>
      html`${address} ist in keinem Arbeitsbereich Mitglied, oder nicht mehr. Bitten Sie einen Admin Ihres
        Arbeitsbereichs um eine Einladung, oder melden Sie sich mit einer anderen Adresse an.`,
    yourAddress: "Ihre Adresse"
  },
  mailSent: {
    title: "Sehen Sie in Ihr Postfach",
    sent: (address) => html`Wenn ${address} einem Mitglied gehört, ist ein Link dorthin unterwegs.`,
    life: (duration) => `Er gilt ${duration} und nur einmal, und er meldet den Browser an, der ihn öffnet.`,
    nothingCame: "Nichts angekommen?",
    steps: [
      "Warten Sie eine Minute, und sehen Sie dann im Spam-Ordner nach.",
      "Prüfen Sie, ob die Adresse oben stimmt.",
      "Fragen Sie einen Admin Ihres Arbeitsbereichs, ob diese Adresse Mitglied ist."
    ],
    again: "Noch einen Link senden",
    otherAddress: "Andere Adresse verwenden"
  },
  link: {
    title: "Anmelden",
    heading: (address) => html`Als ${address} anmelden`,
    invitation: "Sie wurden in diesen Arbeitsbereich eingeladen.",
    other: (address) => html`In diesem Browser ist ${address} angemeldet und wird abgemeldet.`,
    button: "Anmelden",
    once: "Der Link gilt einmal: dieser Knopf verbraucht ihn.",
    notYou: {
      title: "Waren Sie das nicht?",
      text: "Dann schließen Sie diese Seite. Ohne den Knopf geschieht nichts, und der Link läuft von selbst ab."
    }
  },
  setup: {
    title: "Cairn einrichten",
    intro: "Hier hat noch kein Arbeitsbereich einen Eigentümer. Werden Sie es, und Sie sind angemeldet.",
    workspaceName: "Name des Arbeitsbereichs",
    workspaceNameHint:
      "Jeder Arbeitsbereich hat sein eigenes Audit-Protokoll. Den Namen können Sie später ändern.",
    workspaceChoiceHint:
      "Sie werden der Eigentümer dieses Arbeitsbereichs und können dann andere hinzufügen.",
    emailHint: "Ihre eigene. Mit ihr melden Sie sich von nun an an.",
    name: "Ihr Name",
    nameHint: "So steht er im Protokoll neben dem, was Sie ändern. Sie können ihn weglassen.",
    button: "Einrichten und anmelden",
    once: "Der Link gilt einmal: dieser Knopf verbraucht ihn.",
    faults: {
      workspace_name: "Geben Sie einen Namen mit 1 bis 1.024 Zeichen ein.",
      workspace_choice: "Es gibt inzwischen andere Arbeitsbereiche. Wählen Sie einen aus.",
      email: "Geben Sie eine Adresse wie ada@example.com ein.",
      name: "Geben Sie einen Namen mit höchstens 1.024 Zeichen ein, oder keinen."
    },
    emailTaken: (command) =>
      html`Der Arbeitsbereich hat schon ein Mitglied mit dieser Adresse. Der Betreiber macht es zum Eigentümer mit
        ${command}`,
    refusals: {
      unknown: {
        title: "Dieser Link ist nicht gültig",
        text: (life) =>
          `Vielleicht wurde er beim Kopieren abgeschnitten, oder er ist älter als ${life}. Sehen Sie noch einmal in die Datei, die das Log des Dienstes beim letzten Start nennt.`
      },
      expired: {
        title: "Dieser Link ist abgelaufen",
        text: (life) =>
          `Ein Link zum Einrichten gilt ${life}. Starten Sie den Dienst neu: er schreibt einen neuen in die Datei.`
      },
      spent: {
        title: "Dieser Link gilt nicht mehr",
        text: (life) =>
          `Ein Link zum Einrichten gilt einmal und ${life}, und ein neuer Start des Dienstes ersetzt ihn. Sehen Sie noch einmal in die Datei, oder starten Sie den Dienst neu.`
      },
      done: {
        title: "Dieser Dienst ist eingerichtet",
        text: () =>
          "Ein Arbeitsbereich hat einen Eigentümer. Darum bewirken Links zum Einrichten nichts mehr."
      },
      other_browser: {
        title: "Es wurde nichts eingerichtet",
        text: (life) =>
          `Das Formular wurde in einem anderen Browser oder vor mehr als ${life} geöffnet. Öffnen Sie den Link in diesem noch einmal.`
      }
    },
    askOperator: (command) =>
      html`Wenn Sie der Eigentümer sind, melden Sie sich an. Der Betreiber erstellt einen Link dafür mit ${command}`
  },
  https: {
    title: "Die Anmeldung braucht https",
    why: (address) =>
      html`Sie haben ${address} geöffnet, und das ist nicht verschlüsselt. Ihre Sitzung könnte unterwegs gelesen
        und benutzt werden. Darum wird hier niemand angemeldet.`,
    openInstead: (address) => html`${address} öffnen`,
    operator: "Für den Betreiber dieses Dienstes",
    setting: (setting) =>
      html`Setzen Sie ${setting} auf die https-Adresse dieses Dienstes. Steht schon ein Proxy mit TLS davor,
        fehlt sonst nichts.`,
    proxy:
      "Sonst stellen Sie einen davor. Caddy besorgt sich das Zertifikat selbst; dies ist sein ganzes Caddyfile:",
    exampleName: (name) => html`${name} steht für einen Namen, der zu diesem Rechner führt.`,
    onMachine: "Auf dem Rechner des Dienstes",
    openThere: (address) => html`Öffnen Sie dort ${address} in einem Browser.`,
    elsewhere: "Von Ihrem eigenen Rechner aus, über SSH",
    tunnel: "Führen Sie dies aus, und lassen Sie es laufen:",
    thenOpen: (address) => html`Öffnen Sie dann ${address} in Ihrem Browser.`
  },
  account: {
    title: "Ihr Konto",
    signedInAs: (address) => html`Sie sind als ${address} angemeldet.`,
    console: "Zurück zur Konsole",
    signOut: "Abmelden",
    workspaces: "Arbeitsbereiche",
    noWorkspaces: "Sie sind in keinem Arbeitsbereich Mitglied. Bitten Sie einen Admin um eine Einladung.",
    accessEnds: (time) => html`Zugang bis ${time}`,
    sessions: "Sitzungen",
    sessionsHint: "Wo Sie angemeldet sind. Beenden Sie jede Sitzung, die Sie nicht kennen.",
    thisSession: "Diese Sitzung",
    address: "Adresse",
    notKnown: "nicht bekannt",
    method: "Angemeldet über",
    began: "Begonnen",
    lastUsed: "Zuletzt benutzt",
    end: "Beenden",
    endOf: (session) => html` der Sitzung: ${session}`,
    endOthers: "Alle anderen Sitzungen beenden",
    device: (browser, system) => `${browser} auf ${system}`,
    unknownDevice: "Unbekannter Browser",
    done: {
      session_ended: "Die Sitzung ist beendet.",
      others_ended: "Alle anderen Sitzungen sind beendet."
    }
  },
  role: "Rolle",
  workspace: "Arbeitsbereich",
  roles: {
    owner: "Eigentümer",
    admin: "Admin",
    developer: "Entwickler",
    auditor: "Prüfer",
    member: "Mitglied"
  },
  roleMeanings: {
    owner: "darf alles",
    admin: "darf alles, außer Eigentümer zu ändern",
    developer: "richtet Schlüssel, Regeln, Webhooks und Protokollströme ein",
    auditor: "liest, prüft und exportiert, und ändert nichts",
    member: "liest das Protokoll"
  },
  methods: {
    mail: "Link per E-Mail",
    oidc: "Identitätsanbieter",
    operator: "Link des Betreibers"
  },
  lost: {
    title: "Diese Seite gibt es nicht",
    text: "Vielleicht wurde die Adresse beim Kopieren abgeschnitten, oder die Seite gibt es nicht mehr.",
    home: "Zur ersten Seite"
  },
  signedOut: {
    title: "Sie sind abgemeldet",
    text: "Die Sitzung in diesem Browser ist beendet.",
    again: "Erneut anmelden"
  },
  tooMany: {
    title: "Zu viele Versuche",
    text: "Warten Sie ein paar Minuten, und versuchen Sie es erneut.",
    wait: (duration) => `Warten Sie ${duration}, und versuchen Sie es erneut.`
  },
  failed: {
    title: "Etwas ist schiefgegangen",
    text: "Der Dienst konnte das nicht ausführen. Versuchen Sie es in einer Minute erneut. Geschieht es wieder, nennen Sie dem Betreiber des Dienstes diese ID.",
    requestId: "ID der Anfrage"
  },
  origin: {
    title: "Es wurde nichts ausgeführt",
    text: "Die Anfrage kam nicht von einer Seite dieses Dienstes. Öffnen Sie die Seite hier, und versuchen Sie es erneut."
  },
  toSignIn: "Zur Anmeldung"
}
