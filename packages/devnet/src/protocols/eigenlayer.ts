import { type Address, zeroAddress } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'

/** Its managers are one contract. `eigen` wraps `backing`. */
export const deployEigenLayer = async (chain: DevChain, delayBlocks: number, backing: Address) => {
  const hub = await chain.deploy(ownArtifact('RestakingHub'), [delayBlocks])
  const eigen = await chain.deploy(ownArtifact('WrappedBacking'), [backing])
  return { hub, eigen, eigenStrategy: await addStrategy(chain, hub, backing, eigen) }
}

export const addStrategy = (chain: DevChain, hub: Address, token: Address, wrapper: Address = zeroAddress) =>
  chain.deploy(ownArtifact('RestakingStrategy'), [hub, token, wrapper])
