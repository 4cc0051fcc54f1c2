import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction } from '../../../domain/transaction.ts'
import { createGate } from '../../../lib/concurrency.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { addressesWithCode } from './account-states.ts'
import type { ChangedBlock } from './changed-blocks.ts'
import { type FullBlock, fullBlockRequest } from './full-block.ts'
import { effectOf, type KnownActivity, type NativeSearch, noteInner } from './known-activity.ts'
import type { ListedTransaction } from './listed-transaction.ts'
import { readTransactions } from './read-transactions.ts'
import { hitsOfTraces, traceBlock } from './trace-filter.ts'

const AT_ONCE = 4
const PLAIN_TRANSFER_GAS = 21_000n

type Search = Omit<NativeSearch, 'range'>

/**
 * Adds causes to `known`; returns the unexplained rest. Without a tracer, the block's only possible transaction is the
 * cause, its contract the payer.
 */
export async function explainBlocks(search: Search, changed: readonly ChangedBlock[]): Promise<ChangedBlock[]> {
  const gate = createGate(AT_ONCE)
  const byBlock = [...Map.groupBy(changed, ({ block }) => block)]
  const left = await Promise.all(byBlock.map(([block, inIt]) => gate(() => explainBlock(search, block, inIt))))
  return left.flat()
}

async function explainBlock(search: Search, number: bigint, changed: readonly ChangedBlock[]): Promise<ChangedBlock[]> {
  const { endpoint, known } = search
  const block = await endpoint.request(fullBlockRequest(endpoint, number, () => true))
  const wallets = changed.map(({ wallet }) => wallet)
  const isOwn = ({ from, to, valueRaw }: ListedTransaction) =>
    wallets.some((wallet) => from === wallet || (to === wallet && valueRaw > 0n))
  await read(search, block, [...block.transactions.values()].filter(isOwn))
  const rest = () => changed.map((one) => restOf(known, one)).filter(({ changeRaw }) => changeRaw !== 0n)
  if (rest().length === 0) return []
  const traced = await traceBlock(endpoint, number)
  if (traced) {
    const hits = hitsOfTraces(traced, wallets)
    for (const hit of hits) noteInner(known, hit)
    await readTransactions({ endpoint, read: known.transactions }, hits)
  }
  const left: ChangedBlock[] = []
  for (const one of rest()) {
    const isExplained = notePayment(known, block, one, traced !== null)
    if (!isExplained && (traced || !(await noteOnlyCause(search, block, one)))) left.push(one)
  }
  return left
}

function read({ endpoint, known }: Search, { time }: FullBlock, listed: readonly ListedTransaction[]) {
  const found = listed.map((transaction) => ({ ...transaction, time }))
  return readTransactions({ endpoint, read: known.transactions }, found)
}

function restOf(known: KnownActivity, changed: ChangedBlock): ChangedBlock {
  let rest = changed.changeRaw
  for (const transaction of known.transactions.values()) {
    if (transaction.block === changed.block) rest -= effectOf(known, changed.wallet, transaction)
  }
  return { ...changed, changeRaw: rest }
}

/** Withdrawals, fees and the genesis allocation become the block's last transaction, from the zero address. */
function notePayment(
  { payments }: KnownActivity,
  block: FullBlock,
  { wallet, changeRaw }: ChangedBlock,
  isTraced: boolean,
): boolean {
  const withdrawn = block.withdrawals.reduce((sum, { to, amountRaw }) => (to === wallet ? sum + amountRaw : sum), 0n)
  // Without a tracer, an inner call may have paid part of it.
  const isWithdrawal = isTraced ? withdrawn > 0n : withdrawn === changeRaw
  if (changeRaw < 0n || !(isWithdrawal || block.feeRecipient === wallet || block.number === 0n)) return false
  const others = (payments.get(wallet) ?? []).filter((payment) => payment.block !== block.number)
  payments.set(wallet, [...others, paymentOf(block, wallet, changeRaw)])
  return true
}

function paymentOf(block: FullBlock, wallet: EvmAddress, amountRaw: bigint): ChainTransaction {
  return {
    hash: block.hash,
    block: block.number,
    blockHash: block.hash,
    index: block.size,
    time: block.time,
    from: NATIVE,
    to: wallet,
    selector: '0x',
    calls: [],
    succeeded: true,
    feeRaw: 0n,
    feeInToken: false,
    logs: [],
    nativeTransfers: [{ from: NATIVE, to: wallet, amountRaw }],
  }
}

async function noteOnlyCause(search: Search, block: FullBlock, { wallet, changeRaw }: ChangedBlock): Promise<boolean> {
  const { endpoint, known } = search
  const calls = await callsOfContracts(endpoint, block)
  const own = calls.filter(({ hash, from }) => from === wallet || known.named.get(hash)?.has(wallet))
  const [only, ...others] = own.length > 0 ? own : calls
  if (!only || others.length > 0) return false
  await read(search, block, [only])
  const cause = known.transactions.get(only.hash)
  if (!cause?.succeeded || !cause.to) return false
  const [from, to] = changeRaw > 0n ? [cause.to, wallet] : [wallet, cause.to]
  const amountRaw = changeRaw > 0n ? changeRaw : -changeRaw
  noteInner(known, { ...only, wallet, inner: [{ from, to, amountRaw }] })
  return true
}

/** A plain transfer may have excess gas: code at the target decides. */
async function callsOfContracts(endpoint: RpcEndpoint, block: FullBlock): Promise<ListedTransaction[]> {
  const calls = [...block.transactions.values()].filter(
    ({ selector, gasLimit }) => selector !== '0x' || gasLimit !== PLAIN_TRANSFER_GAS,
  )
  const called = [...new Set(calls.flatMap(({ to }) => to ?? []))]
  const contracts = await addressesWithCode(endpoint, called, block.number)
  return calls.filter(({ to }) => to === null || contracts.has(to))
}
