import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import type { FamilyHistory, LogContext, Step } from '../../history/family-history.ts'
import { addressTopic, topicOf, word } from '../../history/log-words.ts'
import { siloOf } from './silo.ts'

/** Caller, receiver, owner; assets, shares. */
const WITHDRAW = topicOf('Withdraw(address,address,address,uint256,uint256)')

/** What is taken out of the silo is logged by no contract of the protocol: the silo is the escrow of its stake. */
export const cooldownHistory: FamilyHistory = { purposes: { stake: 'stake' }, step, escrowOf: siloOf }

/** A cooldown withdraws to the silo. */
function step(log: ReceiptLog, wallet: EvmAddress, { underlyings: [asset], data }: LogContext): Step | undefined {
  const silo = siloOf({ data })
  const [assets, shares] = [word(log, 0), word(log, 1)]
  if (log.topics[0] !== WITHDRAW || !silo || !asset || assets === undefined || shares === undefined) return undefined
  if (addressTopic(log, 2) !== silo || addressTopic(log, 3) !== wallet) return undefined
  return {
    ...{ kind: 'request', purpose: 'unstake', position: { contract: silo, id: 0n } },
    receipt: { token: log.address, amountRaw: shares },
    due: { token: asset, amountRaw: assets },
  }
}
