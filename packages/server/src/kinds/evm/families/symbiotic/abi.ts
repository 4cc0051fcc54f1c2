import { parseAbi } from 'viem'

/** A vault of Symbiotic: its collateral, and what all shares together stand for. */
export const epochVaultAbi = parseAbi([
  'function collateral() view returns (address)',
  'function activeStake() view returns (uint256)',
  'function activeShares() view returns (uint256)',
])
