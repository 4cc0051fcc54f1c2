import type { Address } from '../../../domain/address.ts'
import type { ReceiptBook } from '../../../prices/receipts.ts'
import type { Chain } from '../../chain.ts'
import type { KnownTokens } from '../../tokens.ts'
import type { Adapter, Instrument } from '../families/family.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { Instruments, KnownAdapter } from './instruments.ts'

/** The row that each instrument of a chain belongs to. */
export type Owners = ReadonlyMap<Address, { adapter: Adapter; instrument: Instrument }>

/** A contract that several rows name belongs to the last of them, or it would count twice. */
export function ownersOf(rows: readonly KnownAdapter[]): Owners {
  const owners = new Map<Address, { adapter: Adapter; instrument: Instrument }>()
  for (const { adapter, instruments } of rows) {
    for (const instrument of instruments ?? []) owners.set(instrument.address, { adapter, instrument })
  }
  return owners
}

/** How the price graph sees receipt tokens: worth what they stand for. `heldOf`: how much of each is to be priced. */
export function receiptBook(
  { owners, tokens, heldOf }: { owners: Owners; tokens: KnownTokens; heldOf(token: Address): bigint | undefined },
  reader: EvmReader,
): ReceiptBook {
  const receiptOf = (token: Address) => {
    const owner = owners.get(token)
    return owner?.instrument.fungible ? owner : undefined
  }
  return {
    underlyings: (token) => receiptOf(token)?.instrument.underlyings,
    decompose: async (token, amountRaw, heldRaw = heldOf(token) ?? 0n) => {
      const owner = receiptOf(token)
      const share = owner && { instrument: owner.instrument, amountRaw, heldRaw }
      return share && owner.adapter.decompose(reader, share)
    },
    token: tokens.find,
  }
}

/** What is known of one receipt token and what lies behind it, `heldRaw` of which is to be priced. */
export function createReceiptsOf(instruments: Pick<Instruments, 'rowsOf'>) {
  return async (
    reader: EvmReader,
    { chain, token, heldRaw, tokens }: { chain: Chain; token: Address; heldRaw: bigint; tokens: KnownTokens },
  ): Promise<ReceiptBook> => {
    const owners = ownersOf(await instruments.rowsOf(chain, [token]))
    return receiptBook({ owners, tokens, heldOf: (held) => (held === token ? heldRaw : undefined) }, reader)
  }
}
