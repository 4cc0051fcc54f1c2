import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ReceiptBook } from '../../../prices/receipts.ts'
import type { KnownTokens } from '../../tokens.ts'
import type { KnownDeployment, ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { createTrust, type Refused, unlessUntrusted } from './trust.ts'

export type Owner = { deployment: ProtocolDeployment; protocolContract: ProtocolContract }
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
export function receiptBook({ owners, tokens, owner, refused }: Receipts, reader: EvmReader): ReceiptBook {
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
