import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, PositionScope, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { rowsByChain } from '../adapter.ts'
import { addressSchema, deployedOf, eachAlone } from '../deployment.ts'
import { nftPages } from '../shared/v3-positions.ts'
import { type WithdrawalNfts, withdrawalDraft, withdrawalNftHistory } from '../shared/withdrawal-nfts.ts'
import chains from './chains.json' with { type: 'json' }
import { withdrawalLens } from './withdrawal-lens.bytecode.ts'

const deployment = z.strictObject({
  stEth: addressSchema,
  wstEth: addressSchema,
  withdrawalQueue: addressSchema.optional(),
})

type Deployment = z.infer<typeof deployment>

const wstEthAbi = parseAbi(['function getStETHByWstETH(uint256 wstETHAmount) view returns (uint256)'])

/** wstETH is shown in stETH, which is not decomposed: its own feed prices it, so that a lost peg shows. */
export const lido: ProtocolAdapter<Deployment> = {
  name: 'lido',
  deployment,
  rows: rowsByChain({ key: 'lido', name: 'Lido', siteUrl: 'https://lido.fi' }, chains),
  lenses: [withdrawalLens],
  eachAlone: true,

  discover: ({ reader, deployment: { stEth, wstEth, withdrawalQueue } }) =>
    deployedOf(reader, [
      { address: stEth, role: 'staked', fungible: true, underlyings: [] },
      { address: wstEth, role: 'wrapped', fungible: true, underlyings: [stEth] },
      ...(withdrawalQueue
        ? [{ address: withdrawalQueue, role: 'queue', fungible: false, underlyings: [stEth, NATIVE] }]
        : []),
    ]),

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

/** The queue lists all requests, at 2,200 gas each. Anyone may create requests for a wallet. */
const MOST = 4_000n

async function readRequests(
  { reader, deployment, wallet, leftOut }: PositionScope<Deployment>,
  queue: HeldContract,
): Promise<PositionDraft[]> {
  const count = queue.balanceRaw
  if (count > MOST) throw new Error(`the wallet has ${count} requests, too many to list them`)
  const found = await Promise.all(
    nftPages(count, leftOut).map(([start, end]) =>
      reader.lens(withdrawalLens, { functionName: 'requests', args: [queue.address, wallet, start, end] }),
    ),
  )
  return found.flat().map(({ id, amount, isFinalized, claimable }) =>
    withdrawalDraft(queue.address, {
      tokenId: id,
      state: isFinalized ? 'ready' : 'pending',
      amount: isFinalized ? { token: NATIVE, amountRaw: claimable } : { token: deployment.stEth, amountRaw: amount },
    }),
  )
}

/** ID, requestor, owner; stETH, shares. */
const REQUESTED = topicOf('WithdrawalRequested(uint256,address,address,uint256,uint256)')
/** ID, owner, receiver; ETH. */
const CLAIMED = topicOf('WithdrawalClaimed(uint256,address,address,uint256)')

/** stETH logs transfers rounded down. The missing unit counts as growth. */
function lidoHistory({ stEth, wstEth, withdrawalQueue: queue }: Deployment): ProtocolHistory {
  return {
    purposes: { staked: 'stake', wrapped: 'wrap' },
    nativePurposes: { staked: 'stake', wrapped: 'stake' },
    rebasing: ['staked'],
    ...(queue && withdrawalNftHistory(nftsOf(queue, [stEth, wstEth]))),
  }
}

const nftsOf = (queue: EvmAddress, tokens: readonly EvmAddress[]): WithdrawalNfts => ({
  queue,
  tokens,
  takers: [queue],
  payers: [queue],
  requested: (log) =>
    log.topics[0] === REQUESTED ? { owner: addressTopic(log, 3), payer: addressTopic(log, 2) } : undefined,
  claimed: (log) =>
    log.topics[0] === CLAIMED
      ? { owner: addressTopic(log, 2), receiver: addressTopic(log, 3), amountRaw: word(log, 0) ?? 0n }
      : undefined,
})
