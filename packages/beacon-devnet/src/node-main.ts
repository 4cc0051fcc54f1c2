import { setActivePreset } from '@lodestar/params/setPreset'
import type { BeaconDevnetOptions } from './options.ts'
import type { Reply, Request } from './remote.ts'

/** A preset applies to a whole process and must be set before Lodestar is loaded. */
const send = (reply: Reply): void => {
  process.send?.(reply)
}

const start = async (options: BeaconDevnetOptions) => {
  setActivePreset((options.preset ?? 'minimal') as never, options.presetValues as never)
  const { startNode } = await import('./node.ts')
  return startNode(options)
}

type Node = Awaited<ReturnType<typeof start>>
let node: Node | undefined

const answer = async ({ method, args }: Request): Promise<unknown> => {
  if (method === 'start') {
    node = await start(args[0] as BeaconDevnetOptions)
    return node.urls
  }
  if (!node) throw new Error('the chain is not started')
  const command = node.commands[method] as (...args: readonly unknown[]) => unknown
  return command(...args)
}

process.on('message', (request: Request) => {
  answer(request).then(
    (result) => send({ id: request.id, result }),
    (error: Error) => send({ id: request.id, error: error.stack ?? error.message }),
  )
})
// The parent process has ended.
process.on('disconnect', () => process.exit())
