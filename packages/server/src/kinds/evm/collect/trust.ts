import type { Address } from '../../../domain/address.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { KnownTokens } from '../../tokens.ts'
import type { Adapter, Instrument } from '../families/family.ts'
import type { Owners } from './receipt-book.ts'

/**
 * Which contracts of a chain a list, a row or a factory vouches for. A failure of any other contract is not missing data:
 * the contract has no price and no position, and no part of the read is marked for it.
 */
export type Trust = {
  /** A factory vouches for the code of what it made, not for the tokens in it: those must be vouched for too. */
  instrument(adapter: Adapter, instrument: Instrument): boolean
  token(address: Address): boolean
}

export function createTrust(owners: Owners, tokens: Pick<KnownTokens, 'find'>): Trust {
  let named: ReadonlySet<Address> | undefined
  const isListed = (address: Address) => tokens.find(address)?.listed ?? false

  function vouches(adapter: Adapter, instrument: Instrument, path: readonly Address[]): boolean {
    if (!adapter.vouches(instrument)) return false
    if (!adapter.recognises) return true
    const inside = [...path, instrument.address]
    return instrument.underlyings.every((token) => isListed(token) || isVouchedReceipt(token, inside))
  }

  function isVouchedReceipt(token: Address, path: readonly Address[]): boolean {
    const owner = path.includes(token) ? undefined : owners.get(token)
    return owner !== undefined && vouches(owner.adapter, owner.instrument, path)
  }

  /** Computed when a token fails that no list names, which is rare. */
  function namedTokens(): ReadonlySet<Address> {
    const trusted = [...owners.values()].filter(({ adapter, instrument }) => vouches(adapter, instrument, []))
    return new Set(
      trusted.flatMap(({ instrument: { address, underlyings, alsoShown = [] } }) => [
        address,
        ...underlyings,
        ...alsoShown,
      ]),
    )
  }

  return {
    instrument: (adapter, instrument) => vouches(adapter, instrument, []),
    token(address) {
      if (isListed(address)) return true
      named ??= namedTokens()
      return named.has(address)
    },
  }
}

/**
 * The answer about a contract, or undefined where an untrusted one refuses or answers what cannot be computed with.
 * Rejects if a node fails or a trusted contract refuses.
 */
export async function unlessUntrusted<T>(
  ask: () => Promise<T>,
  { isTrusted, refused }: { isTrusted(): boolean; refused?: ((error: unknown) => void) | undefined },
): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (isNodeFailure(error) || isTrusted()) throw error
    refused?.(error)
    return undefined
  }
}
