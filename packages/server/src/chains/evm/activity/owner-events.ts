import { toEventSelector } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { topicOfAddress, topicOfPrefix } from '../logs/erc20-events.ts'
import type { TopicFilter } from '../logs/logs.ts'
import type { Hex } from '../rpc-values.ts'

/** For endpoints without filters for any event: standards, and protocols that are widely used or log no `Transfer`. */
const KNOWN_EVENTS: readonly Hex[] = [
  // ERC-20, ERC-721
  'Transfer(address,address,uint256)',
  'Approval(address,address,uint256)',
  // ERC-721, ERC-1155
  'ApprovalForAll(address,address,bool)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
  // WETH9
  'Deposit(address,uint256)',
  'Withdrawal(address,uint256)',
  // ERC-4626
  'Deposit(address,address,uint256,uint256)',
  'Withdraw(address,address,address,uint256,uint256)',
  // Aave v2: aToken, debt tokens, pool
  'Mint(address,uint256,uint256)',
  'Mint(address,address,uint256,uint256,uint256)',
  'Burn(address,address,uint256,uint256)',
  'Burn(address,uint256,uint256)',
  'Deposit(address,address,address,uint256,uint16)',
  'Borrow(address,address,address,uint256,uint256,uint256,uint16)',
  // Aave v3: tokens, pool
  'Mint(address,address,uint256,uint256,uint256)',
  'Burn(address,address,uint256,uint256,uint256)',
  'BalanceTransfer(address,address,uint256,uint256)',
  'Supply(address,address,address,uint256,uint16)',
  'Withdraw(address,address,address,uint256)',
  'Borrow(address,address,address,uint256,uint8,uint256,uint16)',
  'Repay(address,address,address,uint256,bool)',
  'Repay(address,address,address,uint256)',
  'LiquidationCall(address,address,address,uint256,uint256,address,bool)',
  'RewardsClaimed(address,address,address,address,uint256)',
  // Compound v2 and v3
  'DistributedSupplierComp(address,address,uint256,uint256)',
  'DistributedBorrowerComp(address,address,uint256,uint256)',
  'Supply(address,address,uint256)',
  'Withdraw(address,address,uint256)',
  'SupplyCollateral(address,address,address,uint256)',
  'WithdrawCollateral(address,address,address,uint256)',
  'RewardClaimed(address,address,address,uint256)',
  // Morpho Blue
  'Supply(bytes32,address,address,uint256,uint256)',
  'Withdraw(bytes32,address,address,address,uint256,uint256)',
  'SupplyCollateral(bytes32,address,address,uint256)',
  'WithdrawCollateral(bytes32,address,address,address,uint256)',
  'Borrow(bytes32,address,address,address,uint256,uint256)',
  'Repay(bytes32,address,address,uint256,uint256)',
  // Lido
  'TransferShares(address,address,uint256)',
  'Submitted(address,uint256,address)',
  // Permit2
  'Approval(address,address,address,uint160,uint48)',
  'Permit(address,address,address,uint160,uint48,uint48)',
  'Lockdown(address,address,address)',
  // Uniswap v2, v3, v4
  'Swap(address,uint256,uint256,uint256,uint256,address)',
  'Swap(address,address,int256,int256,uint160,uint128,int24)',
  'Mint(address,address,int24,int24,uint128,uint256,uint256)',
  'Collect(address,address,int24,int24,uint128,uint128)',
  // Balancer
  'PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])',
  // Farms and gauges: MasterChef, Synthetix' rewards, Curve
  'Deposit(address,uint256,uint256)',
  'Withdraw(address,uint256,uint256)',
  'EmergencyWithdraw(address,uint256,uint256)',
  'Harvest(address,uint256,uint256)',
  'Staked(address,uint256)',
  'Withdrawn(address,uint256)',
  'RewardPaid(address,uint256)',
  'Deposit(address,uint256,uint256,int128,uint256)',
  'Withdraw(address,uint256)',
  'Claimed(address,uint256)',
  // Euler v2: connector, vaults
  'CallWithContext(address,bytes19,address,address,bytes4)',
  'Borrow(address,uint256)',
  'Repay(address,uint256)',
  // Safe, delegation, names
  'SafeReceived(address,uint256)',
  'DelegateChanged(address,address,address)',
].map((event) => toEventSelector(event))

const POSITIONS = [1, 2, 3]
/** Account prefix in `CallWithContext` of Euler's connector. */
const PREFIX_POSITION = 2

/** `any`: every event, otherwise the known ones. `prefixes`: also sub-accounts, which share the first 19 bytes. */
export function ownerFilters(
  wallets: readonly EvmAddress[],
  { any, prefixes = false }: { any: boolean; prefixes?: boolean },
): TopicFilter[] {
  const owners = wallets.map(topicOfAddress)
  const event = any ? null : [...new Set(KNOWN_EVENTS)]
  return POSITIONS.map((position) => [
    event,
    ...Array<null>(position - 1).fill(null),
    prefixes && position === PREFIX_POSITION ? [...owners, ...wallets.map(topicOfPrefix)] : owners,
  ])
}
