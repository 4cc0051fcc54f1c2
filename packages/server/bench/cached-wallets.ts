import type { Database } from '../src/db/database.ts'
import { decimal } from '../src/domain/decimal.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { WalletRead } from '../src/domain/wallet-read.ts'
import { createAccount, updateAccount } from '../src/features/accounts/accounts.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { createWalletReadStore } from '../src/wallets/wallet-read-store.ts'
import { testAddress } from '../test/test-tokens.ts'

const CALLERS = 20
/** Yields an answer of about 10 kB. */
const TOKENS = 11
const CREDITS = 1_000_000_000
/** No window fills, but the limiter does its work. */
const RATE_LIMIT = 2_147_483_647
/** Keeps reads fresh during all rounds. They are fresh for a minute. */
const AHEAD_MS = 6 * 3_600_000

/** Its wallet was recently read. */
export type Caller = { key: string; path: string }

export async function seedCallers({ db }: Database, count = CALLERS): Promise<Caller[]> {
  const peppers = await openPeppers(db, [])
  const store = createWalletReadStore(db)
  const callers: Caller[] = []
  for (let i = 1; i <= count; i += 1) {
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
