import { type Address, parseAbi } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { compilePackaged } from '../packaged-source.ts'
import { accounts } from '../wallets.ts'

const hubAbi = parseAbi(['function approve(address factory, address nft)'])

const compiled = (path: string) =>
  compilePackaged(
    'sphere-mezo-solidity-files',
    `domains/aerodrome-slipstream/contracts/${path}.sol`,
    path.slice(path.lastIndexOf('/') + 1),
    'solc-0.7.6',
  )

/** From source. Voter, registry and gauges are this project's: Slipstream's are not free. */
export const deploySlipstream = async (chain: DevChain, facts: { reward: Address; weth: Address }) => {
  const hub = await chain.deploy(ownArtifact('SlipstreamHub'), [facts.reward])
  const pool = await chain.deploy(await compiled('core/CLPool'))
  const factory = await chain.deploy(await compiled('core/CLFactory'), [hub, hub, pool])
  const manager = await chain.deploy(await compiled('periphery/NonfungiblePositionManager'), [
    ...[factory, facts.weth, hub, 'Slipstream', 'SLIP'],
  ])
  const args = [factory, manager] as const
  await chain.write({ from: accounts.deployer, address: hub, abi: hubAbi, functionName: 'approve', args })
  return {
    hub,
    factory,
    manager,
    router: await chain.deploy(await compiled('periphery/SwapRouter'), [factory, facts.weth]),
  }
}
