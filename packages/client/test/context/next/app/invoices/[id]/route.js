import { setAuditContext } from "@cairn/client/context"
import { withAudit } from "@cairn/client/next"
import { cookies } from "next/headers"
import { after } from "next/server"
import { pay, sent } from "../../../lib/audit.js"

export const POST = withAudit(
  { tenant: (request) => request.nextUrl.searchParams.get("tenant"), proxies: 1 },
  async (request, { params }) => {
    const { id } = await params
    // Who it is is known only now, behind an await.
    setAuditContext({ actor_id: (await cookies()).get("user").value })
    await request.json()
    await pay(id)
    after(() => sent(id))
    return Response.json({ id })
  }
)
