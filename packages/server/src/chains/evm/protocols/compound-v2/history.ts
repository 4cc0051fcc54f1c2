import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { DebtStep, ProtocolHistory } from '../../decode/protocol-history.ts'
import type { Deployment } from './deployment.ts'

const BORROW = topicOf('Borrow(address,uint256,uint256,uint256)')
const REPAY_BORROW = topicOf('RepayBorrow(address,address,uint256,uint256,uint256)')
const LIQUIDATE_BORROW = topicOf('LiquidateBorrow(address,address,uint256,address,uint256)')

/** Debts appear only in events of the market, whose addresses are not indexed. */
export function compoundV2History({ comptroller, rewards }: Deployment): ProtocolHistory {
  const payers = rewards?.scheme === 'moonwell' ? [comptroller, rewards.distributor] : [comptroller]
  return { purposes: { market: 'lend' }, rewarders: payers, step }
}

function step(log: ReceiptLog, wallet: EvmAddress): DebtStep | undefined {
  switch (log.topics[0]) {
    case BORROW:
      return amountStep('borrow', log, wallet, { borrower: 0, amount: 1 })
    case REPAY_BORROW:
      return amountStep('repay', log, wallet, { borrower: 1, amount: 2 })
    case LIQUIDATE_BORROW: {
      const collateral = addressWord(log, 3)
      return addressWord(log, 1) === wallet && collateral ? { kind: 'liquidate', collateral } : undefined
    }
    default:
      return undefined
  }
}

function amountStep(
  kind: 'borrow' | 'repay',
  log: ReceiptLog,
  wallet: EvmAddress,
  at: { borrower: number; amount: number },
): DebtStep | undefined {
  const amountRaw = word(log, at.amount)
  return addressWord(log, at.borrower) === wallet && amountRaw !== undefined ? { kind, amountRaw } : undefined
}
