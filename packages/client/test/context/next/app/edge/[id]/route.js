import { withAudit } from "@cairn/client/next"
import { pay } from "../../../lib/audit.js"

export const runtime = "edge"

export const POST = withAudit(
  { actor: (request) => ({ id: request.cookies.get("user").value }), proxies: 1 },
  async (_request, { params }) => {
    const { id } = await params
    await pay(id)
    return Response.json({ id })
  }
)
