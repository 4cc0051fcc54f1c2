import { NATIVE } from '../../../../domain/evm-address.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import type { Family, Instrument } from '../family.ts'
import { wstEthAbi } from './abi.ts'
import { type Deployment, deployment } from './deployment.ts'
import { lidoHistory } from './history.ts'
import { readRequests } from './requests.ts'
import { lidoRow } from './rows.ts'
import { withdrawalLens } from './withdrawal-lens.bytecode.ts'

/**
 * Lido on the chain of stETH. Both tokens are shown in stETH, wstETH at the protocol's own rate. stETH is not
 * decomposed into ETH: its own feed prices it, so that a lost peg shows. On other chains wstETH is a plain token,
 * because the rate is not available there. What waits in the withdrawal queue is a position for each request.
 */
export const lido: Family<Deployment> = {
  name: 'lido',
  deployment,
  rows: [lidoRow],
  lenses: [withdrawalLens],
  eachAlone: true,

  async discover({ reader, deployment: { stEth, wstEth, withdrawalQueue } }) {
    const tokens: Instrument[] = [
      { address: stEth, role: 'staked', fungible: true, underlyings: [] },
      { address: wstEth, role: 'wrapped', fungible: true, underlyings: [stEth] },
      ...(withdrawalQueue
        ? [{ address: withdrawalQueue, role: 'queue', fungible: false, underlyings: [stEth, NATIVE] }]
        : []),
    ]
    const deployed = await Promise.all(tokens.map(({ address }) => isDeployed(reader, address)))
    return tokens.filter((_, i) => deployed[i])
  },

  positions: eachAlone(async (scope, token) => {
    if (token.role === 'queue') return readRequests(scope, token)
    const { reader, deployment } = scope
    return {
      kind: 'staked',
      label: token.role === 'wrapped' ? 'wstETH' : 'stETH',
      pool: token.address,
      supplied: [{ token: deployment.stEth, amountRaw: await toStEth(reader, token, token.balanceRaw) }],
      receipts: [token.address],
    }
  }),

  async decompose({ reader, deployment, instrument, amountRaw }) {
    if (instrument.role !== 'wrapped') return undefined
    return [{ token: deployment.stEth, amountRaw: await toStEth(reader, instrument, amountRaw) }]
  },

  history: lidoHistory,
}

async function toStEth(reader: EvmReader, { address, role }: Instrument, amountRaw: bigint): Promise<bigint> {
  if (role !== 'wrapped') return amountRaw
  return reader.read({ address, abi: wstEthAbi, functionName: 'getStETHByWstETH', args: [amountRaw] })
}
