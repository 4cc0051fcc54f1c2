import type { Address } from './address.ts'

/** A wallet on a chain. */
export type WalletOnChain<A extends Address = Address> = { wallet: A; chain: string }
