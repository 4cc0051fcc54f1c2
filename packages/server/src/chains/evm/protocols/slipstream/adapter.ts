import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, numberTopic, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, Step } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, type ProtocolContract, rowsOfForks } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { v3NftSteps } from '../shared/v3-history.ts'
import { type Nft, nftDraft, nftPages } from '../shared/v3-positions.ts'
import forks from './forks.json' with { type: 'json' }
import { slipstreamLens } from './slipstream-lens.bytecode.ts'

/** A staked NFT costs some 150,000 gas, others 10,000. */
const PAGE_STAKED = 16

const deployment = z.strictObject({
  registry: addressSchema,
  voter: addressSchema,
  /**
   * Searched in gauges; in wallets all of the registry's are read. Aerodrome: of first gauges, of capped ones, of third
   * ones.
   */
  managers: z.array(addressSchema).min(1),
})

type Deployment = z.infer<typeof deployment>

/** Fees of staked NFTs go to voters, although the manager shows them. Earlier fees stay the owner's. */
export const slipstream: ProtocolAdapter<Deployment> = {
  name: 'slipstream',
  deployment,
  /** Sources: Velodrome's Sugar environments, Slipstream's deployments, third-party adapters. */
  rows: rowsOfForks(forks),
  lenses: [slipstreamLens],

  async discover({ reader, deployment: { registry } }) {
    const read = { functionName: 'managers', args: [registry] } as const
    const [managers, factories] = await reader.lens(slipstreamLens, read)
    return managers.flatMap((manager, i): ProtocolContract[] => {
      const factory = factories[i]
      if (factory === undefined) return []
      const data = { factory: evmAddress(factory) }
      return [{ address: evmAddress(manager), role: 'manager', fungible: false, underlyings: [], data }]
    })
  },

  /** A gauge takes NFTs only from their owner. */
  keyLogs: ({ managers }) => managers.map((contract) => ({ contract, topic: TRANSFER, walletAt: 2, keyAt: 3 })),

  async positions({ reader, wallet, deployment: { voter }, protocolContracts, held, keys, leftOut }) {
    const owned = held.flatMap(({ balanceRaw, ...manager }) =>
      nftPages(balanceRaw, leftOut).map(async ([start, end]) => {
        const args = [manager.address, factoryOf(manager), wallet, start, end] as const
        const page = await reader.lens(slipstreamLens, { functionName: 'owned', args })
        return page.map(({ position }) => nftDraft(position, manager.address))
      }),
    )
    const staked = protocolContracts.flatMap((manager) => {
      const ids = keys.filter(({ contract }) => contract === manager.address).map(({ key }) => key)
      return pagesOf(ids, PAGE_STAKED).map(async (page) => {
        const args = [voter, manager.address, factoryOf(manager), wallet, page] as const
        const found = await reader.lens(slipstreamLens, { functionName: 'staked', args })
        return found.map((one) => stakedDraft(one, manager.address))
      })
    })
    return (await Promise.all([...owned, ...staked])).flat()
  },

  /** Gauges pay fees on deposit, and emissions on withdrawal. */
  history: ({ managers }) => ({
    purposes: { manager: 'liquidity' },
    contracts: managers,
    step: steps,
    nftSteps: (logs) =>
      managers.flatMap((manager) =>
        v3NftSteps(logs, manager).filter(({ tokenId }) => !isStaked(logs, manager, tokenId)),
      ),
  }),
}

function factoryOf({ address, data }: ProtocolContract): EvmAddress {
  const factory = data?.['factory']
  if (factory === undefined) throw new Error(`manager ${address} is stored without its factory`)
  return evmAddress(factory)
}

/** Without fees since settlement: the pool pays them to the gauge. */
function stakedDraft(
  { position, reward, pending }: { position: Nft; reward: string; pending: bigint },
  manager: EvmAddress,
): PositionDraft {
  const { token0, token1, own } = position
  return {
    ...nftDraft(position, manager),
    kind: 'farming',
    rewards: [
      { token: evmAddress(token0), amountRaw: own.owed0 },
      { token: evmAddress(token1), amountRaw: own.owed1 },
      { token: evmAddress(reward), amountRaw: pending },
    ],
  }
}

const DEPOSIT = topicOf('Deposit(address,uint256,uint128)')
const WITHDRAW = topicOf('Withdraw(address,uint256,uint128)')
const CLAIM = topicOf('ClaimRewards(address,uint256)')
const ID_TOPIC = 3

function isStaked(logs: readonly ReceiptLog[], manager: EvmAddress, tokenId: bigint): boolean {
  const sent = logs.flatMap(transfersOf).filter((one) => one.token === manager && one.tokenId === tokenId)
  const gauges = new Set(sent.map(({ to }) => to))
  return logs.some((log) => log.topics[0] === DEPOSIT && numberTopic(log, 2) === tokenId && gauges.has(log.address))
}

function steps(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step[] {
  const [from, to] = [addressTopic(log, 1), addressTopic(log, 2)]
  const tokenId = numberTopic(log, ID_TOPIC)
  if (log.topics[0] !== TRANSFER || tokenId === undefined) return []
  const moved = { purpose: 'stake', manager: log.address, tokenId } as const
  const says = (gauge: EvmAddress | undefined, topic: string) => (each: ReceiptLog) =>
    each.address === gauge &&
    each.topics[0] === topic &&
    addressTopic(each, 1) === wallet &&
    numberTopic(each, 2) === tokenId
  if (from === wallet && context.later().some(says(to, DEPOSIT))) {
    const collected = v3NftSteps(context.earlier(), log.address).find((step) => step.tokenId === tokenId)
    return [{ kind: 'put-nft', ...moved }, ...(collected?.fees ?? []).map(claimOf)]
  }
  if (to !== wallet || !context.later().some(says(from, WITHDRAW))) return []
  return [{ kind: 'take-nft', ...moved }, ...claimsBefore(wallet, from, context)]
}

const claimOf = ({ token, amountRaw }: TokenAmount): Step => ({ kind: 'claim', token: evmAddress(token), amountRaw })

function claimsBefore(wallet: EvmAddress, gauge: EvmAddress | undefined, { earlier }: LogContext): Step[] {
  const before = earlier()
  return before.flatMap((log, i) => {
    const amountRaw = word(log, 0)
    if (log.address !== gauge || log.topics[0] !== CLAIM || addressTopic(log, 1) !== wallet) return []
    const [paid] = before.slice(Math.max(i - 1, 0), i).flatMap(transfersOf)
    return paid && paid.amountRaw === amountRaw ? [{ kind: 'claim', token: paid.token, amountRaw }] : []
  })
}
