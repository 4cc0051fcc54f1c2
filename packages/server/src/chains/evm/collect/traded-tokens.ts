import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { WalletRows } from './scanned-rows.ts'

const tradedOf = new WeakMap<readonly EvmAddress[], ReadonlySet<EvmAddress>>()

/** Excludes contracts of protocols and tokens that a source should know. */
export function tradedTokens(
  { common, owners }: Pick<WalletRows, 'common' | 'owners'>,
  needsMarket: (token: EvmAddress) => boolean,
): ReadonlySet<EvmAddress> {
  const known = tradedOf.get(common)
  if (known) return known
  const traded = new Set(common.filter((token) => !owners.has(token) && needsMarket(token)))
  tradedOf.set(common, traded)
  return traded
}
