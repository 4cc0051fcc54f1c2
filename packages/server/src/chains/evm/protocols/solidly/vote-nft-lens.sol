// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
}

interface Escrow {
    function token() external view returns (address);
    function ownerToNFTokenIdList(address owner, uint256 index) external view returns (uint256);
    function escrowType(uint256 id) external view returns (uint8);
    function locked(uint256 id) external view returns (int128 amount, uint256 end, bool isPermanent);
    function idToManaged(uint256 id) external view returns (uint256);
    function weights(uint256 id, uint256 managed) external view returns (uint256);
    function managedToLocked(uint256 managed) external view returns (address);
    function managedToFree(uint256 managed) external view returns (address);
}

interface Voter {
    function gauges(address pool) external view returns (address);
    function gaugeToFees(address gauge) external view returns (address);
    function gaugeToBribe(address gauge) external view returns (address);
    function poolVote(uint256 id, uint256 index) external view returns (address);
    function votes(uint256 id, address pool) external view returns (uint256);
}

interface Distributor {
    function claimable(uint256 id) external view returns (uint256);
}

interface Rewards {
    function numCheckpoints(uint256 id) external view returns (uint256);
    function checkpoints(uint256 id, uint256 index) external view returns (uint256 timestamp, uint256 balance);
    function rewardsListLength() external view returns (uint256);
    function rewards(uint256 index) external view returns (address);
    function lastEarn(address token, uint256 id) external view returns (uint256);
    function earned(address token, uint256 id) external view returns (uint256);
}

/**
 * Locks for votes as NFTs, as Velodrome v2 and Aerodrome keep them: what is locked, in the lock itself or through a managed
 * one, rebases, and what votes have earned. It is never deployed: its runtime code travels with the call.
 */
