/** A 32-byte address in base58, as it is written: letter case counts. */
export type SolanaAddress = string

/** Stands for SOL wherever a mint is expected: the system program, 32 zero bytes. */
export const NATIVE_SOL: SolanaAddress = '11111111111111111111111111111111'

/** The mint of SOL wrapped as a token. */
export const WRAPPED_SOL: SolanaAddress = 'So11111111111111111111111111111111111111112'
