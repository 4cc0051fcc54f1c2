import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'

/** Payer, share owner; amount, shares. */
const DEPOSITED = topicOf('Deposit(address,address,uint256,uint256)')
/** Share owner, claimer; amount, burnt shares, shares of the epoch. */
export const WITHDRAWN = topicOf('Withdraw(address,address,uint256,uint256,uint256)')
/** Claimer, recipient; epoch or epochs, amount. */
const CLAIMED = topicOf('Claim(address,address,uint256,uint256)')
const CLAIMED_SEVERAL = topicOf('ClaimBatch(address,address,uint256[],uint256)')

/** A claim of several epochs logs only their sum, so withdrawals share one position. */
export const symbioticHistory = (): ProtocolHistory => ({ purposes: { vault: 'stake' }, step })

function step(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  switch (log.topics[0]) {
    case DEPOSITED:
      return deposited(log, wallet, context)
    case WITHDRAWN:
      return withdrawn(log, wallet, context)
    case CLAIMED:
    case CLAIMED_SEVERAL:
      return claimed(log, wallet, context)
    default:
      return undefined
  }
}

function deposited(log: ReceiptLog, wallet: EvmAddress, { underlyings: [token] }: LogContext): Step | undefined {
  const [other, amountRaw] = [addressTopic(log, 2), word(log, 0)]
  if (addressTopic(log, 1) !== wallet || other === wallet || !token || amountRaw === undefined) return undefined
  return { kind: 'send', token, amountRaw, other }
}

function withdrawn(log: ReceiptLog, wallet: EvmAddress, { underlyings: [token] }: LogContext): Step | undefined {
  const [claimer, amountRaw, burnt] = [addressTopic(log, 2), word(log, 0), word(log, 1)]
  if (!token || amountRaw === undefined || burnt === undefined) return undefined
  const receipt = { token: log.address, amountRaw: burnt }
  if (claimer === wallet) {
    const position = { contract: log.address, id: 0n }
    return { kind: 'request', purpose: 'unstake', position, receipt, due: { token, amountRaw } }
  }
  return addressTopic(log, 1) === wallet ? { kind: 'send', ...receipt, other: claimer } : undefined
}

function claimed(log: ReceiptLog, wallet: EvmAddress, { underlyings: [token] }: LogContext): Step | undefined {
  const [claimer, amountRaw] = [addressTopic(log, 1), word(log, 1)]
  if (!token || amountRaw === undefined || addressTopic(log, 2) !== wallet) return undefined
  if (claimer !== wallet) return { kind: 'receive', token, amountRaw, other: claimer }
  return { kind: 'take', purpose: 'unstake', position: { contract: log.address, id: 0n }, token, amountRaw }
}
