import { erc20Abi, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, addressWord, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { v3NftSteps } from '../shared/v3-history.ts'
import { min, nftDraft, nftPages } from '../shared/v3-positions.ts'
import chains from './chains.json' with { type: 'json' }
import { pancakeChefLens } from './pancake-chef-lens.bytecode.ts'

const chefAbi = parseAbi(['function CAKE() view returns (address)'])

const deployment = z.strictObject({ chef: addressSchema, manager: addressSchema, factory: addressSchema })

type Deployment = z.infer<typeof deployment>

/**
 * MasterChefV3 owns staked NFTs; liquidity and fees stay the wallet's. `pendingCake` grows only when the farm is
 * touched.
 */
export const pancakeChef: ProtocolAdapter<Deployment> = {
  name: 'pancake_chef',
  deployment,
  /**
   * Sources: PancakeSwap's documents and farms package (opBNB). Manager and factory are the same on every EVM chain except
   * zkSync. Without Monad (two published addresses) and zkSync (other contracts).
   */
  rows: rowsByChain(
    { key: 'pancakeswap_v3_farms', name: 'PancakeSwap V3 Farms', siteUrl: 'https://pancakeswap.finance' },
    chains,
  ),
  lenses: [pancakeChefLens],

  async discover({ reader, deployment: { chef } }) {
    if (!(await isDeployed(reader, chef))) return []
    const reward = await reader.read({ address: chef, abi: chefAbi, functionName: 'CAKE' })
    return [{ address: chef, role: 'chef', fungible: false, underlyings: [evmAddress(reward)] }]
  },

  async positions({ reader, wallet, deployment: { chef, manager, factory }, held, leftOut }) {
    const [protocolContract] = held
    const [reward] = protocolContract?.underlyings ?? []
    if (!protocolContract || !reward) throw new Error(`chef ${chef} is stored without its reward`)
    const [kept, ...pages] = await Promise.all([
      reader.read({ address: reward, abi: erc20Abi, functionName: 'balanceOf', args: [chef] }),
      ...nftPages(protocolContract.balanceRaw, leftOut).map(([start, end]) =>
        reader.lens(pancakeChefLens, { functionName: 'staked', args: [chef, manager, factory, wallet, start, end] }),
      ),
    ])
    // The chef pays no more than it has.
    let left = kept
    return pages.flat().map(({ position, pending }) => {
      const amountRaw = min(pending, left)
      left -= amountRaw
      const draft = nftDraft(position, manager)
      return { ...draft, kind: 'farming', rewards: [...draft.rewards, { token: reward, amountRaw }] }
    })
  },

  history: ({ chef, manager }) => pancakeChefHistory(chef, manager),
}

const DEPOSIT = topicOf('Deposit(address,uint256,uint256,uint256,int24,int24)')
const WITHDRAW = topicOf('Withdraw(address,address,uint256,uint256)')
const HARVEST = topicOf('Harvest(address,address,uint256,uint256,uint256)')
/** All events: account, pool, NFT. */
const TOKEN_ID_TOPIC = 3

/** Liquidity of staked NFTs changes through the chef. */
function pancakeChefHistory(chef: EvmAddress, manager: EvmAddress): ProtocolHistory {
  return {
    purposes: {},
    step: (log, wallet, { underlyings: [reward] }) => step(log, wallet, manager, reward),
    nftSteps: (logs) => v3NftSteps(logs, manager, { agents: [chef] }),
  }
}

function step(log: ReceiptLog, wallet: EvmAddress, manager: EvmAddress, reward: EvmAddress | undefined) {
  const isToWallet = addressWord(log, 0) === wallet
  if (log.topics[0] === HARVEST) {
    const amountRaw = word(log, 1)
    const isPaid = isToWallet && reward && amountRaw !== undefined
    return isPaid ? ({ kind: 'claim', token: reward, amountRaw } as const) : undefined
  }
  const isPut = log.topics[0] === DEPOSIT
  const isTaken = log.topics[0] === WITHDRAW && isToWallet
  const tokenId = numberTopic(log, TOKEN_ID_TOPIC)
  if ((!isPut && !isTaken) || addressTopic(log, 1) !== wallet || tokenId === undefined) return undefined
  return { kind: isPut ? 'put-nft' : 'take-nft', purpose: 'stake', manager, tokenId } as const
}
