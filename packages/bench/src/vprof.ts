import { createReadStream } from "node:fs"
import { layerTools, verifyEvidence } from "@cairn/verifier"
import { Effect, Stream } from "effect"
const verify = () => Effect.runPromise(verifyEvidence(Stream.fromAsyncIterable(createReadStream("/tmp/b100k.gz"), (e) => e)).pipe(Effect.provide(layerTools)))
for (let i = 0; i < 6; i++) { const c = process.cpuUsage(); const s = performance.now(); const r = await verify(); const d = process.cpuUsage(c); console.log(r.verdict, r.counts.events, (performance.now() - s).toFixed(0), "user", d.user/1000|0) }
