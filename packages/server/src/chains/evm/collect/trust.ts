import type { Address } from '../../../domain/address.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { KnownTokens } from '../../tokens.ts'
import { isVouched, type ProtocolContract, type ProtocolDeployment } from '../protocols/adapter.ts'
import type { Owner, Owners } from './receipt-book.ts'

/** An untrusted contract may fail: it then has no price or position, and the read is not marked. */
export type Trust = {
  /** A factory vouches for its code, not for the tokens in it. */
  protocolContract(deployment: ProtocolDeployment, protocolContract: ProtocolContract): boolean
  token(address: Address): boolean
}

export type Refused = (deployment: ProtocolDeployment, protocolContract: ProtocolContract) => void

export function createTrust(owners: Owners, tokens: KnownTokens): Trust {
  let named: ReadonlySet<Address> | undefined
  const isListed = (address: Address) => tokens.find(address)?.listed ?? false

  function vouches({ deployment, protocolContract }: Owner, path: readonly Address[] = []): boolean {
    if (!isVouched(deployment, protocolContract)) return false
    if (!deployment.adapter.recognise) return true
    const inside = [...path, protocolContract.address]
    return protocolContract.underlyings.every((token) => isListed(token) || isVouchedReceipt(token, inside))
  }

  function isVouchedReceipt(token: Address, path: readonly Address[]): boolean {
    const owner = path.includes(token) ? undefined : owners.get(token)
    return owner !== undefined && vouches(owner, path)
  }

  function namedTokens(): ReadonlySet<Address> {
    const trusted = [...owners.values()].filter((owner) => vouches(owner))
    return new Set(
      trusted.flatMap(({ protocolContract: { address, underlyings, alsoShown = [] } }) => [
        address,
        ...underlyings,
        ...alsoShown,
      ]),
    )
  }

  return {
    protocolContract: (deployment, protocolContract) => vouches({ deployment, protocolContract }),
    token(address) {
      if (isListed(address)) return true
      named ??= namedTokens()
      return named.has(address)
    },
  }
}

/** Undefined if an untrusted contract refuses. Rejects if a node fails or a trusted contract refuses. */
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
