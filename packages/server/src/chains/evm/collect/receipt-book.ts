import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ReceiptBook } from '../../../prices/receipts.ts'
import type { Chain } from '../../chain.ts'
import type { KnownTokens } from '../../tokens.ts'
import type { Instrument, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { Instruments, KnownDeployment } from './protocol-contracts.ts'
import { createTrust, unlessUntrusted } from './trust.ts'

export type Owners = ReadonlyMap<Address, { deployment: ProtocolDeployment; instrument: Instrument }>

/** The last deployment wins, or a contract would count twice. */
export function ownersOf(rows: readonly KnownDeployment[]): Owners {
  const owners = new Map<Address, { deployment: ProtocolDeployment; instrument: Instrument }>()
  for (const { deployment, instruments } of rows) {
    for (const instrument of instruments ?? []) owners.set(instrument.address, { deployment, instrument })
  }
  return owners
}

/** `refused` is called for untrusted receipt tokens that cannot be read, which then have no price. */
export function receiptBook(
  {
    owners,
    tokens,
    owner,
    refused,
  }: {
    owners: Owners
    tokens: KnownTokens
    owner?: EvmAddress
    refused?: (deployment: ProtocolDeployment, instrument: Instrument) => void
  },
  reader: EvmReader,
): ReceiptBook {
  const trust = createTrust(owners, tokens)
  const receiptOf = (token: Address) => {
    const known = owners.get(token)
    return known?.instrument.fungible ? known : undefined
  }
  return {
    underlyings: (token) => receiptOf(token)?.instrument.underlyings,
    decompose: async (token, amountRaw) => {
      const known = receiptOf(token)
      if (!known) return undefined
      const { deployment, instrument } = known
      return unlessUntrusted(() => deployment.decompose(reader, { instrument, amountRaw, owner }), {
        isTrusted: () => trust.instrument(deployment, instrument),
        refused: () => refused?.(deployment, instrument),
      })
    },
    token: tokens.find,
  }
}

export function createReceiptsOf(instruments: Pick<Instruments, 'rowsOf'>) {
  return async (
    reader: EvmReader,
    { chain, token, tokens }: { chain: Chain; token: Address; tokens: KnownTokens },
  ): Promise<ReceiptBook> => receiptBook({ owners: ownersOf(await instruments.rowsOf(chain, [token])), tokens }, reader)
}
