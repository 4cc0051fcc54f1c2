import type { Chain } from '../../chains/chain.ts'
import { type EvmAddress, NATIVE } from '../../domain/evm-address.ts'
import type { Adapter, Instrument } from '../adapter.ts'
import type { Bridge } from './bridge.ts'
import { exchangesOn } from './exchanges.ts'

/** An instrument with the row it belongs to. */
export type KnownInstrument = { adapter: Adapter; instrument: Instrument }

/** What reading a chain's transactions has to know of the addresses in them. */
export type HistoryBook = {
  readonly wrappedNative: EvmAddress | null
  /** Their logs repeat what native transfers say. */
  readonly nativeErc20s: ReadonlySet<EvmAddress>
  instrumentOf(address: EvmAddress): KnownInstrument | undefined
  /** Key of the protocol whose contract this is, instruments and exchanges' routers among them. */
  protocolOf(address: EvmAddress): string | undefined
  /** Key of the protocol whose rewards this contract pays. */
  rewarderOf(address: EvmAddress): string | undefined
  /** The token grows in wallets without a transfer: what movements do not explain of its balance is interest. */
  isRebasing(token: EvmAddress): boolean
  bridgeOf(address: EvmAddress): Bridge | undefined
  /** Bait; such a token is worth nothing and never a price. */
  isSpam(token: EvmAddress): boolean
}

/** The native coin and the wrapped one as one token: contracts take and pay them for each other. */
export function withoutWrap({ wrappedNative }: HistoryBook, token: EvmAddress): EvmAddress {
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
  isSpam,
}: {
  chain: Pick<Chain, 'key' | 'wrappedNative' | 'nativeErc20s'>
  rows: readonly { adapter: Adapter; instruments: readonly Instrument[] | undefined }[]
  /** Of any chain. */
  bridges: readonly Bridge[]
  isSpam(token: EvmAddress): boolean
}): HistoryBook {
  const instruments = new Map<EvmAddress, KnownInstrument>()
  const protocols = new Map<EvmAddress, string>(exchangesOn(chain.key))
  const rewarders = new Map<EvmAddress, string>()
  for (const { adapter, instruments: listed } of rows) {
    const { contracts = [], rewarders: paying = [] } = adapter.history
    for (const address of paying) rewarders.set(address, adapter.key)
    for (const address of [...contracts, ...paying]) protocols.set(address, adapter.key)
    for (const instrument of listed ?? []) instruments.set(instrument.address, { adapter, instrument })
  }
  const byContract = new Map<EvmAddress, Bridge>()
  for (const bridge of bridges) {
    for (const address of bridge.contracts[chain.key] ?? []) byContract.set(address, bridge)
  }
  return {
    wrappedNative: chain.wrappedNative,
    nativeErc20s: new Set(chain.nativeErc20s),
    instrumentOf: (address) => instruments.get(address),
    protocolOf: (address) => protocols.get(address) ?? instruments.get(address)?.adapter.key,
    rewarderOf: (address) => rewarders.get(address),
    isRebasing: (token) => {
      const known = instruments.get(token)
      return known?.adapter.history.rebasing?.includes(known.instrument.role) ?? false
    },
    bridgeOf: (address) => byContract.get(address),
    isSpam,
  }
}
