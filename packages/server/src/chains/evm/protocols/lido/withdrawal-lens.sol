// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Queue {
    struct Status {
        uint256 amountOfStETH;
        uint256 amountOfShares;
        address owner;
        uint256 timestamp;
        bool isFinalized;
        bool isClaimed;
    }

    function getWithdrawalRequests(address owner) external view returns (uint256[] memory ids);
    function getWithdrawalStatus(uint256[] calldata ids) external view returns (Status[] memory statuses);
    function getLastCheckpointIndex() external view returns (uint256);
    function findCheckpointHints(uint256[] calldata ids, uint256 first, uint256 last)
        external
        view
        returns (uint256[] memory hints);
    function getClaimableEther(uint256[] calldata ids, uint256[] calldata hints)
        external
        view
        returns (uint256[] memory claimable);
}

/// Some of a wallet's requests in Lido's withdrawal queue. It is never deployed: its runtime code travels with the call.
contract WithdrawalLens {
    struct Request {
        uint256 id;
        /// stETH, as it was when the request was made.
        uint256 amount;
        bool isFinalized;
        /// Coin, where the request is finalised.
        uint256 claimable;
    }

    /// `start`, `end`: places in the queue's own list of the wallet.
    function requests(Queue queue, address wallet, uint256 start, uint256 end)
        external
        view
        returns (Request[] memory found)
    {
        uint256[] memory all = queue.getWithdrawalRequests(wallet);
        if (end > all.length) end = all.length;
        if (start > end) start = end;
        uint256[] memory ids = new uint256[](end - start);
        for (uint256 i = 0; i < ids.length; i++) ids[i] = all[start + i];
        Queue.Status[] memory statuses = queue.getWithdrawalStatus(ids);
        uint256 last = queue.getLastCheckpointIndex();
        found = new Request[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            bool isFinalized = statuses[i].isFinalized;
            uint256 claimable = isFinalized ? claimableOf(queue, ids[i], last) : 0;
            found[i] = Request(ids[i], statuses[i].amountOfStETH, isFinalized, claimable);
        }
    }

    /// One by one: hints are found only for ids in ascending order, which the list loses when a request leaves it.
    function claimableOf(Queue queue, uint256 id, uint256 last) private view returns (uint256) {
        uint256[] memory ids = new uint256[](1);
        ids[0] = id;
        return queue.getClaimableEther(ids, queue.findCheckpointHints(ids, 1, last))[0];
    }
}
