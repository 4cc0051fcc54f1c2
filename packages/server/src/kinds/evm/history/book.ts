import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import type { Adapter, Instrument } from '../families/family.ts'
import type { Bridge } from './bridge.ts'
import type { ContractLabel, ContractRole } from './contract-labels.ts'
import { exchangeRows } from './exchange-rows.ts'
import type { FamilyHistory } from './family-history.ts'

/** An instrument with the row it belongs to. */
export type KnownInstrument = { adapter: Adapter; instrument: Instrument }

/** What reading a chain's transactions has to know of the addresses in them. */
export type HistoryBook = {
  readonly wrappedNative: EvmAddress | null
  /** Their logs repeat what native transfers say. */
  readonly nativeErc20s: ReadonlySet<EvmAddress>
  /** The token whose balances a contract shows; undefined for one that shows its own. */
  firstFaceOf(address: EvmAddress): EvmAddress | undefined
  instrumentOf(address: EvmAddress): KnownInstrument | undefined
  /** Key of the protocol or bridge whose contract this is, instruments and exchanges' routers among them. */
  protocolOf(address: EvmAddress): string | undefined
  /** Key of the protocol whose rewards this contract pays. */
  rewarderOf(address: EvmAddress): string | undefined
  /** The token grows in wallets without a transfer: what movements do not explain of its balance is interest. */
  isRebasing(token: Address): boolean
  /** Key of the bridge whose contract this is. */
  bridgeOf(address: EvmAddress): string | undefined
  /** What the contract is there for, where a list of contracts or of routers names it. */
  roleOf(address: EvmAddress): ContractRole | undefined
  /** A list names the token: what it logs of itself is believed. */
  isListed(token: EvmAddress): boolean
  /** Bait; such a token is worth nothing and never a price. */
  isSpam(token: EvmAddress): boolean
}

/** The native coin and the wrapped one as one token: contracts take and pay them for each other. */
export function withoutWrap({ wrappedNative }: HistoryBook, token: Address): Address {
  return token === wrappedNative ? NATIVE : token
}

/**
 * The book of one chain. `rows`: its catalog rows with their instruments as far as they could be listed; a contract that
 * several rows name belongs to the last of them. It stands for what is known now: build it anew where `rows` change.
 */
export function createHistoryBook({
  chain,
  rows,
  bridges,
  labelOf = () => undefined,
  isListed,
  isSpam,
}: {
  chain: Pick<Chain, 'key' | 'wrappedNative' | 'nativeErc20s' | 'secondFaces'>
  rows: readonly { adapter: Adapter; instruments: readonly Instrument[] | undefined }[]
  /** Of any chain. */
  bridges: readonly Bridge[]
  /** Of contracts that no row names. */
  labelOf?(address: EvmAddress): ContractLabel | undefined
} & Pick<HistoryBook, 'isListed' | 'isSpam'>): HistoryBook {
  const instruments = new Map<Address, KnownInstrument>(
    rows.flatMap(({ adapter, instruments: listed }) =>
      (listed ?? []).map((instrument) => [instrument.address, { adapter, instrument }] as const),
    ),
  )
  const rewarders = new Map<EvmAddress, string>(keysOf(rows, ({ rewarders: paying = [] }) => paying))
  const exchanges = new Map<EvmAddress, string>(
    exchangeRows.flatMap(({ key, routers }) => (routers[chain.key] ?? []).map((address) => [address, key] as const)),
  )
  const protocols = new Map<EvmAddress, string>([
    ...exchanges,
    ...keysOf(rows, ({ contracts = [] }) => contracts),
    ...rewarders,
  ])
  const byContract = new Map<EvmAddress, string>(
    bridges.flatMap(({ key, contracts }) => (contracts[chain.key] ?? []).map((address) => [address, key] as const)),
  )
  const labelled = (address: EvmAddress, role: ContractRole) => {
    const label = labelOf(address)
    return label?.role === role ? label.protocol : undefined
  }
  return {
    wrappedNative: chain.wrappedNative === null ? null : evmAddress(chain.wrappedNative),
    nativeErc20s: new Set(chain.nativeErc20s),
    firstFaceOf: (address) => chain.secondFaces?.[address],
    instrumentOf: (address) => instruments.get(address),
    protocolOf: (address) =>
      protocols.get(address) ??
      instruments.get(address)?.adapter.key ??
      byContract.get(address) ??
      labelOf(address)?.protocol,
    rewarderOf: (address) => rewarders.get(address) ?? labelled(address, 'distributor'),
    bridgeOf: (address) => byContract.get(address) ?? labelled(address, 'bridge'),
    roleOf: (address) => labelOf(address)?.role ?? (exchanges.has(address) ? 'exchange' : undefined),
    isRebasing: (token) => {
      const known = instruments.get(token)
      return known?.adapter.history.rebasing?.includes(known.instrument.role) ?? false
    },
    isListed,
    isSpam,
  }
}

/** Some contracts of each row with the row's key. */
function keysOf(
  rows: readonly { adapter: Adapter }[],
  contractsOf: (history: FamilyHistory) => readonly EvmAddress[],
): (readonly [EvmAddress, string])[] {
  return rows.flatMap(({ adapter }) => contractsOf(adapter.history).map((address) => [address, adapter.key] as const))
}
