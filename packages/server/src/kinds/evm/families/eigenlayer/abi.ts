import { parseAbi } from 'viem'

/** A vault of one token. */
export const strategyAbi = parseAbi(['function underlyingToken() view returns (address)'])

export const strategyManagerAbi = parseAbi(['function stakerStrategyListLength(address staker) view returns (uint256)'])

export const podManagerAbi = parseAbi(['function ownerToPod(address owner) view returns (address)'])

export const delegationAbi = parseAbi([
  'function getQueuedWithdrawalRoots(address staker) view returns (bytes32[] roots)',
])
