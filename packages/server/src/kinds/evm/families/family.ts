import type { Abi } from 'viem'
import type { z } from 'zod'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Position, PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { ProtocolRow } from '../../protocol-row.ts'
import type { FamilyHistory } from '../history/family-history.ts'
import type { SearchedLogs } from '../logs/key-logs.ts'
import type { EvmReader, Lens } from '../reader/evm-reader.ts'

/** Something that a log gave to a wallet. It may have left the wallet since: a family asks the contract. */
export type WalletKey = { contract: EvmAddress; key: bigint }

/**
 * A contract of a protocol whose `balanceOf(wallet)` says whether the wallet has something there: receipt token, debt
 * token, market, pair, vault, position manager, farm. Found once for all wallets, stored, and scanned with the tokens.
 */
export type Instrument = {
  address: EvmAddress
  /** What it is to its family, e.g. `supply`, `debt`, `market`, `pair`, `vault`, `manager`. */
  role: string
  /**
   * A unit is a share of the underlyings: `decompose` resolves it, and the wallet view shows it as a token. False for
   * debts, position managers and other things that are counted but not owned as a token.
   */
  fungible: boolean
  /**
   * The tokens behind one unit, in the family's order; empty when only a read can tell. Of an instrument that is not
   * fungible, all tokens that its position shows.
   */
  underlyings: EvmAddress[]
  /** Of a fungible one, tokens that its position may show beside them, such as collateral and rewards: priced ahead. */
  alsoShown?: EvmAddress[]
  /** Facts the family wants back with it (JSON). */
  data?: Readonly<Record<string, string>>
}

/**
 * An address beside the wallet where things of the wallet lie, such as a sub-account; `held` are those of the row's
 * instruments that have a balance there. A family counts them once the chain says that the address is the wallet's.
 */
export type FurtherOwner = { address: EvmAddress; held: readonly HeldInstrument[] }

/** What a read of the chain adds to what logs named: keys, and contracts where the wallet may have something. */
export type FurtherKeys = { keys: readonly WalletKey[]; contracts: readonly EvmAddress[] }

type At<D> = { reader: EvmReader; deployment: D }

/**
 * Reports why a part of the protocol is missing from the positions; `instrument` if it is one contract, with `part` where
 * the rest of its position is returned. The protocol is then named as incomplete, unless nothing vouches for the contract.
 */
export type LeftOut = (why: unknown, instrument?: Instrument, isPart?: 'part') => void

/**
 * The logic that forks share, as functions over a reader: no prices, no clock, no other I/O, no swallowed failures. A
 * family that cannot read rejects, and the collector keeps its last good positions. It throws no `UpstreamError` of its
 * own: those are node failures and fail the whole chain.
 */
export type Family<D> = {
  readonly name: string
  /** What a row must say about one deployment; rows of the configuration are checked against it. */
  readonly deployment: z.ZodType<D>
  /** The protocols of this family that ship, one row a protocol and chain. */
  readonly rows: readonly FamilyRow[]
  /** Code of this family that travels with its reads. */
  readonly lenses?: readonly Lens<Abi>[]
  /**
   * A wallet may have something here although no instrument shows a balance (a debt, unclaimed rewards): `positions`
   * is then called for every wallet. Without it only wallets that hold an instrument cost reads.
   */
  readonly readsEveryWallet?: true
  /**
   * The contracts that a deployment names, where addresses in it are not all contracts. A row that is not wholly there at
   * a past block, and cannot be read, has nothing there.
   */
  contracts?(deployment: D): readonly EvmAddress[]
  /**
   * Every instrument is a position of its own: one whose contract refuses is left out and reported, and the others stand.
   * A family that reads held instruments one by one does so by `eachAlone`.
   */
  readonly eachAlone?: true
  /**
   * Unlisted contracts are untrusted and may report a balance for any wallet. They count only for wallets that received
   * them, according to logs.
   */
  readonly countsWhereSent?: true
  /**
   * Its contracts tell no balances of wallets, such as registries of accounts: the scan leaves them out, and `probe` alone
   * finds them.
   */
  readonly probedOnly?: true
  /** All instruments that can be listed without knowing a wallet. Stored and renewed daily. */
  discover(scope: At<D>): Promise<Instrument[]>
  /**
   * Which of these contracts, found in a wallet's logs, are instruments of this family. They are untrusted: asked
   * again daily, and dropped when no longer recognised. `isListed`: whether a list names a token.
   */
  recognise?(
    scope: At<D> & { tokens: readonly EvmAddress[]; isListed(token: EvmAddress): boolean },
  ): Promise<Instrument[]>
  /**
   * Whether the row itself vouches for the contract; one that was only recognised is untrusted. If absent, it vouches
   * for all.
   */
  vouches?(deployment: D, instrument: Instrument): boolean
  /**
   * Whether the wallet has something at an instrument where its balance is zero, for example a reward for a stake that
   * it took out. The reads leave with the scan of balances and cost every wallet their gas: keep them to one small view.
   * Rejects if the contract refuses. The reader repeats no call, so `positions` may ask the same again.
   */
  probe?(scope: At<D> & { wallet: EvmAddress; instrument: Instrument }): Promise<boolean>
  /**
   * Logs that give wallets something that no contract lists by wallet. They are searched with those of tokens; one that
   * names the wallet at another topic than the second costs each search a request more. Of `any` contract, whatever
   * logs it is offered to `recognise`.
   */
  keyLogs?(deployment: D): readonly SearchedLogs[]
  /**
   * `positions` itself proves that no key is missing, and reports it otherwise. Without it, the protocol is named as
   * incomplete where a wallet has more keys than are read.
   */
  readonly provesKeys?: true
  /**
   * Keys to which the chain leads now, of a wallet for which logs named one. Asked behind reads, whenever its logs were
   * searched, and stored as keys from logs are.
   */
  moreKeys?(scope: At<D> & { wallet: EvmAddress }): Promise<FurtherKeys>
  /**
   * Further addresses of a wallet with these keys, without the wallet itself. Balances of the row's instruments are
   * read there too, and passed to `positions`, which proves that they are the wallet's.
   */
  furtherOwners?(deployment: D, wallet: EvmAddress, keys: readonly WalletKey[]): readonly EvmAddress[]
  /**
   * The wallet's positions. `held` are the instruments with a balance or a probe that found something, `instruments`
   * all of the row, `keys` those that the wallet's logs named so far, also at a past block, `further` the further owners
   * that they lead to. Called for wallets that hold an instrument or have a key. Every read must be issued before the
   * first answer is awaited: reads of one tick share one call, and a second wave is a second trip.
   */
  positions(
    scope: At<D> & {
      wallet: EvmAddress
      instruments: readonly Instrument[]
      held: readonly HeldInstrument[]
      keys: readonly WalletKey[]
      further: readonly FurtherOwner[]
      leftOut: LeftOut
    },
  ): Promise<PositionDraft[]>
  /**
   * The underlyings of `amountRaw` of a fungible instrument; they price the token wherever it appears, so that amounts are in
   * proportion. What an untrusted contract must pay has a `backing`, by which all claims of a read share it. `undefined`: the instrument has a price of its own (or none) and is not decomposed.
   */
  decompose?(scope: At<D> & Decomposed): Promise<TokenAmount[] | undefined>
  /** The factory of a deployment whose pools may price tokens. */
  poolFactory?(deployment: D): PoolFactory
  /** How transactions with a deployment are interpreted. Without it, its instruments are tokens like any other. */
  history?(deployment: D): FamilyHistory
}

