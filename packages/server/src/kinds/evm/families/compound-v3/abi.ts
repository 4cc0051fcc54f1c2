import { parseAbi } from 'viem'

export const cometAbi = parseAbi(['function baseToken() view returns (address)'])
