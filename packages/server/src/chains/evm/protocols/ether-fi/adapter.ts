import { z } from 'zod'
import { NATIVE } from '../../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { inPages } from '../../../../lib/pages.ts'
import { addressWord, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import { type HeldContract, type PositionScope, type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { addressSchema, deployedOf, eachAlone } from '../deployment.ts'
import { withdrawalDraft, withdrawalNftHistory } from '../shared/withdrawal-nfts.ts'
import chains from './chains.json' with { type: 'json' }
import { etherFiLens } from './ether-fi-lens.bytecode.ts'

const deployment = z.strictObject({
  eEth: addressSchema,
  weEth: addressSchema,
  liquidityPool: addressSchema,
  withdrawRequestNft: addressSchema,
  withdrawAdapter: addressSchema,
})

type Deployment = z.infer<typeof deployment>

/** Requests per lens call: one costs some 50,000 gas. */
const PAGE = 32

/** The wallet's logs name its requests; its balance proves completeness. */
export const etherFi: ProtocolAdapter<Deployment> = {
  name: 'ether_fi',
  deployment,
  /** Source: etherfi-protocol/smart-contracts (git b4a09680, 15 July 2026), `script/deploys/Deployed.s.sol`. */
  rows: rowsByChain({ key: 'etherfi_stake', name: 'ether.fi Stake', siteUrl: 'https://www.ether.fi' }, chains),
  lenses: [etherFiLens],
  eachAlone: true,
  provesKeys: true,

  discover: ({ reader, deployment: { eEth, withdrawRequestNft } }) =>
    deployedOf(reader, [
      { address: eEth, role: 'staked', fungible: true, underlyings: [NATIVE] },
      { address: withdrawRequestNft, role: 'queue', fungible: false, underlyings: [NATIVE] },
    ]),

  keyLogs: ({ withdrawRequestNft }) => [{ contract: withdrawRequestNft, topic: TRANSFER, walletAt: 2, keyAt: 3 }],

  positions: eachAlone(async (scope, held) => {
    if (held.role === 'queue') return readRequests(scope, held)
    const supplied = [{ token: NATIVE, amountRaw: held.balanceRaw }]
    return { kind: 'staked', label: 'eETH', pool: held.address, receipts: [held.address], supplied }
  }),

  decompose: async ({ amountRaw }) => [{ token: NATIVE, amountRaw }],

  history: etherFiHistory,
}

/** A suspended request pays nothing until it is released. */
async function readRequests(
  { reader, deployment: { liquidityPool }, wallet, keys, leftOut }: PositionScope<Deployment>,
  { address, balanceRaw }: HeldContract,
): Promise<PositionDraft[]> {
  const ids = keys.map(({ key }) => key)
  const pages = await inPages(ids, PAGE, (page) =>
    reader.lens(etherFiLens, { functionName: 'requests', args: [address, liquidityPool, wallet, page] }),
  )
  const found = pages.flat()
  if (BigInt(found.length) < balanceRaw) {
    leftOut(new NotFoundYet(`the wallet has ${balanceRaw} requests, and its logs have named ${found.length} of them`))
  }
  return found.map(({ id, amount, isFinalized, isValid }) => {
    const waits = isFinalized ? 'ready' : 'pending'
    return withdrawalDraft(address, {
      tokenId: id,
      state: isValid ? waits : 'suspended',
      amount: { token: NATIVE, amountRaw: amount },
    })
  })
}

/** Id; eETH, shares, owner. */
const REQUESTED = topicOf('WithdrawRequestCreated(uint32,uint256,uint256,address)')
/** Id; coin, shares, owner. */
const CLAIMED = topicOf('WithdrawRequestClaimed(uint32,uint256,uint256,address)')

/**
 * eETH logs transfers in ether, rounded down. Anyone may claim for the owner, who is paid; the pool paid before 2026.
 */
function etherFiHistory(contracts: Deployment): ProtocolHistory {
  const { eEth, weEth, liquidityPool, withdrawRequestNft: queue, withdrawAdapter } = contracts
  return {
    purposes: { staked: 'stake' },
    nativePurposes: { staked: 'stake' },
    rebasing: ['staked'],
    contracts: [liquidityPool, withdrawAdapter],
    ...withdrawalNftHistory({
      queue,
      tokens: [eEth, weEth],
      takers: [queue, withdrawAdapter],
      payers: [queue, liquidityPool, withdrawAdapter],
      requested: (log) => (log.topics[0] === REQUESTED ? { owner: addressWord(log, 2) } : undefined),
      claimed: (log) => {
        const owner = addressWord(log, 2)
        return log.topics[0] === CLAIMED ? { owner, receiver: owner, amountRaw: word(log, 0) ?? 0n } : undefined
      },
    }),
  }
}