/** `balanceRaw` is zero where a probe alone found something. */
export type HeldInstrument = Instrument & { balanceRaw: bigint }

/** `owner`: the wallet that would take the underlyings out, if it is one. */
type Decomposed = { instrument: Instrument; amountRaw: bigint; owner?: EvmAddress | undefined }

/** A factory of pools. */
export type PoolFactory = {
  kind: 'uniswap_v2' | 'uniswap_v3'
  factory: EvmAddress
  /** v2 forks: what a pair keeps of a sale, in millionths; defaults to Uniswap's 0.3 %. */
  feeMillionths?: number
  /** Of a v3 fork with other fee tiers than Uniswap's. */
  feeTiers?: readonly number[]
}

/** A row in the folder of its family. */
export type FamilyRow = Omit<ProtocolRow, 'family'>

/** A family applied to a row: one protocol on one chain, ready to read. */
export type Adapter = {
  /** Unique on its chain; names the row in storage. */
  readonly id: string
  readonly family: string
  readonly key: string
  readonly name: string
  readonly chain: string
  readonly siteUrl: string | undefined
  /** Every contract that the row's deployment names. */
  readonly contracts: readonly EvmAddress[]
  discover(reader: EvmReader): Promise<Instrument[]>
  /** `positions` is to be called even for a wallet that holds none of the instruments. */
  readonly readsEveryWallet: boolean
  /** Some of its instruments are found by their answers. */
  readonly recognises: boolean
  recognise(
    reader: EvmReader,
    tokens: readonly EvmAddress[],
    isListed: (token: EvmAddress) => boolean,
  ): Promise<Instrument[]>
  readonly eachAlone: boolean
  readonly countsWhereSent?: true
  readonly probedOnly?: true
  readonly probe?: (reader: EvmReader, wallet: EvmAddress, instrument: Instrument) => Promise<boolean>
  readonly keyLogs: readonly SearchedLogs[]
  readonly provesKeys: boolean
  readonly moreKeys?: (reader: EvmReader, wallet: EvmAddress) => Promise<FurtherKeys>
  readonly furtherOwners?: (wallet: EvmAddress, keys: readonly WalletKey[]) => readonly EvmAddress[]
  vouches(instrument: Instrument): boolean
  /**
   * `held`: the instruments with a balance or a find of their probe; `instruments`: all that are known of the row;
   * `keys`: those of the row's contracts; `further`: addresses beside the wallet's to which they lead.
   */
  positions(
    reader: EvmReader,
    wallet: EvmAddress,
    found: {
      held: readonly HeldInstrument[]
      instruments: readonly Instrument[]
      keys: readonly WalletKey[]
      further?: readonly FurtherOwner[]
      leftOut: LeftOut
    },
  ): Promise<Position[]>
  readonly history: FamilyHistory
  readonly poolFactory: PoolFactory | undefined
  /** `undefined`: the instrument is no fungible receipt of this family. */
  decompose(reader: EvmReader, share: Decomposed): Promise<TokenAmount[] | undefined>
}
