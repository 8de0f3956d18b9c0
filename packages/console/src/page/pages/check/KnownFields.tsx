/** What the person knows from elsewhere: keys, the account, blocks, the chain. */
import { Card, NumberField, SelectField, TextArea, TextField } from "@cairn/ui/parts"
import { visibleText } from "@cairn/ui/text"
import { useTexts } from "../../locale/Texts.ts"
import { checkTexts } from "./CheckTexts.ts"
import type { ChainChoice, KnownFaults, KnownTexts } from "./KnownTexts.ts"

const CHAINS: ReadonlyArray<ChainChoice> = ["base", "base_sepolia", "other"]

/** Characters of a wrong text that are shown. */
const SHOWN = 120

/** The fields; what is wrong stands at its field. */
export const KnownFields = ({
  known,
  faults,
  change
}: {
  readonly known: KnownTexts
  readonly faults: KnownFaults
  readonly change: (changes: Partial<KnownTexts>) => void
}) => {
  const texts = useTexts(checkTexts)
  const { fields, chains } = texts
  const fault = (field: keyof KnownFaults): { readonly error?: string } => {
    const text = faults[field]
    return text === undefined ? {} : { error: texts.faults[field](visibleText(text, SHOWN)) }
  }
  return (
    <Card title={texts.known} hint={texts.knownHint}>
      <div class="form check-known">
        <TextArea
          {...fields.keys}
          {...fault("keys")}
          rows={2}
          value={known.keys}
          change={(keys) => change({ keys })}
        />
        <TextArea
          {...fields.blocks}
          {...fault("blocks")}
          rows={2}
          value={known.blocks}
          change={(blocks) => change({ blocks })}
        />
        <TextField
          {...fields.address}
          {...fault("address")}
          value={known.address}
          change={(address) => change({ address })}
        />
        <div class="check-chain">
          <SelectField
            {...fields.chain}
            value={known.chain}
            change={(chain) => change({ chain })}
            options={CHAINS.map((chain) => [chain, chains[chain]])}
          />
          {known.chain === "other" && (
            <NumberField
              {...fields.otherChain}
              {...fault("otherChain")}
              min={1}
              value={known.otherChain}
              change={(otherChain) => change({ otherChain })}
            />
          )}
        </div>
      </div>
    </Card>
  )
}
