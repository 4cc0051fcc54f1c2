import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { type TokenTransfer, transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { Deployment } from './deployment.ts'

/** Staker, strategy, shares; before the slashing release with the token second. */
const DEPOSITED = topicOf('Deposit(address,address,uint256)')
const DEPOSITED_EARLIER = topicOf('Deposit(address,address,address,uint256)')
/** Withdrawal root; since the slashing release, and before. */
const COMPLETED = topicOf('SlashingWithdrawalCompleted(bytes32)')
const COMPLETED_EARLIER = topicOf('WithdrawalCompleted(bytes32)')
const RATE = topicOf('ExchangeRateEmitted(uint256)')
/** Logged by a pod: recipient, amount. */
const POD_PAID = topicOf('RestakedBeaconChainETHWithdrawn(address,uint256)')
/** Earner, claimer, recipient; root, token, amount. */
const CLAIMED = topicOf('RewardsClaimed(bytes32,address,address,address,address,uint256)')

/** Address under which pod positions lie. */
const BEACON = evmAddress('0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0')

/**
 * A queued withdrawal moves nothing; its log has no staker topic, and an operator may queue it. Completions name no
 * staker either; payments follow them in order.
 */
export function eigenLayerHistory(contracts: Deployment): ProtocolHistory {
  const { delegationManager, strategyManager, eigenPodManager, rewardsCoordinator } = contracts
  return {
    purposes: {},
    contracts: [delegationManager, strategyManager, eigenPodManager],
    rewarders: [rewardsCoordinator],
    step(log, wallet, context) {
      switch (log.topics[0]) {
        case DEPOSITED:
          return deposited({ staker: addressWord(log, 0), strategy: addressWord(log, 1) }, wallet, context)
        case DEPOSITED_EARLIER:
          return deposited({ staker: addressWord(log, 0), strategy: addressWord(log, 2) }, wallet, context)
        case COMPLETED:
        case COMPLETED_EARLIER:
          return paid(wallet, context)
        case CLAIMED:
          return claimed(log, wallet)
        default:
          return undefined
      }
    },
  }
}

type Deposit = { staker: EvmAddress | undefined; strategy: EvmAddress | undefined }

/**
 * The queue returns shares without a transfer. The strategy unwraps EIGEN, so the wallet's own payment counts before
 * the last one.
 */
function deposited({ staker, strategy }: Deposit, wallet: EvmAddress, { earlier }: LogContext): Step | undefined {
  if (staker === undefined || strategy === undefined) return undefined
  const payments = earlier()
    .flatMap(transfersOf)
    .filter(({ to }) => to === strategy)
  const payment = payments.findLast(({ from }) => from === wallet) ?? payments.at(-1)
  if (!payment) return undefined
  const { token, amountRaw } = payment
  if (staker === wallet)
    return { kind: 'put', purpose: 'stake', position: { contract: strategy, id: 0n }, token, amountRaw }
  return payment.from === wallet ? { kind: 'send', token, amountRaw, other: staker } : undefined
}

function paid(wallet: EvmAddress, { earlier, later }: LogContext): Step[] {
  const following = later()
  const next = following.findIndex(isCompletion)
  const own = next < 0 ? following : following.slice(0, next)
  const rated = new Set([...earlier(), ...own].filter(({ topics }) => topics[0] === RATE).map(({ address }) => address))
  return own.flatMap((log) => [
    ...transfersOf(log).flatMap((transfer) => fromStrategy(transfer, wallet, rated)),
    ...fromPod(log, wallet),
  ])
}

const isCompletion = ({ topics }: ReceiptLog) => topics[0] === COMPLETED || topics[0] === COMPLETED_EARLIER

function fromStrategy(
  { token, from, to, amountRaw }: TokenTransfer,
  wallet: EvmAddress,
  rated: ReadonlySet<string>,
): Step[] {
  if (to !== wallet || !rated.has(from)) return []
  return [{ kind: 'take', purpose: 'stake', position: { contract: from, id: 0n }, token, amountRaw }]
}

function fromPod(log: ReceiptLog, wallet: EvmAddress): Step[] {
  const amountRaw = word(log, 0)
  if (log.topics[0] !== POD_PAID || addressTopic(log, 1) !== wallet || amountRaw === undefined) return []
  return [{ kind: 'take', purpose: 'stake', position: { contract: BEACON, id: 0n }, token: NATIVE, amountRaw }]
}

function claimed(log: ReceiptLog, wallet: EvmAddress): Step | undefined {
  const [token, amountRaw] = [addressWord(log, 1), word(log, 2)]
  if (addressTopic(log, 3) !== wallet || token === undefined || amountRaw === undefined) return undefined
  return { kind: 'claim', token, amountRaw }
}
