export { addressOf } from './addresses.ts'
export { type AirdropFixture, type AirdropTerms, airdropFixture, madeAddress } from './airdrops/airdrop-fixture.ts'
export {
  claimData,
  compressedClaimData,
  type DistributorFork,
  distributorData,
  type FieldValues,
} from './airdrops/distributor-accounts.ts'
export { merkleList } from './airdrops/merkle-list.ts'
export { mintAccount } from './tokens.ts'
