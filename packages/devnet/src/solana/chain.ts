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
  /** Default: the start of epoch 900. */
  slot?: bigint
  /** Unix seconds. Default: the present. */
  unixTime?: bigint
}

const FIRST_SLOT = 900n * SLOTS_PER_EPOCH
const MS = 1000

type Machine = ReturnType<typeof createMachine>

const createMachine = (start: ChainStart) => {
  // Checked here: the machine knows one hash and forgets transactions.
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
    // The transaction was rejected before execution and is in no block.
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
    /** Runs in the next slot. A result without a slot is in no block. */
    execute: (sent: WireTransaction): LandedTransaction | Execution => refusal(sent) ?? run(sent),
    /** Keeps no effects. */
    simulate,
  }
}

/**
 * Solana's virtual machine as a chain. Every transaction has its own slot and is final at once. Block hashes expire
 * after 150 slots. All state changes go through here.
 */
export type SolanaChain = ReturnType<typeof createSolanaChain>

export const createSolanaChain = (start: ChainStart = {}) => {
  const machine = createMachine(start)
  const { svm, clock, blockhashes, accounts, log, inNewSlot } = machine
  return {
    slot: clock.slot,
    epoch: clock.epoch,
    /** Unix seconds. */
    time: clock.time,
    /** Unix seconds since the first slot, else null. */
    timeOf: clock.timeOf,
    latestBlockhash: blockhashes.latest,
    rentExemption: (bytes: bigint): bigint => svm.minimumBalanceForRentExemption(bytes),
    account: accounts.get,
    programAccounts: accounts.ofProgram,
    /** Replaces any account. Its lamports are new. */
    setAccount: accounts.set,
    transactions: { get: log.get, of: log.of, count: log.count },
    ...createRunner(machine),
    /** Slots in between are empty and time passes. */
    moveTo: (slot: bigint = clock.slot() + 1n): void => inNewSlot(() => clock.moveTo(slot)),
    moveToEpoch: (epoch: bigint): void => inNewSlot(() => clock.moveTo(epoch * SLOTS_PER_EPOCH)),
    /** Unix seconds, not before the current slot's. */
    setTime: (unixTime: bigint): void => inNewSlot(() => clock.setTime(unixTime)),
    /** Adds empty slots. Does nothing if the time has passed. */
    catchUp: (unixTimeMs: bigint): void => {
      const slots = clock.slotsUntil(unixTimeMs)
      if (slots > 0n) inNewSlot(() => clock.moveTo(clock.slot() + slots))
    },
    setClusterStake: clock.setClusterStake,
  }
}
