import { solanaAddresses } from '@coffer/contract'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import type { NamedProtocol } from '../../domain/named-protocol.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Chain } from '../chain.ts'
import type { ChainType } from '../chain-type.ts'
import { keyVerdict, type SignedText, type VerifyOwner } from '../owner-signature.ts'
import type { ChainProof } from '../rpc/endpoint-proofs.ts'
import type { RpcRequest } from '../rpc/json-rpc.ts'
import { airdropRow } from './airdrops/airdrop-rows.ts'
import { SOLANA, solanaChains } from './chains.ts'
import { publishedSources } from './distributors/published-sources.ts'
import { examineSolana } from './examine.ts'
import { openSolana } from './open.ts'
import { solanaPriceSources } from './prices/sources.ts'
import { createSolanaAdapters } from './protocols/protocols.ts'
import { SOLANA_RPC } from './reader/rpc-options.ts'

const genesisHashRequest: RpcRequest<string> = {
  method: 'getGenesisHash',
  params: [],
  parse(result) {
    if (typeof result === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(result)) return result
    throw new UpstreamError('invalid', 'expected a hash')
  },
}

/** A local cluster has its own genesis hash. */
function createSolanaChainProof({ genesis, isLocal }: Pick<Chain, 'genesis' | 'isLocal'>): ChainProof {
  return {
    async findMismatch(endpoint) {
      if (isLocal || genesis === null) return undefined
      const shown = await endpoint.request(genesisHashRequest)
      return shown === genesis ? undefined : `it shows genesis hash ${shown}, expected ${genesis}`
    },
  }
}

const solanaProtocols: readonly NamedProtocol[] = createSolanaAdapters().map(({ key, title, siteUrl }) => ({
  key,
  name: title,
  chain: 'solana',
  siteUrl,
}))

/** Decoding base58 takes quadratic time. */
const MOST_CHARACTERS = 100

/** Ed25519, in base58 or base64. */
const verifySolanaOwner: VerifyOwner = async (signed) => keyVerdict(isOfKey(signed))

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

/** Excludes Tron addresses: 34 digits for 25 bytes. */
const ADDRESS = /^(?!T[1-9A-HJ-NP-Za-km-z]{33}$)[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const solanaChainType: ChainType = {
  name: SOLANA,
  chains: solanaChains,
  sections: [],
  addressForm: { pattern: '[1-9A-HJ-NP-Za-km-z]{32,44}', described: 'base58 on Solana' },
  addresses: solanaAddresses,
  ownsAddress: (wallet) => ADDRESS.test(wallet),
  // Case-sensitive.
  spell: (address) => address,
  poolOptions: SOLANA_RPC,
  proofOf: createSolanaChainProof,
  examine: examineSolana,
  verifyOwner: verifySolanaOwner,
  signIn: { network: 'Solana', chainId: 'mainnet', spell: (address) => address },
  protocols: solanaProtocols,
  protocolAdapters: new Map(),
  airdrops: { chain: SOLANA, sources: publishedSources, row: airdropRow },
  open: openSolana,
  priceSources: solanaPriceSources,
}
