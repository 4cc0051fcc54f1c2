// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Storage {
    function getAddress(bytes32 key) external view returns (address);
}

/// Contracts that the storage names.
interface Named {
    function getNodeRPLStake(address node) external view returns (uint256);
    function getNodeLegacyStakedRPL(address node) external view returns (uint256);
    function getNodeMegapoolStakedRPL(address node) external view returns (uint256);
    function getNodeUnstakingRPL(address node) external view returns (uint256);
    function getNodeLastUnstakeTime(address node) external view returns (uint256);
    function getNodeRPLStakedTime(address node) external view returns (uint256);
    function getUnstakingPeriod() external view returns (uint256);
    function getWithdrawalCooldown() external view returns (uint256);
    function getMegapoolAddress(address node) external view returns (address);
    function getUnclaimedRewards(address node) external view returns (uint256);
    function getNodeEthBalance(address node) external view returns (uint256);
    function getNodeDepositCredit(address node) external view returns (uint256);
    function getOutstandingEth(address owner) external view returns (uint256);
    function getProxyAddress(address node) external view returns (address);
    function getNodeMinipoolCount(address node) external view returns (uint256);
    function getNodeMinipoolAt(address node, uint256 i) external view returns (address);
}

interface Distributor {
    function getNodeShare() external view returns (uint256);
}

interface Megapool {
    function getNodeBond() external view returns (uint256);
    function getNodeQueuedBond() external view returns (uint256);
    function getRefundValue() external view returns (uint256);
    function getDebt() external view returns (uint256);
    function getLastDistributionTime() external view returns (uint256);
    function getExitingValidatorCount() external view returns (uint32);
    function getLockedValidatorCount() external view returns (uint32);
    function calculatePendingRewards()
        external
        view
        returns (uint256 node, uint256 voter, uint256 protocol, uint256 reth);
}

interface Minipool {
    function getStatus() external view returns (uint8);
    function getFinalised() external view returns (bool);
    function getUserDistributed() external view returns (bool);
    function getVacant() external view returns (bool);
    function getNodeDepositBalance() external view returns (uint256);
    function getNodeRefundBalance() external view returns (uint256);
    function calculateNodeShare(uint256 balance) external view returns (uint256);
}

/**
 * What a node operator has in Rocket Pool. The storage names the contracts, which upgrades replace. It is never deployed: its
 * runtime code travels with the call.
 */
