import { z } from 'zod'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import type { Family, Instrument } from '../family.ts'
import { wstEthAbi } from './abi.ts'
import { lidoRow } from './rows.ts'

const deployment = z.strictObject({ stEth: addressSchema, wstEth: addressSchema })

type Deployment = z.infer<typeof deployment>

/**
 * Lido on the chain of stETH. Both tokens are shown in stETH, wstETH at the protocol's own rate. stETH is not
 * decomposed into ETH: its own feed prices it, so that a lost peg shows. On other chains wstETH is a plain token,
 * because the rate is not available there.
 */
export const lido: Family<Deployment> = {
  name: 'lido',
  deployment,
  rows: [lidoRow],
  eachAlone: true,

  async discover({ reader, deployment: { stEth, wstEth } }) {
    const tokens: Instrument[] = [
      { address: stEth, role: 'staked', fungible: true, underlyings: [] },
      { address: wstEth, role: 'wrapped', fungible: true, underlyings: [stEth] },
    ]
    const deployed = await Promise.all(tokens.map(({ address }) => isDeployed(reader, address)))
    return tokens.filter((_, i) => deployed[i])
  },

  positions: eachAlone(async ({ reader, deployment }, token) => ({
    kind: 'staked',
    label: token.role === 'wrapped' ? 'wstETH' : 'stETH',
    pool: token.address,
    supplied: [{ token: deployment.stEth, amountRaw: await toStEth(reader, token, token.balanceRaw) }],
    borrowed: [],
    rewards: [],
    receipts: [token.address],
  })),

  async decompose({ reader, deployment, instrument, amountRaw }) {
    if (instrument.role !== 'wrapped') return undefined
    return [{ token: deployment.stEth, amountRaw: await toStEth(reader, instrument, amountRaw) }]
  },

  // stETH logs transfers in ether, rounded down from shares. The missing unit counts as growth of the balance.
  history: () => ({
    purposes: { staked: 'stake', wrapped: 'wrap' },
    nativePurposes: { staked: 'stake', wrapped: 'stake' },
    rebasing: ['staked'],
  }),
}

async function toStEth(reader: EvmReader, { address, role }: Instrument, amountRaw: bigint): Promise<bigint> {
  if (role !== 'wrapped') return amountRaw
  return reader.read({ address, abi: wstEthAbi, functionName: 'getStETHByWstETH', args: [amountRaw] })
}
