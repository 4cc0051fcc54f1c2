import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'
import { legOf } from '../../legs.ts'
import { type Leg, type Part, positionPart, type Remainder } from './changes.ts'
import { addressTopic, topicOf, word } from './log-words.ts'
import type { Scene } from './scene.ts'

export const ENTRY_POINT_PROTOCOL = 'erc4337'

/** ERC-4337, at the same address on every chain. Source: viem. */
export const entryPoints: readonly { version: string; address: EvmAddress }[] = [
  { version: 'v0.6', address: '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789' },
  { version: 'v0.7', address: '0x0000000071727de22e5e9d8baf0edac6f37da032' },
  { version: 'v0.8', address: '0x4337084d9e255ff0702461cf8895ce9e3b5ff108' },
  { version: 'v0.9', address: '0x433709009b8330fda32311df1c2afa402ed8d009' },
]

/** `costRaw`: gas in base units of native coin, zero if a paymaster paid. */
export type UserOperation = { entryPoint: EvmAddress; costRaw: bigint; succeeded: boolean }

export type Fee = { token: EvmAddress; amountRaw: bigint; counterparty: EvmAddress | null }

const ADDRESSES: ReadonlySet<EvmAddress> = new Set(entryPoints.map(({ address }) => address))

/** Events count only from these contracts. */
export const isEntryPoint = (address: EvmAddress): boolean => ADDRESSES.has(address)

/** Topics: hash, sender, paymaster. Data: nonce, success, actualGasCost, actualGasUsed. */
const USER_OPERATION = topicOf('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)')
const [SENDER, PAYMASTER] = [2, 3]
const [SUCCESS, COST] = [1, 2]
const DEPOSITED = topicOf('Deposited(address,uint256)')
const WITHDRAWN = topicOf('Withdrawn(address,address,uint256)')

export function userOperations(logs: readonly ReceiptLog[], account: EvmAddress): UserOperation[] {
  return logs.flatMap((log): UserOperation[] => {
    const isOwn = log.topics[0] === USER_OPERATION && isEntryPoint(log.address) && addressTopic(log, SENDER) === account
    if (!isOwn) return []
    const costRaw = addressTopic(log, PAYMASTER) === NATIVE ? (word(log, COST) ?? 0n) : 0n
    return [{ entryPoint: log.address, costRaw, succeeded: word(log, SUCCESS) === 1n }]
  })
}

/** Coin sent ahead is a deposit, from which gas is paid. */
export function operationLegs({ tx, wallet, operations }: Scene, rest: Remainder): { legs: Leg[]; fees: Fee[] } {
  const isDeposit = ({ topics: [topic] }: ReceiptLog) => topic === DEPOSITED || topic === WITHDRAWN
  const isOwn = (log: ReceiptLog) => isEntryPoint(log.address) && isDeposit(log) && addressTopic(log, 1) === wallet
  const changes = tx.logs.filter(isOwn)
  const used = new Set([...operations.map(({ entryPoint }) => entryPoint), ...changes.map(({ address }) => address)])
  const found = [...used].map((entryPoint) => {
    const own = operations.filter((operation) => operation.entryPoint === entryPoint)
    const isSentAhead = changes.some(({ address, topics }) => address === entryPoint && topics[0] === DEPOSITED)
    return legsAt(entryPoint, { own, isSentAhead }, rest)
  })
  return { legs: found.flatMap(({ legs }) => legs), fees: found.flatMap(({ fees }) => fees) }
}

function legsAt(
  entryPoint: EvmAddress,
  { own, isSentAhead }: { own: readonly UserOperation[]; isSentAhead: boolean },
  rest: Remainder,
) {
  const costRaw = own.reduce((sum, operation) => sum + operation.costRaw, 0n)
  const fees = costRaw > 0n ? [{ token: NATIVE, amountRaw: costRaw, counterparty: entryPoint }] : []
  const parts = rest.take(({ token, counterparty }) => token === NATIVE && counterparty === entryPoint)
  // A node without traces does not show coin sent ahead.
  if (parts.length === 0 && isSentAhead) return { legs: [], fees }
  const amountRaw = parts.reduce((sum, part) => sum + part.amountRaw, costRaw)
  if (amountRaw === 0n) return { legs: [], fees }
  const place = Math.max(0, ...parts.map((part) => part.place))
  const moved: Part = { token: NATIVE, tokenId: null, amountRaw, counterparty: entryPoint, debt: false, place }
  const into = amountRaw < 0n ? 'DEPOSIT' : 'WITHDRAW'
  const [type, protocol] = own.length > 0 ? (['EXPENSE', null] as const) : ([into, ENTRY_POINT_PROTOCOL] as const)
  return {
    legs: [legOf(type, 'move', protocol, [moved, positionPart({ contract: entryPoint, id: 0n }, [moved])])],
    fees,
  }
}
