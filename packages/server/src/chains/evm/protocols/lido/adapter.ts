import { parseAbi } from 'viem'
import { NATIVE } from '../../../../domain/evm-address.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { DeploymentRow, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { type Deployment, deployment } from './deployment.ts'
import { lidoHistory } from './history.ts'
import { readRequests } from './requests.ts'
import { withdrawalLens } from './withdrawal-lens.bytecode.ts'

const lidoRow: DeploymentRow = {
  key: 'lido',
  name: 'Lido',
  chain: 'ethereum',
  siteUrl: 'https://lido.fi',
  deployment: {
    stEth: '0xae7ab96520de3a18e5e111b5eaab095312d7fe84',
    wstEth: '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0',
    withdrawalQueue: '0x889edc2edab5f40e902b864ad4d7ade8e412f9b1',
  },
}

const wstEthAbi = parseAbi(['function getStETHByWstETH(uint256 wstETHAmount) view returns (uint256)'])

/**
 * wstETH is shown in stETH at the protocol's rate, which other chains lack. stETH is not decomposed: its own feed
 * prices it, so that a lost peg shows.
 */
export const lido: ProtocolAdapter<Deployment> = {
  name: 'lido',
  deployment,
  rows: [lidoRow],
  lenses: [withdrawalLens],
  eachAlone: true,

  async discover({ reader, deployment: { stEth, wstEth, withdrawalQueue } }) {
    const tokens: ProtocolContract[] = [
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

  async decompose({ reader, deployment, protocolContract, amountRaw }) {
    if (protocolContract.role !== 'wrapped') return undefined
    return [{ token: deployment.stEth, amountRaw: await toStEth(reader, protocolContract, amountRaw) }]
  },

  history: lidoHistory,
}

async function toStEth(reader: EvmReader, { address, role }: ProtocolContract, amountRaw: bigint): Promise<bigint> {
  if (role !== 'wrapped') return amountRaw
  return reader.read({ address, abi: wstEthAbi, functionName: 'getStETHByWstETH', args: [amountRaw] })
}
