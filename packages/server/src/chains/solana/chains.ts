import { NATIVE_SOL, WRAPPED_SOL } from '../../domain/solana-address.ts'
import { BLOCK_SECONDS, type Chain } from '../chain.ts'

export const SOLANA = 'solana'

/** `101` is the main network's ID in Solana's token lists. */
const solana: Chain = {
  key: SOLANA,
  aliases: ['sol'],
  family: SOLANA,
  chainId: '101',
  name: 'Solana',
  native: { address: NATIVE_SOL, symbol: 'SOL', name: 'Solana', decimals: 9 },
  wrappedNative: WRAPPED_SOL,
  multicall3: null,
  nativeErc20s: [],
  blockSource: 'opcode',
  genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  finality: 32,
  blockSeconds: BLOCK_SECONDS,
  isLocal: false,
  color: '#9945ff',
  explorer: {
    token: 'https://solscan.io/token/',
    transaction: 'https://solscan.io/tx/',
    address: 'https://solscan.io/account/',
  },
  altExplorer: null,
  publicRpcUrls: [],
  defillama: 'solana',
  coingecko: 'solana',
}

export const solanaChains: readonly Chain[] = [solana]
