import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type AccountLayout, openExisting } from '../codec/account-data.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { SolanaClock } from './solana-reader.ts'

export const CLOCK_SYSVAR: SolanaAddress = 'SysvarC1ock11111111111111111111111111111111'

const layout: AccountLayout = {
  what: 'clock',
  programs: ['Sysvar1111111111111111111111111111111111111'],
  minLength: 40,
}

export function decodeClock(account: SolanaAccount | null): SolanaClock {
  const data = openExisting(account, layout)
  return { slot: data.u64(0), epoch: data.u64(16), time: Number(data.i64(32)) }
}
