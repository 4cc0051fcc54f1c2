import type { AddressFamily } from '@coffer/contract'
import { BLOCK_SECONDS, type Chain, FINALITY } from '../../../src/chains/chain.ts'

/** Chain type and its one chain. */
export const PEBBLE = 'pebble'

/** Own alphabet, any letter case. */
const ADDRESS = /^pbl1[ac-hj-np-z02-9]{20}$/

const spell = (address: string) => address.toLowerCase()

/** Stands for the coin. */
export const COIN = `pbl1${'0'.repeat(20)}`

export const pebbleAddresses: AddressFamily = {
  name: PEBBLE,
  title: 'Pebble',
  tells: ['holdings'],
  parse: (value) => (ADDRESS.test(spell(value)) ? spell(value) : undefined),
}

export const pebbleChain: Chain = {
  key: PEBBLE,
  aliases: ['pbl'],
  family: PEBBLE,
  chainId: '987654321',
  name: 'Pebble',
  native: { address: COIN, symbol: 'PBL', name: 'Pebble', decimals: 6 },
  wrappedNative: null,
  multicall3: null,
  nativeErc20s: [],
  blockSource: 'opcode',
  genesis: null,
  finality: FINALITY,
  blockSeconds: BLOCK_SECONDS,
  isLocal: false,
  color: '#7a6b5c',
  explorer: {
    token: 'https://pebble.example/token/',
    transaction: 'https://pebble.example/tx/',
    address: 'https://pebble.example/address/',
  },
  altExplorer: null,
  publicRpcUrls: [],
  defillama: null,
  coingecko: null,
}
