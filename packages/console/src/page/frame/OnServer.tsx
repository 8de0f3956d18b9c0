/** Says where a command of the operator runs. */
import { type Texts, useTexts } from "../locale/Texts.ts"

/** In each language. */
const onServerTexts: Texts<{ readonly where: string }> = {
  en: {
    where:
      "The command runs on the machine of the service, with the service’s settings (the same environment)."
  },
  de: {
    where:
      "Der Befehl läuft auf der Maschine des Dienstes, mit dessen Einstellungen (denselben Umgebungsvariablen)."
  },
  ja: { where: "コマンドは、サービスのマシン上で、サービスと同じ設定(同じ環境変数)で実行します。" }
}

/** The sentence; stands beside each `cairn …` that only the operator can run. */
export const OnServer = () => <>{useTexts(onServerTexts).where}</>
