import { withAudit } from "@cairn/client/next"
import { headers } from "next/headers"
import { pay } from "../../lib/audit.js"

/** A server action has no request: its headers are enough. */
const paying = withAudit({ actor: () => ({ id: "grace" }), proxies: 1 }, (_request, name) => pay(name))

const act = async (form) => {
  "use server"
  await paying({ headers: await headers() }, form.get("name"))
}

export default function Page() {
  return (
    <form action={act}>
      <input name="name" />
    </form>
  )
}
