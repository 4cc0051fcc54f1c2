import { parseAbi } from 'viem'
import { voteNftLensCode } from './vote-nft-lens.bytecode.ts'

/** `vote-nft-lens.sol`: locks for votes, their rebases and what their votes earned. */
export const voteNftLens = {
  name: 'VoteNftLens',
  abi: parseAbi([
    'struct Reward { address token; uint256 amount; }',
    'struct Lock { uint256 id; uint8 kind; uint256 amount; uint256 end; uint256 rebase; Reward[] rewards; uint256 unread; }',
    'function locks(address escrow, address voter, address distributor, address owner, uint256 start, uint256 end) view returns (Lock[] page)',
    'function earlier(address escrow, address voter, address owner, uint256 start, uint256 end, address[] pools) view returns (Lock[] page)',
  ]),
  runtimeCode: voteNftLensCode.runtime,
} as const
