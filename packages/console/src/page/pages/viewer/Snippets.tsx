/** What is copied into the product. */
import { Card, Secret, SelectField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useTexts } from "../../locale/Texts.ts"
import {
  CODE_LANGUAGES,
  type CodeLanguage,
  elementSnippet,
  type Looks,
  serverSnippet,
  type TokenInput
} from "./ViewerSnippets.ts"
import { viewerTexts } from "./ViewerTexts.ts"

/** The card. */
export const Snippets = ({ looks, input }: { readonly looks: Looks; readonly input: TokenInput }) => {
  const texts = useTexts(viewerTexts)
  const [language, setLanguage] = useState<CodeLanguage>("curl")
  return (
    <Card title={texts.embed} hint={texts.embedHint}>
      <div class="viewer-stack">
        <h3 class="viewer-heading">{texts.html}</h3>
        <Secret label={texts.html} text={elementSnippet(location.origin, looks)} />
        <div class="viewer-language">
          <SelectField
            label={texts.code}
            hint={texts.codeHint}
            value={language}
            change={setLanguage}
            options={CODE_LANGUAGES.map((each) => [each, texts.codeLanguages[each]])}
          />
        </div>
        <Secret
          label={texts.codeLanguages[language]}
          text={serverSnippet(language, location.origin, input)}
        />
      </div>
    </Card>
  )
}
