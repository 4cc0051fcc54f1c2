import { solanaAddresses } from '@coffer/contract'
import type { NamedProtocol } from '../../domain/named-protocol.ts'
import type { ChainType } from '../chain-type.ts'
import { airdropRow } from './airdrops/airdrop-rows.ts'
import { SOLANA, solanaChains } from './chains.ts'
import { publishedSources } from './distributors/published-sources.ts'
import { examineSolana } from './examine.ts'
import { openSolana } from './open.ts'
import { verifySolanaOwner } from './owner-signature.ts'
import { solanaPriceSources } from './prices/sources.ts'
import { createSolanaAdapters } from './protocols/protocols.ts'
import { SOLANA_RPC } from './reader/solana-reader.ts'
import { createSolanaChainProof } from './solana-chain-proof.ts'

const solanaProtocols: readonly NamedProtocol[] = createSolanaAdapters().map(({ key, title, siteUrl }) => ({
  key,
  name: title,
  chain: 'solana',
  siteUrl,
}))

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
