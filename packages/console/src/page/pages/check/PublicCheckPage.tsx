/** The page at `/verify`: the check for anybody, without a session and without a request. */
import { type Language, LanguageContext } from "@cairn/ui/locale"
import { PartsTextsContext, partsTextsOf } from "@cairn/ui/parts"
import { useEffect } from "preact/hooks"
import { useTexts } from "../../locale/Texts.ts"
import { checkTexts } from "./CheckTexts.ts"
import { EvidenceCheck } from "./EvidenceCheck.tsx"

/**
 * All that the page needs is loaded. From now on the browser loads nothing for it any more, not even from the
 * service: this policy comes on top of the one that the page was served with.
 */
const closeDoors = (): void => {
  const policy = document.createElement("meta")
  policy.httpEquiv = "Content-Security-Policy"
  policy.content = "default-src 'none'; base-uri 'none'; form-action 'none'"
  document.head.append(policy)
}

const Page = () => {
  const texts = useTexts(checkTexts)
  useEffect(() => {
    document.title = `${texts.title} · Cairn`
  }, [])
  return (
    <>
      <header class="check-top">
        <a class="brand" href="/">
          Cairn
        </a>
      </header>
      <main class="check-alone" id="content">
        <header class="page-head">
          <div>
            <h1>{texts.title}</h1>
            <p class="muted">{texts.hint}</p>
          </div>
        </header>
        <EvidenceCheck loaded={closeDoors}>
          <p>
            {texts.here} {texts.nothingSent}
          </p>
        </EvidenceCheck>
      </main>
    </>
  )
}

/** The page, in a language. */
export const PublicCheckPage = ({ language }: { readonly language: Language }) => (
  <LanguageContext.Provider value={language}>
    <PartsTextsContext.Provider value={partsTextsOf(language.locale)}>
      <Page />
    </PartsTextsContext.Provider>
  </LanguageContext.Provider>
)
