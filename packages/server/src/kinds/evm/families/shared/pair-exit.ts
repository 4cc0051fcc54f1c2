import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { isNodeFailure } from '../../../../lib/upstream-error.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import type { Instrument } from '../family.ts'
import { exitLens } from './exit-lens.bytecode.ts'

export const areNamed = (tokens: readonly string[], underlyings: readonly EvmAddress[]) =>
  underlyings.every((token) => tokens.includes(token))

/**
 * Whether the wallet cannot burn its share of a pair: a token that is none of `trusted` may refuse to pay it out. False
 * if a node cannot test it.
 */
export async function isRefused(
  reader: EvmReader,
  trusted: readonly string[],
  { address, underlyings }: Instrument,
  wallet: EvmAddress,
): Promise<boolean> {
  if (areNamed(trusted, underlyings)) return false
  const read = { functionName: 'isRefused', args: [address, wallet] } as const
  return reader.lens(exitLens, read, { at: wallet, lens: saleProbe }).catch(notTried)
}

/** The same tokens, of which nothing can be had. */
export const nothingOf = (amounts: readonly TokenAmount[]): TokenAmount[] =>
  amounts.map(({ token }) => ({ token, amountRaw: 0n }))

function notTried(error: unknown): boolean {
  if (isNodeFailure(error)) throw error
  return false
}
