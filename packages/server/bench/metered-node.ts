// A node from afar, for any program that is to be compared: `metered-node.ts <URL of a node> [--distance 100]` passes on what
// it is asked, each request so many ms later. Enter prints what has passed since the last one. Ctrl-C ends it.
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
