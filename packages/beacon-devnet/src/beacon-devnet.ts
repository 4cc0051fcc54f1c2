import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { BeaconDevnetOptions } from './options.ts'
import type { Commands, Reply, Request, Urls } from './remote.ts'

/** Ends with this process at the latest. */
export type BeaconDevnet = Commands & Urls & { stop(): Promise<void> }

type Waiting = { resolve(result: unknown): void; reject(error: Error): void }

const METHODS: readonly (keyof Commands)[] = [
  'advance',
  'play',
  'head',
  'setFaults',
  'takeRequests',
  'truth',
  'residentBytes',
]

const talkTo = (child: ChildProcess) => {
  const waiting = new Map<number, Waiting>()
  let asked = 0
  child.on('message', (reply: Reply) => {
    const one = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) one?.reject(new Error(reply.error))
    else one?.resolve(reply.result)
  })
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`the beacon chain ended with ${signal ?? code}`))
    waiting.clear()
  })
  return (method: Request['method'], args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = asked++
      waiting.set(id, { resolve, reject })
      child.send({ id, method, args } satisfies Request)
    })
}

/** Advances only on command. The same options and plans make the same chain. */
export const startBeaconDevnet = async (options: BeaconDevnetOptions): Promise<BeaconDevnet> => {
  const child = fork(join(import.meta.dirname, 'node-main.ts'), { serialization: 'advanced', execArgv: [] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ask = talkTo(child)
  const stop = async () => {
    if (child.connected) child.disconnect()
    await ended
  }
  try {
    const urls = (await ask('start', [options])) as Urls
    const commands = Object.fromEntries(
      METHODS.map((method) => [method, (...args: readonly unknown[]) => ask(method, args)]),
    ) as unknown as Commands
    return { ...commands, ...urls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
