import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { ReceiptDirectory } from '../../../prices/receipts.ts'
import type { KnownTokens } from '../../tokens.ts'
import {
  isVouched,
  type KnownDeployment,
  type ProtocolContract,
  type ProtocolDeployment,
} from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'

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
async function unlessUntrusted<T>(
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

type Owner = { deployment: ProtocolDeployment; protocolContract: ProtocolContract }
export type Owners = ReadonlyMap<Address, Owner>

/** The last deployment wins, or a contract would count twice. */
export function ownersOf(rows: readonly KnownDeployment[]): Owners {
  const owners = new Map<Address, Owner>()
  for (const { deployment, protocolContracts } of rows) {
    for (const protocolContract of protocolContracts ?? [])
      owners.set(protocolContract.address, { deployment, protocolContract })
  }
  return owners
}

type Receipts = { owners: Owners; tokens: KnownTokens; owner?: EvmAddress; refused?: Refused }

/** Refused receipts have no price. */
export function receiptDirectory({ owners, tokens, owner, refused }: Receipts, reader: EvmReader): ReceiptDirectory {
  const trust = createTrust(owners, tokens)
  const receiptOf = (token: Address) => {
    const known = owners.get(token)
    return known?.protocolContract.fungible ? known : undefined
  }
  return {
    underlyings: (token) => receiptOf(token)?.protocolContract.underlyings,
    decompose: async (token, amountRaw) => {
      const known = receiptOf(token)
      if (!known) return undefined
      const { deployment, protocolContract } = known
      return unlessUntrusted(() => deployment.decompose(reader, { protocolContract, amountRaw, owner }), {
        isTrusted: () => trust.protocolContract(deployment, protocolContract),
        refused: () => refused?.(deployment, protocolContract),
      })
    },
    token: tokens.find,
  }
}
