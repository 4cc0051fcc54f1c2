import type { Position } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { Holding, ReadGap, WalletRead } from '../../../domain/wallet-read.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { NO_RECEIPTS } from '../../../prices/receipts.ts'
import type { Chain } from '../../chain.ts'
import { amountsOf, askAhead, priceRead, unreported } from '../../shared/price-read.ts'
import { headGaps, uniqueGaps } from '../../shared/protocol-gaps.ts'
import type { KnownTokens } from '../../tokens.ts'
import { type Mint, TOKEN_2022_PROGRAM, type TokenAccount } from '../codec/token-program.ts'
import type { HeldMint } from '../protocols/adapter.ts'
import { solanaAdapters } from '../protocols/protocols.ts'
import { readMints } from '../reader/mints.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { SolanaContext } from './context.ts'
import { readPositions, readReceipts } from './read-positions.ts'

/** In three batches. Rejects with `UpstreamError` if holdings are unreadable, unless no endpoint lists them. */
export async function collect(
  { openReader, stores, leads, findsOf, tokens, prices, unscaled, clock, log }: SolanaContext,
  chain: Chain,
  wallet: SolanaAddress,
  before?: WalletRead,
): Promise<WalletRead> {
  const [listed, used] = await Promise.all([tokens.of(chain), stores.usedPrograms.find({ chain: chain.key, wallet })])
  const reader = openReader(chain.key)
  let receipts = NO_RECEIPTS
  const session = prices.open(
    { chain, reader, owner: wallet },
    {
      underlyings: (address) => receipts.underlyings(address),
      decompose: (address, amountRaw) => receipts.decompose(address, amountRaw),
      token: (address) => receipts.token(address),
    },
  )
  const [[own], { accounts, unlisted }, cluster] = await Promise.all([
    reader.accounts([wallet]),
    readTokenAccounts(reader, chain, wallet, before),
    reader.clock(),
  ])
  const inAccounts = accounts.map(({ mint }) => mint)
  // Shown amounts of Token-2022 may grow without a movement.
  const growing = accounts.filter(({ program, amountRaw }) => program === TOKEN_2022_PROGRAM && amountRaw > 0n)
  await Promise.all([listed.load(inAccounts), leads.load(chain.key, inAccounts)])
  const mints = new Map<SolanaAddress, Mint>()
  const learnMints = async (addresses: readonly SolanaAddress[]) => {
    for (const [address, mint] of await readMints(reader, addresses, unscaled)) mints.set(address, mint)
  }
  const find = (address: SolanaAddress) => asOnChain(listed.find(address), mints.get(address), cluster.time)
  const known = { ...listed, find }
  const held = heldMints(accounts, listed)
  const scope = { reader, wallet, clock: cluster, held, found: findsOf(chain.key) }
  const reading = { scope, used: new Set(used), chain: chain.key, log }
  const [found, stood] = await Promise.all([
    readPositions(solanaAdapters, { ...reading, before }),
    readReceipts(solanaAdapters, { ...reading, find }),
    learnMints([...new Set(growing.map(({ mint }) => mint))]),
    listed.learn(
      reader,
      held.map(({ mint }) => mint),
    ),
    askAhead(session, listed, tokensAhead(chain, held, before)),
  ])
  const inside = found.positions.flatMap(amountsOf)
  const shown = inside.map(({ token }) => token)
  const young = shown.filter((token) => token !== chain.native.address && !unscaled.get(token))
  await Promise.all([listed.learn(reader, shown), learnMints(young), leads.save()])
  const holdings = holdingsOf(chain, own?.lamports ?? 0n, held, found.positions)
  receipts = stood
  const priced = await priceRead(session, known, { holdings, inside, before: before?.prices })
  const involved = new Set([...holdings.map(({ token }) => token), ...shown])
  return {
    chain: chain.key,
    wallet,
    block: cluster.slot,
    blockTime: cluster.time,
    readAt: clock.now(),
    holdings,
    positions: found.positions,
    tokens: [...involved].flatMap((address) => find(address) ?? []),
    prices: priced.prices,
    gaps: uniqueGaps([
      ...headGaps(chain, cluster.time, clock),
      ...unlisted,
      ...found.gaps,
      ...priced.gaps,
      ...unreported(found.positions, known, { token: () => true }),
    ]),
  }
}

/** Rejects for a wallet known to have some: they would seem gone. */
async function readTokenAccounts(
  reader: SolanaReader,
  chain: Chain,
  wallet: SolanaAddress,
  before: WalletRead | undefined,
): Promise<{ accounts: TokenAccount[]; unlisted: ReadGap[] }> {
  try {
    return { accounts: await reader.tokenAccounts(wallet), unlisted: [] }
  } catch (error) {
    const hadTokens = before?.holdings.some(({ token }) => token !== chain.native.address) ?? false
    if (hadTokens || !(error instanceof UpstreamError) || error.reason !== 'not-allowed') throw error
    return { accounts: [], unlisted: [{ reason: 'not-allowed' }] }
  }
}

/** Leaves out former receipts: their parts are known later. */
function tokensAhead(chain: Chain, held: readonly HeldMint[], before: WalletRead | undefined): Holding[] {
  const receipts = new Set(before?.prices.flatMap(({ source, token }) => (source === 'receipt' ? [token] : [])))
  const inside = before?.positions.flatMap(amountsOf) ?? []
  const tokens = new Set([chain.native.address, ...held.map(({ mint }) => mint), ...inside.map(({ token }) => token)])
  // `priceRead` prices the real amounts.
  return [...tokens].flatMap((token) => (receipts.has(token) ? [] : [{ token, amountRaw: 1n, receipt: false }]))
}

function heldMints(accounts: readonly TokenAccount[], known: KnownTokens): HeldMint[] {
  const sums = new Map<SolanaAddress, bigint>()
  for (const { mint, amountRaw } of accounts) {
    if (amountRaw > 0n) sums.set(mint, (sums.get(mint) ?? 0n) + amountRaw)
  }
  return [...sums].map(([mint, amountRaw]) => ({ mint, amountRaw, decimals: known.find(mint)?.decimals }))
}

/** A list may be wrong about decimals, its mint is not. */
function asOnChain(token: Token | undefined, mint: Mint | undefined, time: number): Token | undefined {
  if (!token || !mint) return token
  const multiplier = mint.multiplierAt?.(time)?.toFixed()
  return { ...token, decimals: mint.decimals, ...(multiplier !== undefined && { multiplier }) }
}

function holdingsOf(
  chain: Chain,
  lamports: bigint,
  held: readonly HeldMint[],
  positions: readonly Position[],
): Holding[] {
  const receipts = new Set(positions.flatMap((position) => position.receipts))
  const native = lamports > 0n ? [{ token: chain.native.address, amountRaw: lamports, receipt: false }] : []
  const tokens = held.map(({ mint, amountRaw }) => ({ token: mint, amountRaw, receipt: receipts.has(mint) }))
  return [...native, ...tokens]
}
