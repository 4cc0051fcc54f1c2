import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { type Chain, facesOf } from '../../chain.ts'
import type { ListedTokens } from '../../tokens.ts'
import type { KnownAdapter } from './instruments.ts'
import { type Owners, ownersOf } from './receipt-book.ts'

/** Rows of a chain, the row of each of their contracts, and those of the contracts whose balances a scan asks. */
type ScannedRows = { rows: readonly KnownAdapter[]; owners: Owners; addresses: readonly EvmAddress[] }

/** `common`: addresses that all wallets of a chain ask, listed tokens and contracts. `own`: further ones of this wallet. */
export type WalletRows = {
  rows: readonly KnownAdapter[]
  owners: Owners
  common: readonly EvmAddress[]
  own: EvmAddress[]
}

/** Made of `all` rows, for all wallets of a chain. */
type Common = ScannedRows & {
  all: readonly KnownAdapter[]
  asked: readonly EvmAddress[]
  isAsked: ReadonlySet<Address>
}

/**
 * What a scan asks, in two lists: the first is the same array for all wallets of a chain until its contracts change, so that
 * wallets which are read together send it once.
 */
export function createScannedRows(catalog: Pick<ListedTokens, 'list'>) {
  const kept = new Map<string, Common>()

  function commonOf(chain: Chain, all: readonly KnownAdapter[]): Common {
    const known = kept.get(chain.key)
    if (known && isSame(known.all, all)) return known
    const scanned = scannedRows(all.map((row) => withSent(row, NONE)))
    const listed = catalog.list(chain.key).map(({ address }) => address)
    const isAsked = askable(chain, [...listed, ...scanned.addresses])
    const common = { ...scanned, all, asked: [...isAsked], isAsked }
    kept.set(chain.key, common)
    return common
  }

  return function rowsOf(chain: Chain, all: readonly KnownAdapter[], discovered: readonly EvmAddress[]): WalletRows {
    const common = commonOf(chain, all)
    const sent = new Set<Address>(discovered)
    const more = countsMore(all, sent) ? scannedRows(all.map((row) => withSent(row, sent))) : undefined
    const { rows, owners } = more ?? common
    const own = [...askable(chain, [...(more?.addresses ?? []), ...discovered])]
    return { rows, owners, common: common.asked, own: own.filter((address) => !common.isAsked.has(address)) }
  }
}

const NONE: ReadonlySet<Address> = new Set()

/** Each address once, without those of the native coin. */
function askable(chain: Chain, addresses: readonly Address[]): Set<EvmAddress> {
  const unique = new Set(addresses)
  for (const address of [NATIVE, ...facesOf(chain)]) unique.delete(address)
  return unique as Set<EvmAddress>
}

function isSame(one: readonly KnownAdapter[], other: readonly KnownAdapter[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ adapter, instruments }, i) => other[i]?.adapter === adapter && other[i]?.instruments === instruments)
  )
}

function scannedRows(rows: readonly KnownAdapter[]): ScannedRows {
  const owners = ownersOf(rows)
  const addresses = [...owners].flatMap(([address, { adapter }]) => (adapter.probedOnly ? [] : [address as EvmAddress]))
  return { rows: rows.map((row) => withOwn(row, owners)), owners, addresses }
}

/** Whether a row that counts sent tokens only counts more for a wallet that was sent these. */
function countsMore(all: readonly KnownAdapter[], sent: ReadonlySet<Address>): boolean {
  return all.some(
    ({ adapter, instruments }) =>
      adapter.countsWhereSent &&
      instruments?.some((instrument) => sent.has(instrument.address) && !adapter.vouches(instrument)),
  )
}

/** Removes unvouched contracts whose token was never sent to the wallet, for families that count sent tokens only. */
function withSent({ adapter, instruments }: KnownAdapter, sent: ReadonlySet<Address>): KnownAdapter {
  if (!adapter.countsWhereSent) return { adapter, instruments }
  const own = instruments?.filter((instrument) => adapter.vouches(instrument) || sent.has(instrument.address))
  return { adapter, instruments: own }
}

/** Removes contracts that a later row names too. */
function withOwn({ adapter, instruments }: KnownAdapter, owners: Owners): KnownAdapter {
  return { adapter, instruments: instruments?.filter(({ address }) => owners.get(address)?.adapter === adapter) }
}
