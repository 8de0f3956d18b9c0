import { GeoIp } from "@cairn/core"
import { MaxmindGeoIp } from "@cairn/geo"
import { Effect } from "effect"
const dir = "/work/shared/vectors/geoip/test-data/"
await Effect.runPromise(Effect.gen(function* () {
  const { lookup } = yield* GeoIp
  for (const a of ["81.2.69.142", "2a02:d280::1", "10.0.0.1", "8.8.8.8"]) {
    for (let i = 0; i < 20000; i++) lookup(a)
    const s = performance.now(); for (let i = 0; i < 200000; i++) lookup(a)
    console.log(a, ((performance.now() - s) / 200).toFixed(2), "us")
  }
}).pipe(Effect.provide(MaxmindGeoIp.layer({ files: [dir + "GeoIP2-City-Test.mmdb"] }))))
console.log("exits by itself")
