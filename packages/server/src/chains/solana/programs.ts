import type { SolanaAddress } from '../../domain/solana-address.ts'

export const TOKEN_PROGRAM: SolanaAddress = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const TOKEN_2022_PROGRAM: SolanaAddress = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
export const TOKEN_PROGRAMS: readonly SolanaAddress[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]
