// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface EpochVault {
    function activeBalanceOf(address account) external view returns (uint256);
    function currentEpoch() external view returns (uint256);
    function currentEpochStart() external view returns (uint48);
    function epochDuration() external view returns (uint48);
    function withdrawalSharesOf(uint256 epoch, address account) external view returns (uint256);
    function withdrawalsOf(uint256 epoch, address account) external view returns (uint256);
    function isWithdrawalsClaimed(uint256 epoch, address account) external view returns (bool);
}

/**
 * What a wallet has in a vault of Symbiotic. The vault lists no withdrawals: each epoch is asked. It is never deployed: its
 * runtime code travels with the call.
 */
contract EpochLens {
    struct Withdrawal {
        uint256 epoch;
        uint256 amount;
        /// When the epoch ends, Unix seconds; zero once it has.
        uint256 unlockAt;
    }

    /// The newest `most` epochs with something to claim, the oldest first; `unread`: how many epochs came before them.
    function account(EpochVault vault, address wallet, uint256 most)
        external
        view
        returns (uint256 staked, Withdrawal[] memory waiting, uint256 unread)
    {
        staked = vault.activeBalanceOf(wallet);
        uint256 current = vault.currentEpoch();
        // What is asked for in an epoch leaves in the next one, so that nothing leaves in the first.
        uint256 count = current + 1 < most ? current + 1 : most;
        unread = current + 1 - count;
        waiting = new Withdrawal[](count);
        uint256 found = 0;
        for (uint256 epoch = unread + 1; epoch <= current + 1; epoch++) {
            if (vault.withdrawalSharesOf(epoch, wallet) == 0 || vault.isWithdrawalsClaimed(epoch, wallet)) continue;
            waiting[found].epoch = epoch;
            waiting[found].amount = vault.withdrawalsOf(epoch, wallet);
            if (epoch >= current) waiting[found].unlockAt = endOf(vault, epoch - current);
            found++;
        }
        assembly ("memory-safe") {
            mstore(waiting, found)
        }
    }

    /// Of an epoch so many after the one that runs.
    function endOf(EpochVault vault, uint256 after_) private view returns (uint256) {
        return vault.currentEpochStart() + (after_ + 1) * vault.epochDuration();
    }
}
