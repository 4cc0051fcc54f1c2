import type { Database } from '../src/db/database.ts'
import { decimal } from '../src/domain/decimal.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { WalletRead } from '../src/domain/wallet-read.ts'
import { createAccount, updateAccount } from '../src/features/accounts/accounts.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { createWalletReadStore } from '../src/reading/wallet-read-store.ts'
import { testAddress } from '../test/test-tokens.ts'

const CALLERS = 20
/** Makes an answer of about 10 kB. */
const TOKENS = 11
const CREDITS = 1_000_000_000
/** No window ever fills; everything else of the limiter is done. */
const RATE_LIMIT = 2_147_483_647
/** Reads count as fresh for a minute from when they were made: these stay so while the rounds last. */
const AHEAD_MS = 6 * 3_600_000

/** A caller with a key and a wallet of its own that was read lately. */
export type Caller = { key: string; path: string }

/** Accounts with credits and a raised limit, and a stored read for each one's wallet. */
export async function seedCallers({ db }: Database): Promise<Caller[]> {
  const peppers = await openPeppers(db, [])
  const store = createWalletReadStore(db)
  const callers: Caller[] = []
  for (let i = 1; i <= CALLERS; i += 1) {
    const account = { name: `caller ${i}`, plan: 'PRO', entitlements: [], credits: CREDITS } as const
    const { id: accountId } = await createAccount(db, account)
    await updateAccount(db, accountId, { rateLimits: { default: RATE_LIMIT, portfolio: RATE_LIMIT } })
    const { key } = await createKey(db, peppers, { accountId, name: 'bench' })
    const wallet = testAddress(1, i)
    await store.save(readOf(wallet), [])
    callers.push({ key, path: `/v1/portfolio?addresses=${wallet}` })
  }
  return callers
}

function readOf(wallet: EvmAddress): WalletRead {
  const chain = 'ethereum'
  const addresses = Array.from({ length: TOKENS }, (_, i) => testAddress(2, i + 1))
  const now = Date.now()
  return {
    chain,
    wallet,
    block: 20_000_000n,
    blockTime: Math.floor(now / 1000),
    readAt: now + AHEAD_MS,
    holdings: addresses.map((token, i) => ({ token, amountRaw: 123_456_789_012_345_678n + BigInt(i), receipt: false })),
    positions: [],
    tokens: addresses.map((address, i) => ({
      chain,
      address,
      symbol: `TKN${i}`,
      name: `Token number ${i}`,
      decimals: 18,
      listed: true,
    })),
    prices: addresses.map((token, i) => ({
      chain,
      token,
      usd: decimal(`${i + 1}.25`),
      source: 'chainlink',
      confidence: 1,
    })),
    gaps: [],
  }
}
