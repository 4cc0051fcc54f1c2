import type { Address } from '@solana/kit'
import type { Execution } from './execution.ts'
import { isTokenProgram, NATIVE_MINT, readMint, readTokenAccount } from './token-account.ts'
import { type UiTokenAmount, uiTokenAmount } from './token-amount.ts'
import type { LoadedAddresses, WireTransaction } from './wire-transaction.ts'

export type TokenBalance = {
  accountIndex: number
  mint: Address
  owner: Address
  programId: Address
  uiTokenAmount: UiTokenAmount
}

/** In key order. */
export type Balances = { lamports: bigint[]; tokens: TokenBalance[] }

/** Successful or not. */
export type LandedTransaction = WireTransaction &
  Execution & {
    slot: bigint
    blockTime: bigint
    /** Static, loaded writable, loaded read-only. */
    keys: readonly Address[]
    loaded: LoadedAddresses
    /** Lamports, including priority. */
    fee: bigint
    before: Balances
    after: Balances
    /** Node format: each memo prefixed with its byte length. */
    memo: string | null
  }

type ReadAccount = (address: Address) => { lamports: bigint; owner: Address; data: Uint8Array } | null

const NATIVE_DECIMALS = 9
const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
])

const tokenBalance = (read: ReadAccount, key: Address, accountIndex: number): TokenBalance[] => {
  const account = read(key)
  const tokens = readTokenAccount(account)
  if (!account || !tokens) return []
  const decimals = readMint(read(tokens.mint))?.decimals ?? (tokens.mint === NATIVE_MINT ? NATIVE_DECIMALS : null)
  if (decimals === null) return []
  const { mint, owner, amount } = tokens
  return [{ accountIndex, mint, owner, programId: account.owner, uiTokenAmount: uiTokenAmount(amount, decimals) }]
}

/**
 * As on chain, token balances need a token program among the keys. Amounts are as stored: no interest, no multiplier.
 */
export const balancesOf = (read: ReadAccount, keys: readonly Address[]): Balances => ({
  lamports: keys.map((key) => read(key)?.lamports ?? 0n),
  tokens: keys.some(isTokenProgram) ? keys.flatMap((key, index) => tokenBalance(read, key, index)) : [],
})

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Instructions move lamports between these accounts. The difference is the fee. */
export const feeOf = (before: Balances, after: Balances): bigint => sum(before.lamports) - sum(after.lamports)

export const memoOf = ({ message }: WireTransaction): string | null => {
  const memos = message.instructions.flatMap(({ programAddressIndex, data }) => {
    if (!MEMO_PROGRAMS.has(message.staticAccounts[programAddressIndex] ?? '')) return []
    const bytes = Uint8Array.from(data ?? [])
    return [`[${bytes.length}] ${new TextDecoder().decode(bytes)}`]
  })
  return memos.length === 0 ? null : memos.join('; ')
}