contract VoteNftLens {
    struct Reward {
        address token;
        uint256 amount;
    }

    /// kind: 0 a lock, 1 a permanent one, 2 one that was put into a managed lock. end: zero if it has none.
    /// unread: rewards that could not be read.
    struct Lock {
        uint256 id;
        uint8 kind;
        uint256 amount;
        uint256 end;
        uint256 rebase;
        Reward[] rewards;
        uint256 unread;
    }

    uint8 private constant LOCKED = 1;
    uint8 private constant MANAGED = 2;
    uint256 private constant WEEK = 7 days;
    uint256 private constant TOKEN_GAS = 200_000;
    /// Both look at every week since the last claim: a rebase at 50 at most, a reward at all.
    uint256 private constant REBASE_GAS = 4_000_000;
    uint256 private constant EARNED_GAS = 1_200_000;
    /// What is left for the answer.
    uint256 private constant RESERVE = 400_000;
    uint256 private constant MOST_REWARDS = 256;

    /// A page of the owner's list, without managed locks, which are their depositors', with rewards of what they vote for now.
    function locks(address escrow, address voter, address distributor, address owner, uint256 start, uint256 end)
        external
        view
        returns (Lock[] memory page)
    {
        page = new Lock[](end - start);
        uint256 count = 0;
        for (uint256 i = start; i < end; i++) {
            uint256 id = Escrow(escrow).ownerToNFTokenIdList(owner, i);
            uint8 kind = Escrow(escrow).escrowType(id);
            if (kind == MANAGED) continue;
            Lock memory lock = page[count++];
            lock.id = id;
            lock.rewards = new Reward[](MOST_REWARDS);
            uint256 found = kind == LOCKED ? readManaged(Escrow(escrow), lock) : readOwn(escrow, distributor, lock);
            found = addVotes(Voter(voter), lock, found);
            shorten(lock.rewards, found);
        }
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    /// Rewards of pools that the page's locks voted for before, and do not vote for now.
    function earlier(address escrow, address voter, address owner, uint256 start, uint256 end, address[] calldata pools)
        external
        view
        returns (Lock[] memory page)
    {
        page = new Lock[](end - start);
        uint256 count = 0;
        for (uint256 i = start; i < end; i++) {
            uint256 id = Escrow(escrow).ownerToNFTokenIdList(owner, i);
            if (Escrow(escrow).escrowType(id) == MANAGED) continue;
            Lock memory lock = page[count++];
            lock.id = id;
            lock.rewards = new Reward[](MOST_REWARDS);
            uint256 found = 0;
            for (uint256 k = 0; k < pools.length; k++) {
                if (Voter(voter).votes(id, pools[k]) == 0) found = addPool(Voter(voter), pools[k], lock, found);
            }
            shorten(lock.rewards, found);
        }
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    function readOwn(address escrow, address distributor, Lock memory lock) private view returns (uint256) {
        (int128 amount, uint256 end, bool isPermanent) = Escrow(escrow).locked(lock.id);
        (lock.amount, lock.end, lock.kind) = (uint256(int256(amount)), end, isPermanent ? 1 : 0);
        try Distributor(distributor).claimable{gas: REBASE_GAS}(lock.id) returns (uint256 rebase) {
            lock.rebase = rebase;
        } catch {
            lock.unread++;
        }
        return 0;
    }

    /// What was put in and what it has earned there, as taking it out would lock it; a rebase is the managed lock's.
    function readManaged(Escrow escrow, Lock memory lock) private view returns (uint256) {
        uint256 managed = escrow.idToManaged(lock.id);
        lock.kind = 2;
        address inside = escrow.managedToLocked(managed);
        lock.amount = escrow.weights(lock.id, managed) + Rewards(inside).earned(escrow.token(), lock.id);
        return addRewards(Rewards(escrow.managedToFree(managed)), lock, 0);
    }

    function addVotes(Voter voter, Lock memory lock, uint256 found) private view returns (uint256) {
        for (uint256 i = 0;; i++) {
            (bool ok, bytes memory answer) = address(voter).staticcall(abi.encodeCall(Voter.poolVote, (lock.id, i)));
            if (!ok || answer.length != 32) return found;
            found = addPool(voter, abi.decode(answer, (address)), lock, found);
        }
        return found;
    }

    function addPool(Voter voter, address pool, Lock memory lock, uint256 found) private view returns (uint256) {
        address gauge = voter.gauges(pool);
        if (gauge == address(0)) return found;
        found = addRewards(Rewards(voter.gaugeToFees(gauge)), lock, found);
        return addRewards(Rewards(voter.gaugeToBribe(gauge)), lock, found);
    }

    /// Adds what a claim would pay now: all of a token, or nothing where the contract does not have it.
    function addRewards(Rewards kept, Lock memory lock, uint256 found) private view returns (uint256) {
        if (gasleft() < RESERVE + EARNED_GAS) {
            lock.unread++;
            return found;
        }
        uint256 last = kept.numCheckpoints(lock.id);
        if (last == 0) return found;
        (uint256 since, uint256 balance) = kept.checkpoints(lock.id, last - 1);
        uint256 length = kept.rewardsListLength();
        for (uint256 i = 0; i < length; i++) {
            address token = kept.rewards(i);
            uint256 paid = weekOf(kept.lastEarn(token, lock.id));
            // Nothing came since, or there has been no vote since.
            if (paid == weekOf(block.timestamp) || (balance == 0 && paid > weekOf(since))) continue;
            uint256 amount = earned(kept, token, lock);
            if (amount == 0) continue;
            if (found == MOST_REWARDS) {
                lock.unread++;
                continue;
            }
            lock.rewards[found++] = Reward(token, amount);
        }
        return found;
    }

    function earned(Rewards kept, address token, Lock memory lock) private view returns (uint256 amount) {
        if (gasleft() < RESERVE + EARNED_GAS) {
            lock.unread++;
            return 0;
        }
        try kept.earned{gas: EARNED_GAS}(token, lock.id) returns (uint256 told) {
            amount = told;
        } catch {
            lock.unread++;
        }
        if (amount > 0 && amount > balanceOf(token, address(kept))) amount = 0;
    }

    function weekOf(uint256 time) private pure returns (uint256) {
        return time / WEEK;
    }

    function shorten(Reward[] memory list, uint256 length) private pure {
        assembly ("memory-safe") {
            mstore(list, length)
        }
    }

    /// Zero of a token that does not answer.
    function balanceOf(address token, address owner) private view returns (uint256 amount) {
        bytes memory data = abi.encodeCall(Token.balanceOf, (owner));
        assembly ("memory-safe") {
            let ok := staticcall(TOKEN_GAS, token, add(data, 32), mload(data), 0, 32)
            if and(ok, gt(returndatasize(), 31)) { amount := mload(0) }
        }
    }
}
