import type { Address } from './address.ts'

export type WalletOnChain<A extends Address = Address> = { wallet: A; chain: string }
