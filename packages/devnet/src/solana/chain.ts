import type { Address } from '@solana/kit'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { createAccounts, fromMachine, type SolanaAccount } from './accounts.ts'
import { createBlockhashes } from './blockhashes.ts'
import { type Execution, notRun, readExecution } from './execution.ts'
import { balancesOf, feeOf, type LandedTransaction, memoOf } from './landed-transaction.ts'
import { createSlotClock } from './slot-clock.ts'
import { SLOTS_PER_EPOCH } from './timeline.ts'
import { createTransactionLog } from './transaction-log.ts'
import { loadAddresses, type WireTransaction } from './wire-transaction.ts'

type SimulationChecks = { signatures: boolean; blockhash: boolean }
export type Simulation = Execution & { accountAfter(address: Address): SolanaAccount | null }

export type ChainStart = {
  /** The first slot; the beginning of epoch 900 unless told. */
  slot?: bigint
  /** Unix seconds of the first slot; the present unless told. */
  unixTime?: bigint
}

const FIRST_SLOT = 900n * SLOTS_PER_EPOCH
const MS = 1000

type Machine = ReturnType<typeof createMachine>

const createMachine = (start: ChainStart) => {
  // Age of block hashes and repeated transactions are judged here: the machine knows one hash, and forgets transactions.
  const svm = new LiteSVM().withNativeMints().withBlockhashCheck(false).withTransactionHistory(0n)
  const first = { slot: start.slot ?? FIRST_SLOT, unixTime: start.unixTime ?? BigInt(Math.floor(Date.now() / MS)) }
  const clock = createSlotClock(svm, first)
  const blockhashes = createBlockhashes(svm, first.slot)
  const accounts = createAccounts(svm)
  return {
    svm,
    clock,
    blockhashes,
    accounts,
    log: createTransactionLog(),
    inNewSlot: (move: () => void): void => {
      move()
      blockhashes.add(clock.slot())
      accounts.sysvarsChanged()
    },
  }
}

const createRunner = ({ svm, clock, blockhashes, accounts, log, inNewSlot }: Machine) => {
  const tableOf = (address: Address): Uint8Array | null => accounts.get(address)?.data ?? null

  const refusal = (sent: WireTransaction): Execution | null => {
    if (log.get(sent.signature)) return notRun('AlreadyProcessed')
    return blockhashes.isRecent(sent.message.lifetimeToken) ? null : notRun('BlockhashNotFound')
  }

  const run = (sent: WireTransaction): LandedTransaction | Execution => {
    const loaded = loadAddresses(sent, tableOf)
    if (!loaded) return notRun('AddressLookupTableNotFound')
    const keys = [...sent.message.staticAccounts, ...loaded.writable, ...loaded.readonly]
    inNewSlot(() => clock.moveTo(clock.slot() + 1n))
    const before = balancesOf(accounts.get, keys)
    const execution = readExecution(svm.sendTransaction(sent.transaction))
    accounts.changed()
    const after = balancesOf(accounts.get, keys)
    const fee = feeOf(before, after)
    // What cost nothing was turned away at the door: it is in no block.
    if (fee === 0n) return execution
    const when = { slot: clock.slot(), blockTime: clock.time() }
    const landed = { ...sent, ...execution, ...when, keys, loaded, fee, before, after, memo: memoOf(sent) }
    log.add(landed)
    return landed
  }

  const simulate = (sent: WireTransaction, checks: SimulationChecks): Simulation => {
    const refused = checks.blockhash ? refusal(sent) : null
    if (refused) return { ...refused, accountAfter: accounts.get }
    svm.withSigverify(checks.signatures)
    const result = svm.simulateTransaction(sent.transaction)
    svm.withSigverify(true)
    const changed = result instanceof FailedTransactionMetadata ? [] : result.postAccounts()
    const after = new Map(changed.map((each) => [each.address, fromMachine(each)]))
    return { ...readExecution(result), accountAfter: (address) => after.get(address) ?? accounts.get(address) }
  }

  return {
    /** Runs a transaction in the next slot. An answer without a slot is of one that is in no block. */
    execute: (sent: WireTransaction): LandedTransaction | Execution => refusal(sent) ?? run(sent),
    /** Runs a transaction without keeping what it does. */
    simulate,
  }
}

/**
 * Solana's virtual machine with its real programs as a chain: every transaction is in a slot of its own, all are kept and
 * final at once, block hashes expire after 150 slots. Everything that changes state goes through here.
 */
export type SolanaChain = ReturnType<typeof createSolanaChain>

export const createSolanaChain = (start: ChainStart = {}) => {
  const machine = createMachine(start)
  const { svm, clock, blockhashes, accounts, log, inNewSlot } = machine
  return {
    slot: clock.slot,
    epoch: clock.epoch,
    /** Unix seconds of the present slot. */
    time: clock.time,
    /** Unix seconds of any slot since the first; null for others. */
    timeOf: clock.timeOf,
    latestBlockhash: blockhashes.latest,
    rentExemption: (bytes: bigint): bigint => svm.minimumBalanceForRentExemption(bytes),
    account: accounts.get,
    programAccounts: accounts.ofProgram,
    /** Puts an account in place, whatever was there. Its lamports come from nowhere. */
    setAccount: accounts.set,
    transactions: { get: log.get, of: log.of, count: log.count },
    ...createRunner(machine),
    /** The next slot, or any later one: those between are empty, and time passes with them. */
    moveTo: (slot: bigint = clock.slot() + 1n): void => inNewSlot(() => clock.moveTo(slot)),
    /** The first slot of a later epoch. */
    moveToEpoch: (epoch: bigint): void => inNewSlot(() => clock.moveTo(epoch * SLOTS_PER_EPOCH)),
    /** A slot of this time, in Unix seconds, which may not lie before the present one's. */
    setTime: (unixTime: bigint): void => inNewSlot(() => clock.setTime(unixTime)),
    /** Lets empty slots pass until it is the given time; does nothing when it is that late already. */
    catchUp: (unixTimeMs: bigint): void => {
      const slots = clock.slotsUntil(unixTimeMs)
      if (slots > 0n) inNewSlot(() => clock.moveTo(clock.slot() + slots))
    },
    setClusterStake: clock.setClusterStake,
  }
}
