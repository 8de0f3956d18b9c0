/** The API keys of the workspace: the list, a new one, and one of them. */
import "./keys.css"
import { useRoute } from "preact-iso"
import { KeyList } from "./KeyList.tsx"
import { NewKey } from "./NewKey.tsx"
import { OneKey } from "./OneKey.tsx"

/** The page, by what the address names. */
const KeysPage = () => {
  const { id } = useRoute().params
  if (id === undefined) return <KeyList />
  return id === "new" ? <NewKey /> : <OneKey key={id} id={id} />
}

export default KeysPage
