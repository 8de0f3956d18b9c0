// Exits with 0 if the server of this container responds, for HEALTHCHECK.
const { CAIRN_PORT = "8787" } = process.env
const healthy = await fetch(`http://127.0.0.1:${CAIRN_PORT}/healthz`).then(
  ({ ok }) => ok,
  () => false
)
process.exitCode = healthy ? 0 : 1
