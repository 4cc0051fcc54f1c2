import { setActivePreset } from '@lodestar/params/setPreset'
import type { BeaconDevnetOptions } from './options.ts'
import type { Reply, Request } from './remote.ts'

/** The process that a chain runs in: a preset holds for all of a process, and has to be chosen before Lodestar is loaded. */
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
// Whoever started it is gone.
process.on('disconnect', () => process.exit())
