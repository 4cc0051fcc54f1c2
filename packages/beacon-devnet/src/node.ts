import type { bellatrix } from '@lodestar/types'
import { startApiServer } from './api/api-server.ts'
import type { BeaconChain, ChainEvent } from './chain/beacon-chain.ts'
import { startChain } from './chain/start-chain.ts'
import type { BeaconDevnetOptions } from './options.ts'
import type { Commands, Urls } from './remote.ts'
import { planOf } from './slot-plan.ts'

const payloadNumberOf = ({ store }: BeaconChain, root: string): number => {
  const body = store.block(store.slotOfRoot(root) ?? 0)?.signed.message.body
  return (body as bellatrix.BeaconBlockBody | undefined)?.executionPayload.blockNumber ?? 0
}

export const startNode = async (options: BeaconDevnetOptions) => {
  const listeners: ((event: ChainEvent) => void)[] = []
  const { chain, execution } = await startChain(options, (event) => {
    for (const listener of listeners) listener(event)
  })
  const api = await startApiServer(chain, { preset: options.preset ?? 'minimal', port: options.port ?? 0 })
  listeners.push(api.emit, (event) => {
    if (event.type === 'finalized_checkpoint') execution.setFinal(payloadNumberOf(chain, event.block))
  })
  const urls: Urls = { beacon: api.url, execution: execution.url ?? '' }
  const commands: Commands = {
    advance: async (slots, plan = {}) => {
      for (let slot = 0; slot < slots; slot++) await chain.advance(plan)
      return chain.head()
    },
    play: async (scenario, toSlot) => {
      while (chain.state().slot < toSlot) await chain.advance(planOf(scenario, chain.state().slot + 1))
      return chain.head()
    },
    head: async () => chain.head(),
    setFaults: async (faults) => api.setFaults(faults),
    takeRequests: async () => api.takeRequests(),
    truth: async (fromEpoch = 0) => chain.truth.epochs(fromEpoch),
    residentBytes: async () => process.memoryUsage.rss(),
  }
  return { urls, commands }
}
