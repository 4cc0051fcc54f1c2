import { base58 } from '@scure/base'
import type { SolanaAccount } from '../src/domain/solana-account.ts'
import { claimAddress } from '../src/protocols/solana/distributors/claim-address.ts'
import { distributorPrograms } from '../src/protocols/solana/distributors/distributor-programs.ts'
import {
  claimData,
  compressedClaimData,
  type DistributorFork,
  distributorData,
  type FieldValues,
} from './distributor-accounts.ts'
import { type Grant, type MerkleList, merkleList } from './merkle-list.ts'

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

/** An address that nobody has: so many times one byte. */
export const madeAddress = (byte: number): string => base58.encode(new Uint8Array(32).fill(byte))

const account = (address: string, owner: string, data: Uint8Array): SolanaAccount => ({
  ...{ address, owner, data, lamports: 1_000_000_000n },
})

/** A mint as SPL Token lays it out: supply at 36, decimals at 44, initialised at 45. */
export function mintAccount(address: string, decimals: number): SolanaAccount {
  const data = new Uint8Array(82)
  data.set([decimals, 1], 44)
  return account(address, TOKEN_PROGRAM, data)
}

/** An airdrop on chain, paid by the first program that has the layout. */
export type PlacedAirdrop = {
  program: string
  distributor: string
  list: MerkleList
  accounts: SolanaAccount[]
}

export function placeAirdrop({
  fork,
  distributor,
  mint,
  grants,
  terms,
  vaultRaw,
  claims = {},
}: {
  fork: DistributorFork
  distributor: string
  mint: string
  grants: readonly Grant[]
  terms: FieldValues
  /** What there is to pay from. */
  vaultRaw: bigint
  /** What wallets have claimed: fields of their claim status, or the state that is left of it. */
  claims?: Readonly<Record<string, FieldValues | bigint>>
}): PlacedAirdrop {
  const program = distributorPrograms.find(({ layout }) => layout === fork)?.program
  if (!program) throw new Error(`no program has the layout ${fork}`)
  const vault = base58.encode(base58.decode(distributor).map((byte) => byte ^ 0x55))
  const list = merkleList(grants)
  const data = distributorData(fork, { root: list.root, mint, token_vault: vault, ...terms })
  const held = new Uint8Array(165)
  held.set([...base58.decode(mint), ...base58.decode(distributor)])
  new DataView(held.buffer).setBigUint64(64, vaultRaw, true)
  held[108] = 1
  const ofClaims = Object.entries(claims).map(([claimant, claim]) => {
    const fields = typeof claim === 'bigint' ? compressedClaimData(claim) : claimData(fork, { claimant, ...claim })
    return account(claimAddress(program, distributor, claimant), program, fields)
  })
  const accounts = [account(distributor, program, data), account(vault, TOKEN_PROGRAM, held), ...ofClaims]
  return { program, distributor, list, accounts }
}
