import type { ChainKind } from '../kind.ts'
import { examineSolana } from './examine.ts'
import { solanaProtocols } from './families/protocol-names.ts'
import { openSolana } from './open.ts'
import { verifySolanaOwner } from './owner-signature.ts'
import { solanaPriceSources } from './prices/sources.ts'
import { SOLANA_POOL } from './reader/solana-pool.ts'
import { createSolanaChainProof } from './solana-chain-proof.ts'

/** Base58 of 32 bytes; Tron's addresses have 34 digits, for 25 bytes. */
const ADDRESS = /^(?!T[1-9A-HJ-NP-Za-km-z]{33}$)[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const solanaKind: ChainKind = {
  name: 'solana',
  ownsAddress: (wallet) => ADDRESS.test(wallet),
  // Letter case counts.
  spell: (address) => address,
  poolOptions: SOLANA_POOL,
  proofOf: createSolanaChainProof,
  examine: examineSolana,
  verifyOwner: verifySolanaOwner,
  keepsPastStates: false,
  protocols: solanaProtocols,
  families: new Map(),
  open: openSolana,
  priceSources: solanaPriceSources,
}
