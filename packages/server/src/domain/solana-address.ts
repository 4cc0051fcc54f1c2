/** 32 bytes in base58; letter case counts. */
export type SolanaAddress = string

/** SOL: the system program, 32 zero bytes. */
export const NATIVE_SOL: SolanaAddress = '11111111111111111111111111111111'

export const WRAPPED_SOL: SolanaAddress = 'So11111111111111111111111111111111111111112'
