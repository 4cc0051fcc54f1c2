import { getContractAddress } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../history/changes.ts'
import type { DebtStep, FamilyHistory, NftStep, PositionKey } from '../../history/family-history.ts'
import { addressTopic, addressWord, topicOf, word, wordsOf } from '../../history/log-words.ts'
import { tokenOf } from './tokens.ts'

/** Of the liquidity layer: contract, token; supplied, borrowed (negative: withdrawn, repaid), receivers, its sums. */
const MOVED = topicOf('LogOperate(address,address,int256,int256,address,address,uint256,uint256)')
/** Of a vault, nothing indexed: caller, NFT, collateral, debt, receiver. Of sides that lie in a pool, in its shares. */
const OPERATED = topicOf('LogOperate(address,uint256,int256,int256,address)')
/** Of a pool that trades between its collateral and its debt after an action. */
const ARBITRAGE = topicOf('LogArbitrage(int256,uint256)')

/** Vaults whose addresses are known. Ethereum had fewer than 200 in 2026. */
const MOST_VAULTS = 1_024n
const WORD_BITS = 256

type Contracts = { liquidity: EvmAddress; vaultFactory: EvmAddress }

/** An amount that came into the liquidity layer for a position, or went out. */
type Payment = {
  token: EvmAddress
  /** Signed as in the logs. One of them is zero. */
  supplied: bigint
  borrowed: bigint
  operation: ReceiptLog
}

/**
 * A position is an NFT. Its vault logs which one, and the amounts in units of its own; the liquidity layer logs the tokens and
 * what moved, for the vault or for the pool whose shares lie in it. Liquidations name no position: they move nothing in the
 * owner's wallet.
 */
export function fluidHistory({ liquidity, vaultFactory }: Contracts): FamilyHistory {
  const isOperation = operationsOf(vaultFactory)
  const paymentAt = (logs: readonly ReceiptLog[], place: number) =>
    logs[place]?.address === liquidity ? paymentOf(logs, place, isOperation) : undefined
  const keyOf = (operation: ReceiptLog): PositionKey => ({ contract: vaultFactory, id: word(operation, 1) ?? 0n })
  return {
    purposes: { lent: 'lend', smart: 'liquidity', manager: 'deposit' },
    contracts: [liquidity],
    step: (log, wallet, { earlier, later }) => {
      const before = earlier()
      const logs = [...before, log, ...later()]
      const payment = paymentAt(logs, before.length)
      if (!payment || !isOf(logs, wallet, { payment, key: keyOf(payment.operation) })) return undefined
      return debtStep(payment, keyOf(payment.operation))
    },
    nftSteps: (logs) => {
      const payments = logs.flatMap((_, place) => paymentAt(logs, place) ?? [])
      return [...Map.groupBy(payments, ({ operation }) => operation)].map(([operation, own]) =>
        collateralStep(keyOf(operation), own, [liquidity, operation.address]),
      )
    },
  }
}

/** Whether a log is a vault's. The factory makes nothing but vaults, so that its numbers lead to all of them. */
function operationsOf(vaultFactory: EvmAddress): (log: ReceiptLog) => boolean {
  let vaults: ReadonlySet<EvmAddress> | undefined
  return ({ address, topics }) => {
    if (topics[0] !== OPERATED) return false
    vaults ??= vaultsOf(vaultFactory)
    return vaults.has(address)
  }
}

function vaultsOf(from: EvmAddress): ReadonlySet<EvmAddress> {
  const numbers = Array.from({ length: Number(MOST_VAULTS) }, (_, i) => BigInt(i + 1))
  return new Set(numbers.map((nonce) => evmAddress(getContractAddress({ from, nonce }))))
}

function paymentOf(
  logs: readonly ReceiptLog[],
  place: number,
  isOperation: (log: ReceiptLog) => boolean,
): Payment | undefined {
  const log = logs[place]
  const [contract, token] = log?.topics[0] === MOVED ? [addressTopic(log, 1), addressTopic(log, 2)] : []
  if (!log || contract === undefined || token === undefined) return undefined
  const [supplied, borrowed] = [signed(word(log, 0)), signed(word(log, 1))]
  // A trade between collateral and debt moves both, without a payment.
  if ((supplied === 0n) === (borrowed === 0n)) return undefined
  const next = logs.slice(place + 1).find((one) => one.address === contract && one.topics[0] !== ARBITRAGE)
  const operation = next && (isOperation(next) ? next : operationWith(logs, place, next, isOperation))
  return operation && { token: tokenOf(token), supplied, borrowed, operation }
}

/** The operation of the shares that a pool logs: the next one, else the last, as some pay before they log and some after. */
function operationWith(
  logs: readonly ReceiptLog[],
  place: number,
  shared: ReceiptLog,
  isOperation: (log: ReceiptLog) => boolean,
): ReceiptLog | undefined {
  const amounts = new Set(wordsOf(shared))
  const isWanted = (log: ReceiptLog) =>
    isOperation(log) && [sizeAt(log, 2), sizeAt(log, 3)].some((shares) => shares > 0n && amounts.has(shares))
  return logs.slice(place + 1).find(isWanted) ?? logs.slice(0, place).findLast(isWanted)
}

/** Whether the wallet acted, or got or gave the NFT in the same transaction, as by way of a router. */
function isOf(
  logs: readonly ReceiptLog[],
  wallet: EvmAddress,
  { payment: { operation }, key }: { payment: Payment; key: PositionKey },
): boolean {
  if (addressWord(operation, 0) === wallet) return true
  return logs
    .flatMap(transfersOf)
    .some(
      ({ token, tokenId, from, to }) =>
        token === key.contract && tokenId === key.id && (from === wallet || to === wallet),
    )
}

function debtStep({ token, borrowed }: Payment, position: PositionKey): DebtStep | undefined {
  if (borrowed === 0n) return undefined
  const kind = borrowed > 0n ? 'borrow' : 'repay'
  return { kind, token, amountRaw: sizeOf(borrowed), position }
}

function collateralStep(
  { contract: manager, id: tokenId }: PositionKey,
  payments: readonly Payment[],
  payers: readonly EvmAddress[],
): NftStep {
  const amounts = (isWanted: (supplied: bigint) => boolean) =>
    payments.flatMap(({ token, supplied }) => (isWanted(supplied) ? [{ token, amountRaw: sizeOf(supplied) }] : []))
  return {
    manager,
    tokenId,
    payers,
    purpose: 'deposit',
    put: amounts((supplied) => supplied > 0n),
    principal: amounts((supplied) => supplied < 0n),
    fees: [],
    reduced: false,
  }
}

const signed = (value: bigint | undefined): bigint => BigInt.asIntN(WORD_BITS, value ?? 0n)
const sizeOf = (value: bigint): bigint => (value < 0n ? -value : value)
const sizeAt = (log: ReceiptLog, place: number): bigint => sizeOf(signed(word(log, place)))