contract RocketPoolLens {
    struct Node {
        /// RPL behind minipools and behind the megapool; what was asked for, and when it may be taken (Unix seconds).
        uint256 legacyStake;
        uint256 megapoolStake;
        uint256 unstaking;
        uint256 unstakesAt;
        /// Zero if there is none; coin that is bonded, that a claim would pay and that is owed after it.
        address megapool;
        uint256 bond;
        uint256 claimable;
        uint256 debt;
        /// Coin that was deposited for the node; its credit for bonds; rewards that wait for the node.
        uint256 balance;
        uint256 credit;
        uint256 unclaimed;
        uint256 minipools;
    }

    /// Coin that comes back, and coin that can be taken now.
    struct Pool {
        address minipool;
        uint256 bond;
        uint256 claimable;
    }

    uint8 private constant STAKING = 2;
    uint8 private constant DISSOLVED = 4;
    /// A balance from which on a minipool pays out capital, and below which all is rewards.
    uint256 private constant CAPITAL = 8 ether;
    uint256 private constant MINIPOOL_GAS = 400_000;

    function node(Storage store, address wallet) external view returns (Node memory one) {
        Named staking = named(store, "rocketNodeStaking");
        bool isSaturn = address(named(store, "rocketMegapoolManager")) != address(0);
        if (isSaturn) readSaturn(store, staking, wallet, one);
        else one.legacyStake = staking.getNodeRPLStake(wallet);
        one.credit = named(store, "rocketNodeDeposit").getNodeDepositCredit(wallet);
        one.unclaimed += named(store, "rocketMerkleDistributorMainnet").getOutstandingEth(wallet);
        address distributor = named(store, "rocketNodeDistributorFactory").getProxyAddress(wallet);
        if (distributor.code.length > 0 && distributor.balance > 0) {
            one.unclaimed += Distributor(distributor).getNodeShare();
        }
        one.minipools = named(store, "rocketMinipoolManager").getNodeMinipoolCount(wallet);
    }

    /// Minipools of the node by their places in its list. refused: could not be read.
    function minipools(Storage store, address wallet, uint256 start, uint256 end)
        external
        view
        returns (Pool[] memory found, address[] memory refused)
    {
        Named manager = named(store, "rocketMinipoolManager");
        uint256 count = manager.getNodeMinipoolCount(wallet);
        if (end > count) end = count;
        if (start > end) start = end;
        found = new Pool[](end - start);
        refused = new address[](end - start);
        uint256 known = 0;
        uint256 unknown = 0;
        for (uint256 i = start; i < end; i++) {
            address minipool = manager.getNodeMinipoolAt(wallet, i);
            try this.minipoolAt{gas: MINIPOOL_GAS}(minipool) returns (Pool memory pool) {
                found[known++] = pool;
            } catch {
                refused[unknown++] = minipool;
            }
        }
        assembly ("memory-safe") {
            mstore(found, known)
            mstore(refused, unknown)
        }
    }

    function minipoolAt(address at) external view returns (Pool memory pool) {
        Minipool minipool = Minipool(at);
        pool.minipool = at;
        if (minipool.getFinalised()) return pool;
        uint8 status = minipool.getStatus();
        if (status == DISSOLVED) {
            pool.claimable = at.balance;
            return pool;
        }
        uint256 refund = minipool.getNodeRefundBalance();
        pool.claimable = minipool.getVacant() ? 0 : refund;
        // Its capital is in the refund then.
        if (minipool.getUserDistributed()) return pool;
        pool.bond = minipool.getNodeDepositBalance();
        if (status != STAKING) return pool;
        uint256 share = minipool.calculateNodeShare(at.balance - refund);
        if (at.balance - refund < CAPITAL) pool.claimable += share;
        else pool.bond = share;
    }

    function readSaturn(Storage store, Named staking, address wallet, Node memory one) private view {
        one.legacyStake = staking.getNodeLegacyStakedRPL(wallet);
        one.megapoolStake = staking.getNodeMegapoolStakedRPL(wallet);
        one.unstaking = staking.getNodeUnstakingRPL(wallet);
        Named settings = named(store, "rocketDAOProtocolSettingsNode");
        // More than the period has to pass since the request, and all of the cooldown since RPL was staked.
        uint256 asked = staking.getNodeLastUnstakeTime(wallet) + settings.getUnstakingPeriod() + 1;
        uint256 staked = staking.getNodeRPLStakedTime(wallet) + settings.getWithdrawalCooldown();
        one.unstakesAt = asked > staked ? asked : staked;
        one.balance = named(store, "rocketNodeDeposit").getNodeEthBalance(wallet);
        Named manager = named(store, "rocketNodeManager");
        one.unclaimed = manager.getUnclaimedRewards(wallet);
        one.megapool = manager.getMegapoolAddress(wallet);
        if (one.megapool != address(0)) readMegapool(Megapool(one.megapool), one);
    }

    /// Rewards cannot be distributed while a validator leaves: what it brought is capital.
    function readMegapool(Megapool megapool, Node memory one) private view {
        one.bond = megapool.getNodeBond() + megapool.getNodeQueuedBond();
        one.claimable = megapool.getRefundValue();
        bool isOpen = megapool.getLastDistributionTime() != 0 && megapool.getExitingValidatorCount() == 0
            && megapool.getLockedValidatorCount() == 0;
        if (isOpen) {
            (uint256 rewards,,,) = megapool.calculatePendingRewards();
            one.claimable += rewards;
        }
        one.debt = megapool.getDebt();
        uint256 repaid = one.debt < one.claimable ? one.debt : one.claimable;
        one.debt -= repaid;
        one.claimable -= repaid;
    }

    function named(Storage store, string memory name) private view returns (Named) {
        return Named(store.getAddress(keccak256(abi.encodePacked("contract.address", name))));
    }
}
