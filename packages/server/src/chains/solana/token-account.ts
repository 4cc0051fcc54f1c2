import { type AccountLayout, openAccount } from './codec/account-data.ts'
import { TOKEN_PROGRAMS } from './codec/mint.ts'
import type { SolanaAccount } from './codec/solana-account.ts'
import type { TokenAccount } from './reader/solana-reader.ts'

/** Mint, owner, amount, delegate, state. */
export const TOKEN_ACCOUNT_HEAD = 109

const FROZEN = 2

const layout: AccountLayout = { what: 'token account', programs: TOKEN_PROGRAMS, minLength: TOKEN_ACCOUNT_HEAD }

export function decodeTokenAccount(account: SolanaAccount): TokenAccount {
  const data = openAccount(account, layout)
  return {
    address: account.address,
    program: account.owner,
    mint: data.key(0),
    amountRaw: data.u64(64),
    frozen: data.u8(108) === FROZEN,
  }
}
