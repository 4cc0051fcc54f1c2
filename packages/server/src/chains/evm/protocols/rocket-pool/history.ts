import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { Deployment } from './deployment.ts'
import { minipoolFor, NODE_POOL_READINGS, nodePoolIn } from './payouts.ts'

/** Node; payer, amount, time. Before Saturn the payer alone. */
const STAKED = topicOf('RPLStaked(address,address,uint256,uint256)')
const STAKED_EARLIER = topicOf('RPLStaked(address,uint256,uint256)')
/** Node; amount, time. The first two also pay what has waited, without logging it. */
const UNSTAKED = topicOf('RPLUnstaked(address,uint256,uint256)')
const UNSTAKED_LEGACY = topicOf('RPLLegacyUnstaked(address,uint256,uint256)')
const WITHDRAWN = topicOf('RPLWithdrawn(address,uint256,uint256)')
/** Node; ETH, time. */
const DEPOSITED = topicOf('DepositReceived(address,uint256,uint256)')
/** Node; number of validators, ETH, time. */
const DEPOSITED_SEVERAL = topicOf('MultiDepositReceived(address,uint256,uint256,uint256)')
/** Node, payer; ETH, time. */
const DEPOSITED_FOR = topicOf('DepositFor(address,address,uint256,uint256)')
/** Node, receiver; ETH, time. */
const BALANCE_PAID = topicOf('Withdrawal(address,address,uint256,uint256)')
/** Node; ETH, time. Paid to the node's withdrawal address. */
const UNCLAIMED_PAID = topicOf('NodeUnclaimedRewardsClaimed(address,uint256,uint256)')
const ENQUEUED = topicOf('MegapoolValidatorEnqueued(uint256,uint256)')

/** RPL and deposited ETH belong to the storage's position; bonds to that of their megapool or minipool. */
export function rocketPoolHistory({ store, rpl }: Deployment): ProtocolHistory {
  return {
    purposes: {},
    contracts: [store],
    leadsTo: nodePoolIn,
    step: (log, wallet, context) => READINGS.get(log.topics[0] ?? '')?.({ log, wallet, context, store, rpl }),
  }
}

type Scene = { log: ReceiptLog; wallet: EvmAddress; context: LogContext } & Deployment
type Reading = (scene: Scene) => Step | readonly Step[] | undefined

const READINGS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  [STAKED, ({ log, ...at }) => staked({ log, ...at }, addressWord(log, 0), word(log, 1))],
  [STAKED_EARLIER, ({ log, ...at }) => staked({ log, ...at }, addressTopic(log, 1), word(log, 0))],
  [UNSTAKED, paidOut],
  [UNSTAKED_LEGACY, paidOut],
  [WITHDRAWN, paidOut],
  [DEPOSITED, (scene) => bonded(scene, word(scene.log, 0))],
  [DEPOSITED_SEVERAL, (scene) => bonded(scene, word(scene.log, 1))],
  [
    DEPOSITED_FOR,
    (scene) => putBy(scene, { payer: addressTopic(scene.log, 2), token: NATIVE, amountRaw: word(scene.log, 0) }),
  ],
  [BALANCE_PAID, balancePaid],
  [UNCLAIMED_PAID, ({ log }) => ({ kind: 'claim', token: NATIVE, amountRaw: word(log, 0) ?? 0n })],
  ...NODE_POOL_READINGS,
])

const keyOf = (contract: EvmAddress): PositionKey => ({ contract, id: 0n })

function staked(scene: Scene, payer: EvmAddress | undefined, amountRaw: bigint | undefined): Step | undefined {
  return putBy(scene, { payer, token: scene.rpl, amountRaw })
}

type Payment = { payer: EvmAddress | undefined; token: EvmAddress; amountRaw: bigint | undefined }

function putBy({ log, wallet, store }: Scene, { payer, token, amountRaw }: Payment): Step | undefined {
  const node = addressTopic(log, 1)
  if (amountRaw === undefined) return undefined
  if (node === wallet) return { kind: 'put', purpose: 'stake', position: keyOf(store), token, amountRaw }
  return payer === wallet ? { kind: 'send', token, amountRaw, other: node } : undefined
}

/** Waiting RPL is paid right before. */
function paidOut({ log, wallet, store, rpl: token, context }: Scene): Step | undefined {
  if (addressTopic(log, 1) !== wallet) return undefined
  const paid = context
    .earlier()
    .flatMap(transfersOf)
    .findLast((transfer) => transfer.token === token && transfer.to === wallet)
  return paid && { kind: 'take', purpose: 'stake', position: keyOf(store), token, amountRaw: paid.amountRaw }
}

function bonded({ log, wallet, context }: Scene, amountRaw: bigint | undefined): Step | undefined {
  if (addressTopic(log, 1) !== wallet || amountRaw === undefined) return undefined
  const around = [...context.later(), ...context.earlier().toReversed()]
  const megapool = around.find(({ topics }) => topics[0] === ENQUEUED)?.address
  const position = keyOf(megapool ?? minipoolFor(wallet, around) ?? log.address)
  return { kind: 'put', purpose: 'stake', position, token: NATIVE, amountRaw }
}

function balancePaid({ log, wallet, store }: Scene): Step | undefined {
  const amountRaw = word(log, 0)
  if (addressTopic(log, 1) !== wallet || addressTopic(log, 2) !== wallet || amountRaw === undefined) return undefined
  return { kind: 'take', purpose: 'stake', position: keyOf(store), token: NATIVE, amountRaw }
}
