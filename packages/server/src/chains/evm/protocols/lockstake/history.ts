import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { Deployment, Engine } from './deployment.ts'

/** Owner, index; urn. All events begin with owner and index. */
export const OPENED = topicOf('Open(address,uint256,address)')
const LOCK = topicOf('Lock(address,uint256,uint256,uint16)')
const LOCK_OTHER = topicOf('LockSky(address,uint256,uint256,uint16)')
/** Recipient; amount, amount after the fee. */
const FREE = topicOf('Free(address,uint256,address,uint256,uint256)')
const FREE_OTHER = topicOf('FreeSky(address,uint256,address,uint256,uint256)')
const FREE_WHOLE = topicOf('FreeNoFee(address,uint256,address,uint256)')
const DRAW = topicOf('Draw(address,uint256,address,uint256)')
const WIPE = topicOf('Wipe(address,uint256,uint256)')
/** Farm; recipient, amount. */
const GET_REWARD = topicOf('GetReward(address,uint256,address,address,uint256)')

export function lockstakeHistory({ engines, lent }: Deployment): ProtocolHistory {
  const byAddress = new Map(engines.map((engine) => [engine.address, engine]))
  return {
    purposes: {},
    contracts: [...byAddress.keys()],
    step(log, wallet, context) {
      const engine = byAddress.get(log.address)
      const index = numberTopic(log, 2)
      if (!engine || index === undefined || addressTopic(log, 1) !== wallet) return undefined
      if (log.topics[0] === GET_REWARD) return claim(log, wallet, context)
      return moveStep(log, engine, { position: { contract: log.address, id: index } }) ?? debtStep(log, index, lent)
    },
  }
}

function moveStep(
  log: ReceiptLog,
  { token, alsoTaken = token }: Engine,
  { position }: { position: { contract: EvmAddress; id: bigint } },
): Step | undefined {
  const step = (kind: 'put' | 'take', of: EvmAddress, place: number): Step => {
    return { kind, purpose: 'stake', position, token: of, amountRaw: word(log, place) ?? 0n }
  }
  switch (log.topics[0]) {
    case LOCK:
      return step('put', token, 0)
    case LOCK_OTHER:
      return step('put', alsoTaken, 0)
    case FREE:
      return step('take', token, 2)
    case FREE_OTHER:
      return step('take', alsoTaken, 2)
    case FREE_WHOLE:
      return step('take', token, 1)
    default:
      return undefined
  }
}

function debtStep(log: ReceiptLog, index: bigint, token: EvmAddress): Step | undefined {
  const position = { contract: log.address, id: index }
  switch (log.topics[0]) {
    case DRAW:
      return { kind: 'borrow', token, position, amountRaw: word(log, 1) ?? 0n }
    case WIPE:
      return { kind: 'repay', token, position, amountRaw: word(log, 0) ?? 0n }
    default:
      return undefined
  }
}

/** The urn pays right before this log. */
function claim(log: ReceiptLog, wallet: EvmAddress, { before }: LogContext): Step | undefined {
  const amountRaw = word(log, 1)
  const [paid] = before ? transfersOf(before) : []
  if (addressWord(log, 0) !== wallet || paid?.to !== wallet || paid.amountRaw !== amountRaw) return undefined
  return { kind: 'claim', token: paid.token, amountRaw }
}
