import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { Deployment } from './deployment.ts'

/** A token of HyperCore by its number, with what HyperCore says of its contract on HyperEVM. */
export type CoreToken = { number: number; isKnown: boolean; evmContract: string; extraDecimals: number }

/** A contract on HyperEVM, and how many digits more than on HyperCore amounts have there; fewer if negative. */
export type Linked = { token: EvmAddress; extraDecimals: number }

export const USDC = 0
/** Digits of USDC and HYPE on HyperCore. */
export const CORE_DECIMALS = 8
/** Digits of money at exchanges of perpetuals and in vaults. */
export const PERP_DECIMALS = 6
/** A stranger may state up to 127 digits, with which a single unit is more than any balance. */
const MOST_EXTRA = 36

export const HYPE_LINK: Linked = { token: NATIVE, extraDecimals: 10 }
export const usdcLinkOf = ({ usdc }: Pick<Deployment, 'usdc'>): Linked => ({ token: usdc, extraDecimals: -2 })

/** The token's contract on HyperEVM; undefined if it has none. */
export function linkOf(
  deployment: Pick<Deployment, 'usdc' | 'hype'>,
  { number, isKnown, evmContract, extraDecimals }: CoreToken,
): Linked | undefined {
  if (number === USDC) return usdcLinkOf(deployment)
  if (number === deployment.hype) return HYPE_LINK
  const token = evmAddress(evmContract)
  if (!isKnown || token === NATIVE || Math.abs(extraDecimals) > MOST_EXTRA) return undefined
  return { token, extraDecimals }
}

/** What a transfer to HyperEVM pays for an amount on HyperCore: digits that the contract has not are cut off. */
export function toContract(amountRaw: bigint, { token, extraDecimals }: Linked): TokenAmount {
  const scale = 10n ** BigInt(Math.abs(extraDecimals))
  return { token, amountRaw: extraDecimals < 0 ? amountRaw / scale : amountRaw * scale }
}
