// `metered-node.ts <URL of a node> [--distance 100]`: a node with added latency in ms, to compare any program. Enter
// prints the traffic since the last print. Ctrl-C ends it.
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { startTrafficMeter } from './traffic-meter.ts'

const {
  values: { distance },
  positionals: [target],
} = parseArgs({ options: { distance: { type: 'string', default: '100' } }, allowPositionals: true })
if (target === undefined) throw new Error('which node? metered-node.ts <URL> [--distance <ms>]')

const meter = await startTrafficMeter(target, Number(distance))
console.log(`${meter.url} is ${target}, ${distance} ms away`)
for await (const _ of createInterface({ input: process.stdin })) {
  const { requests, calls, bytesUp, bytesDown } = meter.traffic()
  console.log(`${requests} requests, ${calls} calls, ${bytesUp} bytes up, ${bytesDown} bytes down`)
  meter.reset()
}
await meter.stop()
