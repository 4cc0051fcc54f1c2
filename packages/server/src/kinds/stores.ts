import type { Address } from '../domain/address.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { SolanaAddress } from '../domain/solana-address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { FindTokenAccounts, StoredHistories, StoredSums } from './histories.ts'
import type { PresentChain, SeenBlock } from './seen-block.ts'

/** A contract of a protocol, as the family that found it describes it. */
export type StoredContract<A extends Address> = {
  address: A
  role: string
  fungible: boolean
  underlyings: A[]
  alsoShown?: A[]
  data?: Readonly<Record<string, string>>
}

/** Contracts of protocols, found once for all wallets. `row` names a catalog row on its chain. */
export type InstrumentStore<A extends Address> = {
  /** Undefined for a row that was never listed. `discoveredAt`: in ms. */
  find(chain: string, row: string): Promise<{ instruments: StoredContract<A>[]; discoveredAt: number } | undefined>
  /** Those that are stored of some contracts, by row, without dropped ones. */
  findAmong(chain: string, addresses: readonly Address[]): Promise<ReadonlyMap<string, StoredContract<A>[]>>
  /** Adds what was found, also where it was dropped. */
  add(chain: string, row: string, instruments: readonly StoredContract<A>[]): Promise<void>
  markDiscovered(chain: string, row: string): Promise<void>
}

type Row = { chain: string; id: string }

/** Which of a row's stored contracts are dropped: kept, and not read. */
export type StrangerStore = {
  /** Every contract of the row, dropped ones included. */
  addresses(row: Row): Promise<EvmAddress[]>
  drop(row: Row, dropped: readonly EvmAddress[]): Promise<void>
}

/** Something that a contract's log gave to a wallet under a key. */
export type StoredKey = { contract: EvmAddress; key: bigint }

/** Keys in the order of their blocks. `cut`: contracts with more keys than are returned. */
export type StoredKeys = { keys: StoredKey[]; cut: ReadonlySet<EvmAddress> }

/** `block`: of the newest log that names it. `sent`: as a token; others count where a protocol recognises them. */
export type DueContract = { address: EvmAddress; block: bigint; sent: boolean }

/**
 * What a search of a wallet's logs found. `due`: contracts that are to be asked what they are. `block`: of the log that
 * named the key. `heads`: at which searches of the wallet ended, newest first.
 */
export type FoundInLogs = {
  due: readonly DueContract[]
  keys: readonly (StoredKey & { block: bigint })[]
  covered: readonly BlockRange[]
  heads: readonly SeenBlock[]
}

/** A search of a set of logs on a chain. The coverage of another set does not count. */
export type LogSearchOf = { chain: string; logs: string }

/**
 * What is known of a wallet when a search of its logs begins. `covered`: what holds on the present chain. `heads`: at
 * which its searches ended, newest first, with the present one. `isAnew`: another set of logs was searched before, whose
 * coverage is forgotten. `isDue`: contracts of earlier searches are still to be asked.
 */
export type BegunLogSearch = {
  covered: BlockRange[]
  heads: SeenBlock[]
  isAnew: boolean
  isDue: boolean
  tokens: EvmAddress[]
  keys: StoredKey[]
}

/** What wallets' logs have named, tokens and keys, and which blocks were looked through. */
export type DiscoveryStore = {
  findTokens(wallet: EvmAddress, chain: string): Promise<EvmAddress[]>
  /** The oldest and the newest keys of each contract; anyone can give a wallet any number of them. */
  findKeys(of: WalletOnChain, contracts: readonly EvmAddress[]): Promise<StoredKeys>
  /** Begins searches that end at `heads`, each at its own. `contracts`: whose keys are wanted. */
  begin(
    of: LogSearchOf & { contracts: readonly EvmAddress[] },
    heads: ReadonlyMap<EvmAddress, SeenBlock>,
    present: PresentChain,
  ): Promise<ReadonlyMap<EvmAddress, BegunLogSearch>>
  /** Results and coverage change together, of all wallets. */
  save(of: LogSearchOf, found: ReadonlyMap<EvmAddress, FoundInLogs>): Promise<void>
  /** The newest and the oldest contracts that are still to be asked, newest first; `total`: how many there are. */
  findDue(of: WalletOnChain, perEnd: number): Promise<{ contracts: DueContract[]; total: number }>
  /** Contracts were asked; of them these are tokens of the wallet from now on. */
  settle(of: WalletOnChain, asked: readonly EvmAddress[], tokens: readonly EvmAddress[]): Promise<void>
}

/** Tokens whose balance refuses every wallet, with the time of the first refusal in ms. */
export type RefusalStore = {
  find(chain: string): Promise<ReadonlyMap<EvmAddress, number>>
  add(chain: string, tokens: readonly EvmAddress[], since: number): Promise<void>
  forget(chain: string, tokens: readonly EvmAddress[]): Promise<void>
}

/** Which programs a wallet has used, and which slots were looked through for them. */
export type UsedProgramStore = {
  find(of: WalletOnChain): Promise<SolanaAddress[]>
  findCoverage(of: WalletOnChain): Promise<BlockRange[]>
  /** Programs and coverage change together: a slot is never covered without what was found in it. */
  save(of: WalletOnChain, found: { programs: readonly SolanaAddress[]; covered: readonly BlockRange[] }): Promise<void>
}

/** What is stored for all kinds; each uses what it needs. */
export type KindStores = {
  instruments: InstrumentStore<EvmAddress>
  /** `row` names a family. */
  mintLeads: Pick<InstrumentStore<SolanaAddress>, 'findAmong' | 'add'>
  strangers: StrangerStore
  discoveries: DiscoveryStore
  refusals: RefusalStore
  usedPrograms: UsedProgramStore
  histories: StoredHistories
  sums: StoredSums
  findTokenAccounts: FindTokenAccounts
}
