import { maxUint256, pad, parseAbi, toHex } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { type PositionScope, type ProtocolAdapter, type ProtocolContract, rowsByChain } from '../adapter.ts'
import { addressSchema, discoverEach } from '../deployment.ts'
import chains from './chains.json' with { type: 'json' }
import { lockstakeLens } from './lockstake-lens.bytecode.ts'

const engine = z.strictObject({
  address: addressSchema,
  token: addressSchema,
  /** Accepted and returned for another amount of `token`. */
  alsoTaken: addressSchema.optional(),
  /** Synthetix' StakingRewards interface. */
  farms: z.array(addressSchema).min(1),
})

const deployment = z.strictObject({
  engines: z.array(engine).min(1),
  lent: addressSchema,
})

type Deployment = z.infer<typeof deployment>
type Engine = z.infer<typeof engine>

const farmAbi = parseAbi(['function rewardsToken() view returns (address)'])

/** Locked SKY earns in a farm and backs USDS debt. Each position has its own address (urn), from logs. */
export const lockstake: ProtocolAdapter<Deployment> = {
  name: 'lockstake',
  deployment,
  /**
   * Source: Sky's on-chain list of its contracts (ChainLog). Engines of SKY (farms pay USDS, SPK, SKY) and of MKR, closed
   * to new positions (pays USDS). USDS is lent.
   */
  rows: rowsByChain({ key: 'sky_staking', name: 'Sky Staking', siteUrl: 'https://sky.money' }, chains),
  lenses: [lockstakeLens],

  async discover({ reader, deployment: { engines, lent } }) {
    const found = await Promise.all(
      engines.map(({ token, farms }) =>
        discoverEach(reader, farms, async (address) => {
          const reward = evmAddress(await reader.read({ address, abi: farmAbi, functionName: 'rewardsToken' }))
          const underlyings = [...new Set([token, lent, reward])]
          return { address, role: 'farm', fungible: false, underlyings, data: { reward } }
        }),
      ),
    )
    return found.flat()
  },

  keyLogs: ({ engines }) =>
    engines.map(({ address: contract }) => ({ contract, topic: OPENED, walletAt: 1, keyAt: 'data' })),

  subAccounts: (_, __, keys) => [...new Set(keys.map(({ key }) => evmAddress(pad(toHex(key), { size: 20 }))))],

  async positions(scope) {
    const named = new Set(scope.keys.map(({ contract }) => contract))
    const used = scope.deployment.engines.filter(({ address }) => named.has(address))
    return (await Promise.all(used.map((engine) => readEngine(scope, engine)))).flat()
  },

  history: lockstakeHistory,
}

async function readEngine(scope: PositionScope<Deployment>, engine: Engine) {
  const { reader, deployment, wallet, protocolContracts, leftOut } = scope
  const farms = protocolContracts.filter(({ address }) => engine.farms.includes(address))
  const args = [engine.address, farms.map(({ address }) => address), wallet] as const
  const [found, refused] = await reader.lens(lockstakeLens, { functionName: 'urns', args })
  for (const index of refused) leftOut(new Error(`position ${index} of ${engine.address} could not be read`))
  return found.map(
    ({ index, locked, owed, health, isDelegated, isInAuction, rewards }): PositionDraft => ({
      kind: owed > 0n ? 'lending' : 'staked',
      label: ['Stake', ...(isDelegated ? ['delegated'] : []), ...(isInAuction ? ['in liquidation'] : [])].join(', '),
      pool: engine.address,
      tokenId: index,
      supplied: [{ token: engine.token, amountRaw: locked }],
      borrowed: [{ token: deployment.lent, amountRaw: owed }],
      rewards: farms.map((farm, i) => ({ token: rewardOf(farm), amountRaw: rewards[i] ?? 0n })),
      ...(owed > 0n && health !== maxUint256 && { healthFactorRaw: health }),
    }),
  )
}

function rewardOf({ address, data }: ProtocolContract): EvmAddress {
  if (!data?.['reward']) throw new Error(`farm ${address} is stored without its reward`)
  return evmAddress(data['reward'])
}

/** Owner, index; urn. All events begin with owner and index. */
const OPENED = topicOf('Open(address,uint256,address)')
/** Farm; recipient, amount. */
const GET_REWARD = topicOf('GetReward(address,uint256,address,address,uint256)')

/** `place`: word of the amount, after a fee. `inOther`: in `alsoTaken`. */
type Move = { kind: 'put' | 'take' | 'borrow' | 'repay'; place: number; inOther?: true }

const MOVES: ReadonlyMap<string | undefined, Move> = new Map([
  [topicOf('Lock(address,uint256,uint256,uint16)'), { kind: 'put', place: 0 }],
  [topicOf('LockSky(address,uint256,uint256,uint16)'), { kind: 'put', place: 0, inOther: true }],
  [topicOf('Free(address,uint256,address,uint256,uint256)'), { kind: 'take', place: 2 }],
  [topicOf('FreeSky(address,uint256,address,uint256,uint256)'), { kind: 'take', place: 2, inOther: true }],
  [topicOf('FreeNoFee(address,uint256,address,uint256)'), { kind: 'take', place: 1 }],
  [topicOf('Draw(address,uint256,address,uint256)'), { kind: 'borrow', place: 1 }],
  [topicOf('Wipe(address,uint256,uint256)'), { kind: 'repay', place: 0 }],
])

function lockstakeHistory({ engines, lent }: Deployment): ProtocolHistory {
  const byAddress = new Map(engines.map((engine) => [engine.address, engine]))
  return {
    purposes: {},
    contracts: [...byAddress.keys()],
    step(log, wallet, context) {
      const engine = byAddress.get(log.address)
      const id = numberTopic(log, 2)
      if (!engine || id === undefined || addressTopic(log, 1) !== wallet) return undefined
      return log.topics[0] === GET_REWARD ? claim(log, wallet, context) : moved(log, id, engine, lent)
    },
  }
}

function moved(log: ReceiptLog, id: bigint, { token, alsoTaken = token }: Engine, lent: EvmAddress): Step | undefined {
  const move = MOVES.get(log.topics[0])
  if (!move) return undefined
  const { kind, place, inOther } = move
  const amount = { position: { contract: log.address, id }, amountRaw: word(log, place) ?? 0n }
  if (kind === 'borrow' || kind === 'repay') return { kind, token: lent, ...amount }
  return { kind, purpose: 'stake', token: inOther ? alsoTaken : token, ...amount }
}

/** The urn pays right before this log. */
function claim(log: ReceiptLog, wallet: EvmAddress, { before }: LogContext): Step | undefined {
  const amountRaw = word(log, 1)
  const [paid] = before ? transfersOf(before) : []
  if (addressWord(log, 0) !== wallet || paid?.to !== wallet || paid.amountRaw !== amountRaw) return undefined
  return { kind: 'claim', token: paid.token, amountRaw }
}
