import { getContractAddress } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, topicOf, word, wordsOf } from '../../decode/log-words.ts'
import type { NftStep, PositionKey, ProtocolHistory } from '../../decode/protocol-history.ts'

/** Contract, token; supplied, borrowed (negative: withdrawn, repaid). */
const MOVED = topicOf('LogOperate(address,address,int256,int256,address,address,uint256,uint256)')
/** Caller, NFT, collateral, debt, receiver. Sides in a pool are in its shares. */
const OPERATED = topicOf('LogOperate(address,uint256,int256,int256,address)')
const ARBITRAGE = topicOf('LogArbitrage(int256,uint256)')

/** Ethereum had fewer than 200 vaults in 2026. */
const MOST_VAULTS = 1_024
const WORD_BITS = 256

type Payment = {
  token: EvmAddress
  /** One of them is zero. */
  supplied: bigint
  borrowed: bigint
  operation: ReceiptLog
}

/** The vault logs the NFT, the liquidity layer tokens and amounts. Liquidations move nothing of the owner. */
export function fluidHistory({
  liquidity,
  vaultFactory,
}: Record<'liquidity' | 'vaultFactory', EvmAddress>): ProtocolHistory {
  const isOperation = operationsOf(vaultFactory)
  const paymentAt = (logs: readonly ReceiptLog[], place: number) =>
    logs[place]?.address === liquidity ? paymentOf({ logs, place, isOperation }) : undefined
  const keyOf = (operation: ReceiptLog): PositionKey => ({ contract: vaultFactory, id: word(operation, 1) ?? 0n })
  return {
    purposes: { lent: 'lend', smart: 'liquidity', manager: 'deposit' },
    contracts: [liquidity],
    step: (log, wallet, { earlier, later }) => {
      const before = earlier()
      const logs = [...before, log, ...later()]
      const payment = paymentAt(logs, before.length)
      if (!payment || payment.borrowed === 0n) return undefined
      const { token, borrowed, operation } = payment
      const position = keyOf(operation)
      if (addressWord(operation, 0) !== wallet && !isPassed(logs, position, wallet)) return undefined
      return { kind: borrowed > 0n ? 'borrow' : 'repay', token, amountRaw: sizeOf(borrowed), position }
    },
    nftSteps: (logs) => {
      const payments = logs.flatMap((_, place) => paymentAt(logs, place) ?? [])
      return [...Map.groupBy(payments, ({ operation }) => operation)].map(([operation, own]) =>
        collateralStep(keyOf(operation), own, [liquidity, operation.address]),
      )
    },
  }
}

/** The factory creates only vaults: its nonces lead to their addresses. */
function operationsOf(from: EvmAddress): (log: ReceiptLog) => boolean {
  let vaults: ReadonlySet<EvmAddress> | undefined
  const vaultAt = (nonce: number) => evmAddress(getContractAddress({ from, nonce: BigInt(nonce) }))
  return ({ address, topics }) => {
    if (topics[0] !== OPERATED) return false
    vaults ??= new Set(Array.from({ length: MOST_VAULTS }, (_, i) => vaultAt(i + 1)))
    return vaults.has(address)
  }
}

/** `place`: of the liquidity layer's log. */
type Logged = { logs: readonly ReceiptLog[]; place: number; isOperation(log: ReceiptLog): boolean }

function paymentOf(logged: Logged): Payment | undefined {
  const { logs, place, isOperation } = logged
  const log = logs[place]
  const [contract, token] = log?.topics[0] === MOVED ? [addressTopic(log, 1), addressTopic(log, 2)] : []
  if (!log || contract === undefined || token === undefined) return undefined
  const [supplied, borrowed] = [signed(word(log, 0)), signed(word(log, 1))]
  // A trade between collateral and debt moves both, without a payment.
  if ((supplied === 0n) === (borrowed === 0n)) return undefined
  const next = logs.slice(place + 1).find((one) => one.address === contract && one.topics[0] !== ARBITRAGE)
  const operation = next && (isOperation(next) ? next : operationWith(logged, next))
  return operation && { token: tokenOf(token), supplied, borrowed, operation }
}

/** Some pay before they log, some after. */
function operationWith({ logs, place, isOperation }: Logged, shared: ReceiptLog): ReceiptLog | undefined {
  const amounts = new Set(wordsOf(shared))
  const isWanted = (log: ReceiptLog) =>
    isOperation(log) && [sizeAt(log, 2), sizeAt(log, 3)].some((shares) => shares > 0n && amounts.has(shares))
  return logs.slice(place + 1).find(isWanted) ?? logs.slice(0, place).findLast(isWanted)
}

const isPassed = (logs: readonly ReceiptLog[], { contract, id }: PositionKey, wallet: EvmAddress) =>
  logs
    .flatMap(transfersOf)
    .some(({ token, tokenId, from, to }) => token === contract && tokenId === id && [from, to].includes(wallet))

function collateralStep(
  { contract: manager, id: tokenId }: PositionKey,
  payments: readonly Payment[],
  payers: readonly EvmAddress[],
): NftStep {
  const amounts = (isWanted: (payment: Payment) => boolean) =>
    payments.filter(isWanted).map(({ token, supplied }) => ({ token, amountRaw: sizeOf(supplied) }))
  return {
    manager,
    tokenId,
    payers,
    purpose: 'deposit',
    put: amounts(({ supplied }) => supplied > 0n),
    principal: amounts(({ supplied }) => supplied < 0n),
    fees: [],
    reduced: false,
  }
}

const signed = (value: bigint | undefined): bigint => BigInt.asIntN(WORD_BITS, value ?? 0n)
const sizeOf = (value: bigint): bigint => (value < 0n ? -value : value)
const sizeAt = (log: ReceiptLog, place: number): bigint => sizeOf(signed(word(log, place)))

/** Placeholder for the native coin. */
const COIN: EvmAddress = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

export function tokenOf(address: string): EvmAddress {
  const token = evmAddress(address)
  return token === COIN ? NATIVE : token
}
