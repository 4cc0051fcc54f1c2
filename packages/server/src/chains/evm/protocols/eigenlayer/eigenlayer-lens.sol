// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface DelegationManager {
    struct Withdrawal {
        address staker;
        address delegatedTo;
        address withdrawer;
        uint256 nonce;
        uint32 startBlock;
        address[] strategies;
        uint256[] scaledShares;
    }

    function minWithdrawalDelayBlocks() external view returns (uint32);
    function getDepositedShares(address staker)
        external
        view
        returns (address[] memory strategies, uint256[] memory shares);
    function getWithdrawableShares(address staker, address[] calldata strategies)
        external
        view
        returns (uint256[] memory withdrawable, uint256[] memory deposited);
    function getQueuedWithdrawals(address staker)
        external
        view
        returns (Withdrawal[] memory withdrawals, uint256[][] memory shares);
}

interface Strategy {
    function underlyingToken() external view returns (address);
    function sharesToUnderlyingView(uint256 shares) external view returns (uint256);
    function withdrawalsOpen() external view returns (bool);
    function unlockTimestamp() external view returns (uint32);
}

/**
 * What a wallet has in EigenLayer, after slashing: shares of strategies and of its pod, and queued withdrawals. It is never
 * deployed: its runtime code travels with the call.
 */
contract EigenLayerLens {
    struct Part {
        address strategy;
        /// Zero for the coin of a pod.
        address token;
        uint256 amount;
        /// When withdrawals can be queued again, Unix seconds; zero where they can be now.
        uint256 unlockAt;
        /// The strategy, or its token, refused.
        bool isRefused;
    }

    struct Queued {
        /// The first block in which it can be completed.
        uint256 fromBlock;
        Part[] parts;
    }

    /// Stands for a pod. Its shares are wei.
    address private constant BEACON = 0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0;
    /// Anyone may create a strategy, of a token that burns all gas it is given.
    uint256 private constant STRATEGY_GAS = 300_000;
    uint256 private constant LOCK_GAS = 50_000;

    function stakes(DelegationManager manager, address wallet)
        external
        view
        returns (Part[] memory staked, Queued[] memory queued)
    {
        (address[] memory strategies,) = manager.getDepositedShares(wallet);
        (uint256[] memory shares,) = manager.getWithdrawableShares(wallet, strategies);
        staked = partsOf(strategies, shares);
        (DelegationManager.Withdrawal[] memory withdrawals, uint256[][] memory due) = manager.getQueuedWithdrawals(wallet);
        uint256 delay = manager.minWithdrawalDelayBlocks();
        queued = new Queued[](withdrawals.length);
        for (uint256 i = 0; i < withdrawals.length; i++) {
            Part[] memory parts = partsOf(withdrawals[i].strategies, due[i]);
            queued[i] = Queued(withdrawals[i].startBlock + delay + 1, parts);
        }
    }

    function partsOf(address[] memory strategies, uint256[] memory shares) private view returns (Part[] memory parts) {
        parts = new Part[](strategies.length);
        for (uint256 i = 0; i < strategies.length; i++) {
            Part memory part = parts[i];
            part.strategy = strategies[i];
            if (strategies[i] == BEACON) {
                // A pod pays whole gwei.
                part.amount = shares[i] - shares[i] % 1 gwei;
                continue;
            }
            try this.worthOf{gas: STRATEGY_GAS}(Strategy(strategies[i]), shares[i]) returns (Part memory found) {
                parts[i] = found;
            } catch {
                part.isRefused = true;
            }
        }
    }

    function worthOf(Strategy strategy, uint256 shares) external view returns (Part memory part) {
        part.strategy = address(strategy);
        part.token = strategy.underlyingToken();
        part.amount = strategy.sharesToUnderlyingView(shares);
        // Vaults of a fixed duration alone know these.
        (bool ok, bytes memory answer) =
            address(strategy).staticcall{gas: LOCK_GAS}(abi.encodeCall(Strategy.withdrawalsOpen, ()));
        if (ok && answer.length == 32 && !abi.decode(answer, (bool))) part.unlockAt = strategy.unlockTimestamp();
    }
}
