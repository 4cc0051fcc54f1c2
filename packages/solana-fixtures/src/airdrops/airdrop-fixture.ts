import { getAddressDecoder } from '@solana/kit'
import { PublicKey } from '@solana/web3.js'
import { addressBytes } from '../addresses.ts'
import { type FixtureAccount, fixtureAccount } from '../fixture.ts'
import { tokenAccount } from '../tokens.ts'
import {
  claimData,
  compressedClaimData,
  type DistributorFork,
  distributorData,
  type FieldValues,
} from './distributor-accounts.ts'
import { type Grant, type MerkleList, merkleList } from './merkle-list.ts'

/** Unused address of one repeated byte. */
export const madeAddress = (byte: number): string => getAddressDecoder().decode(new Uint8Array(32).fill(byte))

/** From published sources and interfaces. */
const programs: Readonly<Record<DistributorFork, string>> = {
  jito: 'mERKcfxMC5SqJn4Ld4BUris3WKZZ1ojjWJ3A3J5CKxv',
  jupiterFirst: 'meRjbQXFNf5En86FXT2YPz1dQzLj4Yb3xK8u1MVgqpb',
  jupiterBase: 'DiSLRwcSFvtwvMWSs7ubBMvYRaYNYupa76ZSuYLe6D7j',
  jupiterZeroCopy: 'DiS3nNjFVMieMgmiQFm6wgJL7nevk4NrhXKLbtEH1Z2R',
  drift: 'E7HtfkEMhmn9uwL7EFNydcXBWy5WCYN1vFmKKjipEH1x',
  streamflow: 'MErKy6nZVoVAkryxAejJz2juifQ4ArgLgHmaJCQkU7N',
}

/** `list` proves each wallet's grant. */
export type AirdropFixture = {
  program: string
  distributor: string
  list: MerkleList
  accounts: FixtureAccount[]
}

export type AirdropTerms = {
  fork: DistributorFork
  distributor: string
  mint: string
  grants: readonly Grant[]
  terms: FieldValues
  vaultRaw: bigint
  /** By wallet: claim status, or its compressed state. */
  claims?: Readonly<Record<string, FieldValues | bigint>>
}

export const airdropFixture = (airdrop: AirdropTerms): AirdropFixture => {
  const { fork, distributor, mint, grants, terms, vaultRaw, claims = {} } = airdrop
  const program = programs[fork]
  const vault = getAddressDecoder().decode(addressBytes(distributor).map((byte) => byte ^ 0x55))
  const list = merkleList(grants)
  const data = distributorData(fork, { root: list.root, mint, token_vault: vault, ...terms })
  const ofClaims = Object.entries(claims).map(([claimant, claim]) => {
    const fields = typeof claim === 'bigint' ? compressedClaimData(claim) : claimData(fork, { claimant, ...claim })
    return fixtureAccount(claimAddress(program, distributor, claimant), program, fields)
  })
  const placed = [fixtureAccount(distributor, program, data), tokenAccount(vault, distributor, mint, vaultRaw)]
  return { program, distributor, list, accounts: [...placed, ...ofClaims] }
}

const claimAddress = (program: string, distributor: string, claimant: string): string => {
  const seeds = [Buffer.from('ClaimStatus'), addressBytes(claimant), addressBytes(distributor)]
  return PublicKey.findProgramAddressSync(seeds, new PublicKey(program))[0].toBase58()
}
