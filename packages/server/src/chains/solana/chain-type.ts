import { solanaAddresses } from '@coffer/contract'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import { NATIVE_SOL, WRAPPED_SOL } from '../../domain/solana-address.ts'
import type { Clock } from '../../lib/clock.ts'
import { upstreamOnly } from '../../lib/upstream-error.ts'
import { BLOCK_SECONDS, type Chain } from '../chain.ts'
import type { ChainType } from '../chain-type.ts'
import { keyVerdict, type SignedText } from '../owner-signature.ts'
import type { RpcRequest } from '../rpc/json-rpc.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { finalSlotRequest, firstSlotRequest } from './activity/signature-lists.ts'
import { airdropRow } from './airdrops/airdrop-rows.ts'
import { publishedSources } from './distributors/published-sources.ts'
import { openSolana } from './open.ts'
import { solanaPriceSources } from './prices/sources.ts'
import { solanaAdapters } from './protocols/protocols.ts'
import { SOLANA_RPC } from './reader/solana-reader.ts'
import { invalidAnswer } from './rpc-values.ts'

const SOLANA = 'solana'

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

/** Excludes Tron addresses: 34 digits for 25 bytes. */
const ADDRESS = /^(?!T[1-9A-HJ-NP-Za-km-z]{33}$)[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const solanaChainType: ChainType = {
  name: SOLANA,
  chains: [solana],
  sections: [],
  addressForm: { pattern: '[1-9A-HJ-NP-Za-km-z]{32,44}', described: 'base58 on Solana' },
  addresses: solanaAddresses,
  ownsAddress: (wallet) => ADDRESS.test(wallet),
  // Case-sensitive.
  spell: (address) => address,
  poolOptions: SOLANA_RPC,
  proofOf:
    ({ genesis, isLocal }) =>
    async (endpoint) => {
      // A local cluster has its own genesis hash.
      if (isLocal || genesis === null) return undefined
      const shown = await endpoint.request(genesisHashRequest)
      return shown === genesis ? undefined : `it shows genesis hash ${shown}, expected ${genesis}`
    },
  examine: examineSolana,
  // Ed25519, in base58 or base64.
  verifyOwner: async (signed) => keyVerdict(isOfKey(signed)),
  signIn: { network: 'Solana', chainId: 'mainnet', spell: (address) => address },
  protocols: solanaAdapters.map(({ key, title, siteUrl }) => ({ key, name: title, chain: SOLANA, siteUrl })),
  protocolAdapters: new Map(),
  airdrops: { chain: SOLANA, sources: publishedSources, row: airdropRow },
  open: openSolana,
  priceSources: solanaPriceSources,
}

const genesisHashRequest: RpcRequest<string> = {
  method: 'getGenesisHash',
  params: [],
  parse(result) {
    if (typeof result === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(result)) return result
    throw invalidAnswer('expected a hash')
  },
}

async function examineSolana(pool: RpcPool, clock: Clock) {
  const session = pool.session()
  const startedAt = performance.now()
  const slot = await session.request(finalSlotRequest)
  const latencyMs = Math.round(performance.now() - startedAt)
  const time = await session
    .request({ method: 'getBlockTime', params: [Number(slot)], parse: (result) => result })
    .catch(orNull)
  const first = await session.request(firstSlotRequest).catch(orNull)
  return {
    head: slot.toString(),
    lagSeconds: typeof time === 'number' ? Math.round(clock.now() / 1_000) - time : null,
    latencyMs,
    firstSlot: first === null ? null : first.toString(),
  }
}

function orNull(error: unknown): null {
  upstreamOnly(error)
  return null
}

/** Decoding base58 takes quadratic time. */
const MOST_CHARACTERS = 100

function isOfKey({ address, text, signature }: SignedText): boolean {
  if (signature.length > MOST_CHARACTERS) return false
  try {
    const bytes = signature.endsWith('=') ? base64.decode(signature) : base58.decode(signature)
    // RFC 8032: ZIP 215 accepts keys that anyone can sign for.
    return ed25519.verify(bytes, Buffer.from(text), base58.decode(address), { zip215: false })
  } catch {
    return false
  }
}
