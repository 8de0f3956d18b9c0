/** Whose events the viewer shows, for how long, and how it looks. */
import { Card, CheckField, SelectField, TextField } from "@cairn/ui/parts"
import { readColour } from "@cairn/ui/theme"
import type { Change } from "../../data/Read.ts"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import type { Looks, TokenInput } from "./ViewerSnippets.ts"
import { viewerTexts } from "./ViewerTexts.ts"

/** Lifetimes that are offered, in seconds. */
export const LIFETIMES = ["300", "900", "3600", "28800", "86400"] as const

/** What the form holds. */
export interface Choice extends Looks {
  readonly tenant: string
  readonly actor: string
  readonly ttl: (typeof LIFETIMES)[number]
  /** Whether its reader may export what it shows. */
  readonly exports: "" | "1"
}

const THEMES = ["", "light", "dark"] as const

/** Languages that the viewer has, by their own names. */
const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["ja", "日本語"]
] as const

/** Whether the accent is a colour, or left to the viewer. */
export const isAccent = (accent: string): boolean => accent === "" || readColour(accent) !== undefined

/** The form; `change` makes a token. */
export const TokenForm = ({
  choice,
  choose,
  input,
  change
}: {
  readonly choice: Choice
  readonly choose: (change: Partial<Choice>) => void
  readonly input: TokenInput
  readonly change: Change<TokenInput>
}) => {
  const texts = useTexts(viewerTexts)
  return (
    <Card title={texts.token} hint={texts.tokenHint}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          change.run(input)
        }}
      >
        <TextField
          label={texts.tenant}
          hint={texts.tenantHint}
          value={choice.tenant}
          change={(tenant) => choose({ tenant })}
          error={fieldFault(change.fault, "tenant_id")}
        />
        <TextField
          label={texts.actor}
          hint={texts.actorHint}
          value={choice.actor}
          change={(actor) => choose({ actor })}
          error={fieldFault(change.fault, "actor_id")}
        />
        <SelectField
          label={texts.lifetime}
          value={choice.ttl}
          change={(ttl) => choose({ ttl })}
          options={LIFETIMES.map((ttl) => [ttl, texts.lifetimes[ttl]])}
        />
        <CheckField
          label={texts.exports}
          hint={texts.exportsHint}
          value={choice.exports === "1"}
          change={(may) => choose({ exports: may ? "1" : "" })}
        />
        <h3 class="viewer-heading">{texts.looks}</h3>
        <SelectField
          label={texts.theme}
          value={choice.theme}
          change={(theme) => choose({ theme })}
          options={THEMES.map((theme) => [theme, texts.themes[theme === "" ? "system" : theme]])}
        />
        <SelectField
          label={texts.language}
          value={choice.locale}
          change={(locale) => choose({ locale })}
          options={[["", texts.browser], ...LANGUAGES]}
        />
        <TextField
          label={texts.accent}
          hint={texts.accentHint}
          value={choice.accent}
          change={(accent) => choose({ accent })}
          error={isAccent(choice.accent) ? undefined : texts.accentFault}
        />
        {choice.tenant === "" && choice.actor === "" && <p class="muted viewer-small">{texts.everything}</p>}
        <ChangeFault fault={change.fault} />
        <div class="actions">
          <button type="submit" class="primary" disabled={change.isRunning}>
            {texts.make}
          </button>
        </div>
        <p class="muted viewer-small">{texts.makeHint}</p>
      </form>
    </Card>
  )
}
