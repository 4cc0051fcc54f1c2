/** An address as its chain spells it: an `EvmAddress`, or on Solana base58 of 32 bytes. */
export type Address = string
