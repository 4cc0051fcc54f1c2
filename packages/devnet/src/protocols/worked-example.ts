import { type Address, encodeFunctionData, getAddress, parseAbi } from 'viem'
import { addresses } from '../addresses.ts'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import { deployFeeds } from './chainlink.ts'
import { deployToken } from './erc20.ts'

const exampleAbi = parseAbi([
  'function setRate(uint256 rate)',
  'function buyCoins(uint256 amount)',
  'function sellCoins() payable',
  'function depositCoins() payable',
  'function withdrawCoins(uint256 assets)',
  'function send() payable',
  'function deliver(address receiver, uint256 amount)',
  'function claim(uint256 amount)',
  'function airdrop(address token, address[] receivers, uint256 amount)',
])

const XYZ: Address = getAddress('0x00000000000000000000000000000000001ecca1')
const XYZ_FEED: Address = getAddress('0x00000000000000000000000000000000001ecca2')
const PRICE_DECIMALS = 8

export const deployWorkedExample = async (ethereum: DevChain, base: DevChain) => {
  const { weth, usdc } = addresses.ethereum.tokens
  const exchange = await ethereum.deploy(ownArtifact('FixedRateExchange'), [usdc])
  const vault = await ethereum.deploy(ownArtifact('Vault'), [weth, 'Example Vault', 'exWETH'])
  const gateway = await ethereum.deploy(ownArtifact('VaultGateway'), [vault])
  const bridge = await ethereum.deploy(ownArtifact('BridgeEnd'))
  const farBridge = await base.deploy(ownArtifact('BridgeEnd'))
  const giver = await ethereum.deploy(ownArtifact('Giver'))
  await deployToken(ethereum, { address: XYZ, name: 'Xyz', symbol: 'XYZ', decimals: 18 })
  await deployFeeds(ethereum, [{ address: XYZ_FEED, decimals: PRICE_DECIMALS, answer: 2n * 10n ** 8n }])
  return { exchange, vault, gateway, bridge, farBridge, giver, xyz: XYZ, xyzFeed: XYZ_FEED, holder: accounts.market }
}

export const exampleCall = (functionName: string, args: readonly unknown[] = []) =>
  encodeFunctionData({ abi: exampleAbi, functionName: functionName as never, args: args as never })
