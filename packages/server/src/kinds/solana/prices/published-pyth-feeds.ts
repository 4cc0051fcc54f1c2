import { NATIVE_SOL } from '../../../domain/solana-address.ts'
import type { PythRow } from './pyth-prices.ts'

const row = (token: string, feedId: string): PythRow => ({ chain: 'solana', token, feedId })

/**
 * Pyth's feeds in USD that its own pushers keep on Solana, both before and since the upgrade of 2026, of tokens whose mints
 * are published too: by Drift's SDK, by Orca, by Helium. Feeds that nobody is known to push have no row: their accounts
 * are stale or are not there. The staked SOL in this list is priced by what it stands for first.
 */
export const PUBLISHED_PYTH_FEEDS: readonly PythRow[] = [
  // SOL
  row(NATIVE_SOL, 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'),
  // USDC
  row(
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
  ),
  // USDT
  row(
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b',
  ),
  // CASH
  row(
    'CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH',
    'df3320ef0f4617337b8dbb924f2aaa4f9db08f522a5435b44f9066c1ac4c7f95',
  ),
  // mSOL
  row(
    'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So',
    'c2289a6a43d2ce91c6f55caec370f4acc38a2ed477f58813334c6d03749ff2a4',
  ),
  // bSOL
  row(
    'bSo13r4TkiE4KumL71LsHTPpL2euBYLFx6h9HP3piy1',
    '89875379e70f8fbadc17aef315adf3a8d5d160b811435537e03c97e8aac97d9c',
  ),
  // INF
  row(
    '5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm',
    'f51570985c642c49c2d6e50156390fdba80bb6d5f7fa389d2f012ced4f7d208f',
  ),
  // BTC and ETH through the Wormhole portal
  row(
    '3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh',
    'c9d8b075a5c69303365ae23633d4e085199bf5c520a3b90fed1322a0342ffc33',
  ),
  row(
    '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
    'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace',
  ),
  // zBTC
  row(
    'zBTCug3er3tLyffELcvDNrKkCymbPWysGcWihESYfLg',
    '3d824c7f7c26ed1c85421ecec8c754e6b52d66a4e45de20a9c9ea91de8b396f9',
  ),
  // LBTC
  row(
    'LBTCgU4b3wsFKsPwBn1rRZDx5DoFutM6RPiEt1TPDsY',
    '8f257aab6e7698bb92b15511915e593d6f8eae914452f781874754b03d0c612b',
  ),
  // JLP
  row(
    '27G8MtK7VtTcCHkpASjSDdkWWYfoqT6ggEuKidVJidD4',
    'c811abc82b4bad1f9bd711a2773ccaa935b03ecef974236942cec5e0eb845a3a',
  ),
  // JUP
  row(
    'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
    '0a0408d619e9380abad35060f9192039ed5042fa6f82301d0e48bb52be830996',
  ),
  // PYTH
  row(
    'HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3',
    '0bbf28e9a841a1cc788f6a361b17ca072d0ea3098a1e5df1c3922d06719579ff',
  ),
  // W
  row(
    '85VBFQZC9TZkfaptBWjvUw7YbZjy52A6mjtPGjstQAmQ',
    'eff7446475e218517566ea99e72a4abec2e1bd8498b43b7d8331e29dcb059389',
  ),
  // ORCA
  row(
    'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE',
    '37505261e557e251290b8c8899453064e8d760ed5c65a779726f2490980da74c',
  ),
  // HNT
  row(
    'hntyVP6YFm1Hg25TN9WGLqM12b8TQmcknKrdu1oxWux',
    '649fdd7ec08e8e2a20f425729854e90293dcbe2376abc47197a14da6ff339756',
  ),
  // BONK
  row(
    'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
    '72b021217ca3fe68922a19aaf990109cb9d84e9ad004b4d2025ad6f529314419',
  ),
  // WIF
  row(
    'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm',
    '4ca4beeca86f0d164160323817a4e42b10010a724c2217c6ee41b54cd4cc61fc',
  ),
  // PENGU
  row(
    '2zMMhcVQEXDtdE6vsFS7S7D5oUodfJHE8vd1gnBouauv',
    'bed3097008b9b5e3c93bec20be79cb43986b85a996475589351a21e67bae9b61',
  ),
  // TRUMP
  row(
    '6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN',
    '879551021853eec7a7dc827578e8e69da7e4fa8148339aa0d3d5296405be4b1a',
  ),
  // FARTCOIN
  row(
    '9BB6NFEcjBCtnNLFko2FqVQBq8HHM13kCyYcdQbgpump',
    '58cd29ef0e714c5affc44f269b2c1899a52da4169d7acc147b9da692e6953608',
  ),
  // PUMP
  row(
    'pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn',
    '7a01fca212788bba7c5bf8c9efd576a8a722f070d2c17596ff7bb609b8d5c3b9',
  ),
]
