import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { ProtocolAdapter } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { cooldownRows } from './rows.ts'
import { siloOf, siloStakes } from './silo.ts'
import { type Deployment, deployment, type StakeShape } from './stake-parts.ts'
import { umbrellaStakes } from './umbrella.ts'
import { plainStakes, windowStakes } from './window.ts'

/** Caller, receiver, owner; assets, shares. */
const WITHDRAW = topicOf('Withdraw(address,address,address,uint256,uint256)')

/** From, to; amount. */
const REWARDS_CLAIMED = topicOf('RewardsClaimed(address,address,uint256)')

/** Umbrella's controller: stake, token, owner; recipient, amount. */
const STAKE_REWARD_CLAIMED = topicOf('RewardClaimed(address,address,address,address,uint256)')

/** No contract logs withdrawals from the silo: it is the escrow of its stake. */
const cooldownHistory = ({ controller }: Deployment): ProtocolHistory => ({
  purposes: { stake: 'stake' },
  ...(controller && { contracts: [controller] }),
  step,
  escrowOf: siloOf,
})

function step(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  switch (log.topics[0]) {
    case WITHDRAW:
      return request(log, wallet, context)
    case REWARDS_CLAIMED:
      return claim(log, wallet, context)
    case STAKE_REWARD_CLAIMED:
      return stakeReward(log, wallet)
    default:
      return undefined
  }
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

function claim(log: ReceiptLog, wallet: EvmAddress, { data }: LogContext): Step | undefined {
  const amountRaw = word(log, 0)
  const { rewarded } = data
  if (rewarded === undefined || amountRaw === undefined || addressTopic(log, 2) !== wallet) return undefined
  return { kind: 'claim', token: evmAddress(rewarded), amountRaw }
}

function stakeReward(log: ReceiptLog, wallet: EvmAddress): Step | undefined {
  const [token, amountRaw] = [addressTopic(log, 2), word(log, 1)]
  if (token === undefined || amountRaw === undefined || addressWord(log, 0) !== wallet) return undefined
  return { kind: 'claim', token, amountRaw }
}

const shapes: Readonly<Record<Deployment['shape'], StakeShape>> = {
  silo: siloStakes,
  window: windowStakes,
  plain: plainStakes,
  umbrella: umbrellaStakes,
}

/** Assets that wait outside of shares are a separate position, and may be all that a wallet has. */
export const cooldownStakes: ProtocolAdapter<Deployment> = {
  name: 'cooldown_stakes',
  deployment,
  rows: cooldownRows,
  eachAlone: true,

  async discover({ reader, deployment: { shape, stakes } }) {
    const deployed = await Promise.all(stakes.map((stake) => isDeployed(reader, stake)))
    return Promise.all(stakes.filter((_, i) => deployed[i]).map((stake) => shapes[shape].discover(reader, stake)))
  },

  probe: ({ reader, deployment: { shape }, wallet, protocolContract }) =>
    shapes[shape].probe(reader, protocolContract, wallet),

  positions: eachAlone(({ reader, deployment: { shape }, wallet }, stake) =>
    shapes[shape].positions(reader, stake, wallet),
  ),

  decompose: ({ reader, deployment: { shape }, protocolContract, amountRaw }) =>
    shapes[shape].worth(reader, protocolContract, amountRaw),

  history: cooldownHistory,
}
