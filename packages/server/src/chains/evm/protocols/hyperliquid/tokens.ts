import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { addressSchema } from '../deployment.ts'

const number = z.number().int().min(0)

export const deployment = z.strictObject({
  /** On HyperEVM. HyperCore's token 0 names another contract. */
  usdc: addressSchema,
  usdcGate: addressSchema,
  hype: number,
  /** Settlement token by exchange number. */
  collaterals: z.array(number).min(1),
  lent: z.array(number),
  /** HyperCore does not list the vaults of an account. */
  vaults: z.array(z.strictObject({ label: z.string().min(1), vault: addressSchema })),
})

export type Deployment = z.infer<typeof deployment>

type CoreToken = { number: number; isKnown: boolean; evmContract: string; extraDecimals: number }

/** `extraDecimals`: digits on HyperEVM less those on HyperCore. */
export type Linked = { token: EvmAddress; extraDecimals: number }

export const USDC = 0
/** Digits of USDC and HYPE. */
export const CORE_DECIMALS = 8
/** Digits at perpetuals exchanges and in vaults. */
export const PERP_DECIMALS = 6
/** Untrusted contracts may state up to 127 digits: one unit then exceeds any balance. */
const MOST_EXTRA = 36

export const HYPE_LINK: Linked = { token: NATIVE, extraDecimals: 10 }
export const usdcLinkOf = ({ usdc }: Deployment): Linked => ({ token: usdc, extraDecimals: -2 })

export function linkOf(
  deployment: Deployment,
  { number, isKnown, evmContract, extraDecimals }: CoreToken,
): Linked | undefined {
  if (number === USDC) return usdcLinkOf(deployment)
  if (number === deployment.hype) return HYPE_LINK
  const token = evmAddress(evmContract)
  if (!isKnown || token === NATIVE || Math.abs(extraDecimals) > MOST_EXTRA) return undefined
  return { token, extraDecimals }
}

export function toContract(amountRaw: bigint, { token, extraDecimals }: Linked): TokenAmount {
  const scale = 10n ** BigInt(Math.abs(extraDecimals))
  return { token, amountRaw: extraDecimals < 0 ? amountRaw / scale : amountRaw * scale }
}
