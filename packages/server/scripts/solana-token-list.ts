import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { driftSpotMarkets } from '@coffer/solana-fixtures'
import { tokens as withIcons } from '@web3icons/common'
import type { TokenRow } from '../src/catalog/token-catalog.ts'
import { stakePoolRows } from '../src/chains/solana/protocols/stake-pools/adapter.ts'
import { WRAPPED_SOL } from '../src/domain/solana-address.ts'

const { resolve } = createRequire(import.meta.url)

/** ID of the main network in Solana's token registry. */
const MAIN_NETWORK = 101
/** Required by the stake pool program. */
const STAKE_POOL_DECIMALS = 9

type Registered = { chainId: number; address: string; symbol: string; name: string; decimals: number }

/**
 * `@solana/spl-token-registry` (Apache-2.0): anyone could add entries until 2022. Used only if a second package has the
 * same mint and symbol.
 */
function registeredTokens(): Map<string, Registered> {
  const file = resolve('@solana/spl-token-registry/dist/main/tokens/solana.tokenlist.json')
  const { tokens } = JSON.parse(readFileSync(file, 'utf8')) as { tokens: Registered[] }
  return new Map(tokens.filter(({ chainId }) => chainId === MAIN_NETWORK).map((token) => [token.address, token]))
}

/** Missing or under an old name in the lists. Each mint is in two published sources. */
const ownRows: readonly TokenRow[] = [
  ['orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE', 'ORCA', 'Orca', 6],
  ['KMNo3nJsBXfcpJTVhZcXLW7RmTwTt4GVFE7suUBo9sS', 'KMNO', 'Kamino', 6],
  ['hntyVP6YFm1Hg25TN9WGLqM12b8TQmcknKrdu1oxWux', 'HNT', 'Helium', 8],
  ['mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So', 'mSOL', 'Marinade Staked SOL', 9],
  ['5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm', 'INF', 'Sanctum Infinity', 9],
  ['SNSNkV9zfG5ZKWQs6x4hxvBRV6s8SqMfSGCtECDvdMd', 'SNS', 'SynesisOne', 9],
]

/** For lists with symbols only, where no other package has the token. */
const names: Readonly<Record<string, string>> = {
  '2Z': 'DoubleZero',
  AUSD: 'Agora Dollar',
  BNSOL: 'Binance Staked SOL',
  BONK: 'Bonk',
  CLOUD: 'Sanctum',
  DRIFT: 'Drift',
  FARTCOIN: 'Fartcoin',
  JLP: 'Jupiter Perps LP',
  JTO: 'Jito',
  JUP: 'Jupiter',
  JitoSOL: 'Jito Staked SOL',
  JupSOL: 'Jupiter Staked SOL',
  LBTC: 'Lombard Staked BTC',
  ME: 'Magic Eden',
  MELANIA: 'Melania Meme',
  MET: 'Meteora',
  META: 'MetaDAO',
  PENGU: 'Pudgy Penguins',
  PUMP: 'Pump',
  PYUSD: 'PayPal USD',
  TNSR: 'Tensor',
  TRUMP: 'Official Trump',
  USD1: 'World Liberty Financial USD',
  USDY: 'Ondo US Dollar Yield',
  USDe: 'Ethena USDe',
  W: 'Wormhole',
  WIF: 'dogwifhat',
  ZEUS: 'Zeus Network',
  bSOL: 'BlazeStake Staked SOL',
  cbBTC: 'Coinbase Wrapped BTC',
  dSOL: 'Drift Staked SOL',
  sUSDe: 'Staked USDe',
  syrupUSDC: 'Syrup USDC',
}

/** `@drift-labs/sdk` (Apache-2.0): collateral and lent tokens. Omits principal tokens, which have expired. */
function driftTokens(nameOf: (mint: string, symbol: string) => string): TokenRow[] {
  return driftSpotMarkets
    .filter(({ symbol }) => !symbol.startsWith('PT-'))
    .map(({ mint, symbol, precisionExp }) => [
      mint.toBase58(),
      symbol,
      nameOf(mint.toBase58(), symbol),
      precisionExp.toNumber(),
    ])
}

/** The first list with a mint decides. SOL and wrapped SOL belong to the chain. */
export function gatherSolanaTokens(): TokenRow[] {
  const registered = registeredTokens()
  const published = new Map(
    withIcons.flatMap((token) => (token.addresses?.['solana'] ? [[token.addresses['solana'], token] as const] : [])),
  )
  const agreed = [...published].flatMap(([mint, { symbol }]): TokenRow[] => {
    const token = registered.get(mint)
    const isSame = token?.symbol.toLowerCase() === symbol.toLowerCase()
    return token && isSame ? [[mint, token.symbol, token.name, token.decimals]] : []
  })
  const nameOf = (mint: string, symbol: string) =>
    names[symbol] ?? published.get(mint)?.name ?? registered.get(mint)?.name ?? symbol
  const staked = stakePoolRows.map(
    ([symbol, mint]): TokenRow => [mint, symbol, nameOf(mint, symbol), STAKE_POOL_DECIMALS],
  )
  const rows = new Map<string, TokenRow>()
  for (const row of [...ownRows, ...staked, ...driftTokens(nameOf), ...agreed]) {
    if (row[0] !== WRAPPED_SOL && !rows.has(row[0])) rows.set(row[0], row)
  }
  return [...rows.values()].sort((a, b) => (a[0] < b[0] ? -1 : 1))
}
