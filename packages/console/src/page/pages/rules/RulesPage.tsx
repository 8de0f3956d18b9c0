/** The rules that raise alerts: their list, a new one, and one of them. */
import "./rules.css"
import { useRoute } from "preact-iso"
import { NewRule } from "./NewRule.tsx"
import { OneRule } from "./OneRule.tsx"
import { RuleList } from "./RuleList.tsx"

/** The page. */
const RulesPage = () => {
  const { id = "" } = useRoute().params
  if (id === "") return <RuleList />
  return id === "new" ? <NewRule /> : <OneRule key={id} id={id} />
}

export default RulesPage
