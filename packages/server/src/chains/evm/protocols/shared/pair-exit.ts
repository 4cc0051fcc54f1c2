import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { isNodeFailure } from '../../../../lib/upstream-error.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import type { ProtocolContract } from '../adapter.ts'
import { exitLens } from './exit-lens.bytecode.ts'

export const areNamed = (tokens: readonly string[], underlyings: readonly EvmAddress[]) =>
  underlyings.every((token) => tokens.includes(token))

/** Simulates burning the share: an untrusted token may refuse to pay. False if no node can test it. */
export async function isRefused(
  reader: EvmReader,
  trusted: readonly string[],
  { address, underlyings }: ProtocolContract,
  wallet: EvmAddress,
): Promise<boolean> {
  if (areNamed(trusted, underlyings)) return false
  const read = { functionName: 'isRefused', args: [address, wallet] } as const
  return reader.lens(exitLens, read, { at: wallet, lens: saleProbe }).catch((error: unknown) => {
    if (isNodeFailure(error)) throw error
    return false
  })
}

export const nothingOf = (amounts: readonly TokenAmount[]): TokenAmount[] =>
  amounts.map(({ token }) => ({ token, amountRaw: 0n }))
