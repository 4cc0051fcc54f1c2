import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { DeploymentRow, ProtocolAdapter } from '../adapter.ts'
import { discoverEach, eachAlone } from '../deployment.ts'
import forks from './forks.json' with { type: 'json' }
import { type Deployment, deployment, shapes, siloOf } from './stakes.ts'

type Fork = Omit<DeploymentRow, 'chain' | 'deployment'> & {
  shape: string
  controller?: string
  /** Stakes by chain and symbol. */
  chains: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/**
 * Sources: documents of Ethena and Falcon; @aave-dao/aave-address-book 4.68.1; Avant's token at Avalanche, deployed as
 * `StakedAvUSDV2`; moonwell-fi/moonwell-contracts-v2, `chains`.
 */
const cooldownRows = (forks as readonly Fork[]).flatMap(({ shape, controller, chains, ...protocol }) =>
  Object.entries(chains).map(([chain, bySymbol]): DeploymentRow => {
    const deployment = { shape, ...(controller && { controller }), stakes: Object.values(bySymbol) }
    return { ...protocol, chain, deployment }
  }),
)

/** Caller, receiver, owner; assets, shares. */
const WITHDRAW = topicOf('Withdraw(address,address,address,uint256,uint256)')

/** From, to; amount. */
const REWARDS_CLAIMED = topicOf('RewardsClaimed(address,address,uint256)')

/** Umbrella's controller: stake, token, owner; recipient, amount. */
const STAKE_REWARD_CLAIMED = topicOf('RewardClaimed(address,address,address,address,uint256)')

/** The silo, which logs no withdrawals, is the escrow of its stake. */
const cooldownHistory = ({ controller }: Deployment): ProtocolHistory => ({
  purposes: { stake: 'stake' },
  ...(controller && { contracts: [controller] }),
  step,
  escrowOf: siloOf,
})

function step(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  const [topic] = log.topics
  if (topic === WITHDRAW) return request(log, wallet, context)
  const { rewarded } = context.data
  if (topic === REWARDS_CLAIMED && addressTopic(log, 2) === wallet)
    return claim(rewarded === undefined ? undefined : evmAddress(rewarded), word(log, 0))
  if (topic === STAKE_REWARD_CLAIMED && addressWord(log, 0) === wallet) return claim(addressTopic(log, 2), word(log, 1))
  return undefined
}

function request(log: ReceiptLog, wallet: EvmAddress, { underlyings: [asset], data }: LogContext): Step | undefined {
  const silo = siloOf({ data })
  const [assets, shares] = [word(log, 0), word(log, 1)]
  if (!silo || !asset || assets === undefined || shares === undefined) return undefined
  if (addressTopic(log, 2) !== silo || addressTopic(log, 3) !== wallet) return undefined
  return {
    kind: 'request',
    purpose: 'unstake',
    position: { contract: silo, id: 0n },
    receipt: { token: log.address, amountRaw: shares },
    due: { token: asset, amountRaw: assets },
  }
}

const claim = (token: EvmAddress | undefined, amountRaw: bigint | undefined): Step | undefined =>
  token === undefined || amountRaw === undefined ? undefined : { kind: 'claim', token, amountRaw }

/** Assets that wait outside of shares are a separate position. */
export const cooldownStakes: ProtocolAdapter<Deployment> = {
  name: 'cooldown_stakes',
  deployment,
  rows: cooldownRows,
  eachAlone: true,

  discover: ({ reader, deployment: { shape, stakes } }) =>
    discoverEach(reader, stakes, (stake) => shapes[shape].discover(reader, stake)),

  probe: ({ reader, deployment: { shape }, wallet, protocolContract }) =>
    shapes[shape].probe(reader, protocolContract, wallet),

  positions: eachAlone(({ reader, deployment: { shape }, wallet }, stake) =>
    shapes[shape].positions(reader, stake, wallet),
  ),

  decompose: ({ reader, deployment: { shape }, protocolContract, amountRaw }) =>
    shapes[shape].worth(reader, protocolContract, amountRaw),

  history: cooldownHistory,
}
