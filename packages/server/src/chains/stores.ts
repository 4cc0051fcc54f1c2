import type { Address } from '../domain/address.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { SolanaAddress } from '../domain/solana-address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { PresentChain, SeenBlock } from './seen-block.ts'

export type StoredContract<A extends Address> = {
  address: A
  role: string
  fungible: boolean
  underlyings: A[]
  alsoShown?: A[]
  data?: Readonly<Record<string, string>>
}

/** `row`: a deployment on the chain. */
export type ProtocolContractStore<A extends Address> = {
  /** Undefined: never listed. `discoveredAt`: Unix milliseconds. */
  find(
    chain: string,
    row: string,
  ): Promise<{ protocolContracts: StoredContract<A>[]; discoveredAt: number } | undefined>
  /** By row, without dropped ones. */
  findAmong(chain: string, addresses: readonly Address[]): Promise<ReadonlyMap<string, StoredContract<A>[]>>
  /** Restores dropped contracts. */
  add(chain: string, row: string, protocolContracts: readonly StoredContract<A>[]): Promise<void>
  markDiscovered(chain: string, row: string): Promise<void>
}

type Row = { chain: string; id: string }

/** Dropped contracts stay stored. */
export type UntrustedContractStore = {
  addresses(row: Row): Promise<EvmAddress[]>
  drop(row: Row, dropped: readonly EvmAddress[]): Promise<void>
}

export type StoredKey = { contract: EvmAddress; key: bigint }

/** `cut`: contracts with more. */
export type StoredKeys = { keys: StoredKey[]; cut: ReadonlySet<EvmAddress> }

/** `block`: newest log. `sent`: as a token; others count where a protocol recognises them. */
export type DueContract = { address: EvmAddress; block: bigint; sent: boolean }

/** `due`: to be examined. `heads`: ends of searches, newest first. */
export type FoundInLogs = {
  due: readonly DueContract[]
  keys: readonly (StoredKey & { block: bigint })[]
  covered: readonly BlockRange[]
  heads: readonly SeenBlock[]
}

/** Coverage is per set of logs. */
export type LogSearchOf = { chain: string; logs: string }

/** `covered`: on the present chain. `isAnew`: another set of logs was covered. `isDue`: contracts are still to be asked. */
export type BegunLogSearch = {
  covered: BlockRange[]
  heads: SeenBlock[]
  isAnew: boolean
  isDue: boolean
  tokens: EvmAddress[]
  keys: StoredKey[]
}

export type DiscoveryStore = {
  findTokens(wallet: EvmAddress, chain: string): Promise<EvmAddress[]>
  /** The oldest and newest per contract: anyone can give a wallet any number of position IDs. */
  findKeys(of: WalletOnChain, contracts: readonly EvmAddress[]): Promise<StoredKeys>
  begin(
    of: LogSearchOf & { contracts: readonly EvmAddress[] },
    heads: ReadonlyMap<EvmAddress, SeenBlock>,
    present: PresentChain,
  ): Promise<ReadonlyMap<EvmAddress, BegunLogSearch>>
  /** Results and coverage change together. */
  save(of: LogSearchOf, found: ReadonlyMap<EvmAddress, FoundInLogs>): Promise<void>
  /** Newest first. `perEnd`: of the newest and of the oldest. `total`: all due. */
  findDue(of: WalletOnChain, perEnd: number): Promise<{ contracts: DueContract[]; total: number }>
  /** `tokens`: those of `asked` that are tokens of the wallet. */
  settle(of: WalletOnChain, asked: readonly EvmAddress[], tokens: readonly EvmAddress[]): Promise<void>
}

/** Tokens whose balance refuses every wallet. Times in Unix milliseconds. */
export type RefusalStore = {
  find(chain: string): Promise<ReadonlyMap<EvmAddress, number>>
  add(chain: string, tokens: readonly EvmAddress[], since: number): Promise<void>
  forget(chain: string, tokens: readonly EvmAddress[]): Promise<void>
}

export type UsedProgramStore = {
  find(of: WalletOnChain): Promise<SolanaAddress[]>
  findCoverage(of: WalletOnChain): Promise<BlockRange[]>
  /** Programs and coverage change together. */
  save(of: WalletOnChain, found: { programs: readonly SolanaAddress[]; covered: readonly BlockRange[] }): Promise<void>
}
