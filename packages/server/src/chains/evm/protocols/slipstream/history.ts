import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, numberTopic, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { v3NftSteps } from '../shared/v3-history.ts'

const DEPOSIT = topicOf('Deposit(address,uint256,uint128)')
const WITHDRAW = topicOf('Withdraw(address,uint256,uint128)')
const CLAIM = topicOf('ClaimRewards(address,uint256)')
const ID_TOPIC = 3

/** Gauges pay fees on deposit, and emissions on withdrawal. */
export function slipstreamHistory(managers: readonly EvmAddress[]): ProtocolHistory {
  return {
    purposes: { manager: 'liquidity' },
    contracts: managers,
    step: (log, wallet, context) => steps(log, wallet, context),
    nftSteps: (logs) =>
      managers.flatMap((manager) =>
        v3NftSteps(logs, manager).filter(({ tokenId }) => !isStaked(logs, manager, tokenId)),
      ),
  }
}

const isStaked = (logs: readonly ReceiptLog[], manager: EvmAddress, tokenId: bigint) =>
  logs.some((log) => {
    const isMoved = (each: ReceiptLog) =>
      each.address === manager &&
      each.topics[0] === TRANSFER &&
      addressTopic(each, 2) === log.address &&
      numberTopic(each, ID_TOPIC) === tokenId
    return log.topics[0] === DEPOSIT && numberTopic(log, 2) === tokenId && logs.some(isMoved)
  })

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
    const paid = before[i - 1]
    const amountRaw = word(log, 0)
    if (log.address !== gauge || log.topics[0] !== CLAIM || addressTopic(log, 1) !== wallet) return []
    if (!paid || amountRaw === undefined || paid.topics[0] !== TRANSFER || word(paid, 0) !== amountRaw) return []
    return [{ kind: 'claim', token: paid.address, amountRaw }]
  })
}
