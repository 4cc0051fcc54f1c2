// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

interface IQueuedEther {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function getSharesByPooledEth(uint256 amount) external view returns (uint256);
}

interface IQueuedWrapper {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function unwrap(uint256 amount) external returns (uint256);
}

/**
 * Lido's withdrawal queue as far as those who wait in it see it. A request is an NFT; a finalisation fixes the rate for all
 * requests up to an id, and a request made at a better rate is paid at the fixed one. Anyone may finalise here.
 */
contract WithdrawalQueue {
    using EnumerableSet for EnumerableSet.UintSet;

    struct Request {
        uint128 cumulativeStETH;
        uint128 cumulativeShares;
        address owner;
        uint40 timestamp;
        bool claimed;
    }

    struct Checkpoint {
        uint256 fromRequestId;
        uint256 maxShareRate;
    }

    struct WithdrawalRequestStatus {
        uint256 amountOfStETH;
        uint256 amountOfShares;
        address owner;
        uint256 timestamp;
        bool isFinalized;
        bool isClaimed;
    }

    uint256 private constant E27 = 1e27;
    uint256 public constant MIN_STETH_WITHDRAWAL_AMOUNT = 100;
    uint256 public constant MAX_STETH_WITHDRAWAL_AMOUNT = 1000 ether;
    string public constant name = "Lido: stETH Withdrawal NFT";
    string public constant symbol = "unstETH";

    IQueuedEther public immutable STETH;
    IQueuedWrapper public immutable WSTETH;

    mapping(uint256 => Request) private queue;
    mapping(uint256 => Checkpoint) private checkpoints;
    mapping(address => EnumerableSet.UintSet) private requestsByOwner;
    mapping(uint256 => address) public getApproved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    uint256 public getLastRequestId;
    uint256 public getLastFinalizedRequestId;
    uint256 public getLastCheckpointIndex;
    uint256 public getLockedEtherAmount;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event WithdrawalRequested(
        uint256 indexed requestId,
        address indexed requestor,
        address indexed owner,
        uint256 amountOfStETH,
        uint256 amountOfShares
    );
    event WithdrawalsFinalized(
        uint256 indexed from, uint256 indexed to, uint256 amountOfETHLocked, uint256 sharesToBurn, uint256 timestamp
    );
    event WithdrawalClaimed(
        uint256 indexed requestId, address indexed owner, address indexed receiver, uint256 amountOfETH
    );

    error RequestAmountTooSmall(uint256 amount);
    error RequestAmountTooLarge(uint256 amount);
    error InvalidRequestId(uint256 id);
    error InvalidRequestIdRange(uint256 start, uint256 end);
    error RequestNotFoundOrNotFinalized(uint256 id);
    error RequestAlreadyClaimed(uint256 id);
    error RequestIdsNotSorted();
    error InvalidHint(uint256 hint);
    error NotOwner(address sender, address owner);
    error NotOwnerOrApproved(address sender);
    error TooMuchEtherToFinalize(uint256 sent, uint256 most);
    error CantSendValueRecipientMayHaveReverted();

    constructor(IQueuedWrapper wrapper, IQueuedEther staked) {
        WSTETH = wrapper;
        STETH = staked;
    }

    function requestWithdrawals(uint256[] calldata amounts, address owner) external returns (uint256[] memory ids) {
        ids = new uint256[](amounts.length);
        for (uint256 i = 0; i < amounts.length; ++i) {
            checkAmount(amounts[i]);
            STETH.transferFrom(msg.sender, address(this), amounts[i]);
            ids[i] = enqueue(amounts[i], owner == address(0) ? msg.sender : owner);
        }
    }

    function requestWithdrawalsWstETH(uint256[] calldata amounts, address owner)
        external
        returns (uint256[] memory ids)
    {
        ids = new uint256[](amounts.length);
        for (uint256 i = 0; i < amounts.length; ++i) {
            WSTETH.transferFrom(msg.sender, address(this), amounts[i]);
            uint256 unwrapped = WSTETH.unwrap(amounts[i]);
            checkAmount(unwrapped);
            ids[i] = enqueue(unwrapped, owner == address(0) ? msg.sender : owner);
        }
    }

    function finalize(uint256 lastId, uint256 maxShareRate) external payable {
        uint256 first = getLastFinalizedRequestId + 1;
        if (lastId < first || lastId > getLastRequestId) revert InvalidRequestId(lastId);
        Request storage from = queue[first - 1];
        Request storage to = queue[lastId];
        uint128 most = to.cumulativeStETH - from.cumulativeStETH;
        if (msg.value > most) revert TooMuchEtherToFinalize(msg.value, most);
        getLastCheckpointIndex += 1;
        checkpoints[getLastCheckpointIndex] = Checkpoint(first, maxShareRate);
        getLockedEtherAmount += msg.value;
        getLastFinalizedRequestId = lastId;
        emit WithdrawalsFinalized(
            first, lastId, msg.value, to.cumulativeShares - from.cumulativeShares, block.timestamp
        );
    }

    function claimWithdrawal(uint256 id) external {
        claim(id, findCheckpointHint(id, 1, getLastCheckpointIndex), msg.sender);
    }

    function claimWithdrawals(uint256[] calldata ids, uint256[] calldata hints) external {
        for (uint256 i = 0; i < ids.length; ++i) claim(ids[i], hints[i], msg.sender);
    }

    function claimWithdrawalsTo(uint256[] calldata ids, uint256[] calldata hints, address recipient) external {
        for (uint256 i = 0; i < ids.length; ++i) claim(ids[i], hints[i], recipient);
    }

    function unfinalizedStETH() external view returns (uint256) {
        return queue[getLastRequestId].cumulativeStETH - queue[getLastFinalizedRequestId].cumulativeStETH;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return requestsByOwner[owner].length();
    }

    function ownerOf(uint256 id) public view returns (address) {
        if (id == 0 || id > getLastRequestId) revert InvalidRequestId(id);
        if (queue[id].claimed) revert RequestAlreadyClaimed(id);
        return queue[id].owner;
    }

    function approve(address to, uint256 id) external {
        address owner = ownerOf(id);
        if (msg.sender != owner && !isApprovedForAll[owner][msg.sender]) revert NotOwnerOrApproved(msg.sender);
        getApproved[id] = to;
        emit Approval(owner, to, id);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 id) external {
        address owner = ownerOf(id);
        require(to != address(0) && to != from && from == owner, "TransferFromIncorrectOwner");
        if (msg.sender != from && !isApprovedForAll[from][msg.sender] && getApproved[id] != msg.sender) {
            revert NotOwnerOrApproved(msg.sender);
        }
        delete getApproved[id];
        queue[id].owner = to;
        requestsByOwner[from].remove(id);
        requestsByOwner[to].add(id);
        emit Transfer(from, to, id);
    }

    function getWithdrawalRequests(address owner) external view returns (uint256[] memory) {
        return requestsByOwner[owner].values();
    }

    function getWithdrawalStatus(uint256[] calldata ids)
        external
        view
        returns (WithdrawalRequestStatus[] memory statuses)
    {
        statuses = new WithdrawalRequestStatus[](ids.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            uint256 id = ids[i];
            if (id == 0 || id > getLastRequestId) revert InvalidRequestId(id);
            Request memory request = queue[id];
            Request memory before = queue[id - 1];
            statuses[i] = WithdrawalRequestStatus(
                request.cumulativeStETH - before.cumulativeStETH,
                request.cumulativeShares - before.cumulativeShares,
                request.owner,
                request.timestamp,
                id <= getLastFinalizedRequestId,
                request.claimed
            );
        }
    }

    function findCheckpointHints(uint256[] calldata ids, uint256 first, uint256 last)
        external
        view
        returns (uint256[] memory hints)
    {
        hints = new uint256[](ids.length);
        uint256 before = 0;
        for (uint256 i = 0; i < ids.length; ++i) {
            if (ids[i] < before) revert RequestIdsNotSorted();
            hints[i] = findCheckpointHint(ids[i], first, last);
            before = ids[i];
            first = hints[i];
        }
    }

    /// 0 for a request that is not finalised or claimed.
    function getClaimableEther(uint256[] calldata ids, uint256[] calldata hints)
        external
        view
        returns (uint256[] memory claimable)
    {
        claimable = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            if (ids[i] == 0 || ids[i] > getLastRequestId) revert InvalidRequestId(ids[i]);
            if (ids[i] > getLastFinalizedRequestId || queue[ids[i]].claimed) continue;
            claimable[i] = claimableEther(ids[i], hints[i]);
        }
    }

    function checkAmount(uint256 amount) private pure {
        if (amount < MIN_STETH_WITHDRAWAL_AMOUNT) revert RequestAmountTooSmall(amount);
        if (amount > MAX_STETH_WITHDRAWAL_AMOUNT) revert RequestAmountTooLarge(amount);
    }

    function enqueue(uint256 amount, address owner) private returns (uint256 id) {
        uint256 amountOfShares = STETH.getSharesByPooledEth(amount);
        Request storage last = queue[getLastRequestId];
        id = ++getLastRequestId;
        queue[id] = Request(
            last.cumulativeStETH + uint128(amount),
            last.cumulativeShares + uint128(amountOfShares),
            owner,
            uint40(block.timestamp),
            false
        );
        requestsByOwner[owner].add(id);
        emit WithdrawalRequested(id, msg.sender, owner, amount, amountOfShares);
        emit Transfer(address(0), owner, id);
    }

    function claim(uint256 id, uint256 hint, address recipient) private {
        if (id == 0) revert InvalidRequestId(id);
        if (id > getLastFinalizedRequestId) revert RequestNotFoundOrNotFinalized(id);
        Request storage request = queue[id];
        if (request.claimed) revert RequestAlreadyClaimed(id);
        if (request.owner != msg.sender) revert NotOwner(msg.sender, request.owner);
        request.claimed = true;
        requestsByOwner[msg.sender].remove(id);
        uint256 amount = claimableEther(id, hint);
        getLockedEtherAmount -= amount;
        (bool sent,) = recipient.call{value: amount}("");
        if (!sent) revert CantSendValueRecipientMayHaveReverted();
        emit WithdrawalClaimed(id, msg.sender, recipient, amount);
        emit Transfer(msg.sender, address(0), id);
    }

    /// The last checkpoint of the range that is valid for the request; 0 where none is.
    function findCheckpointHint(uint256 id, uint256 start, uint256 end) private view returns (uint256) {
        if (id == 0 || id > getLastRequestId) revert InvalidRequestId(id);
        if (start == 0 || end > getLastCheckpointIndex) revert InvalidRequestIdRange(start, end);
        if (getLastCheckpointIndex == 0 || id > getLastFinalizedRequestId || start > end) return 0;
        if (id >= checkpoints[end].fromRequestId) {
            if (end == getLastCheckpointIndex || id < checkpoints[end + 1].fromRequestId) return end;
            return 0;
        }
        if (id < checkpoints[start].fromRequestId) return 0;
        uint256 low = start;
        uint256 high = end - 1;
        while (high > low) {
            uint256 middle = (high + low + 1) / 2;
            if (checkpoints[middle].fromRequestId <= id) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    function claimableEther(uint256 id, uint256 hint) private view returns (uint256) {
        if (hint == 0 || hint > getLastCheckpointIndex) revert InvalidHint(hint);
        if (id < checkpoints[hint].fromRequestId) revert InvalidHint(hint);
        if (hint < getLastCheckpointIndex && checkpoints[hint + 1].fromRequestId <= id) revert InvalidHint(hint);
        uint256 amount = queue[id].cumulativeStETH - queue[id - 1].cumulativeStETH;
        uint256 amountOfShares = queue[id].cumulativeShares - queue[id - 1].cumulativeShares;
        uint256 most = checkpoints[hint].maxShareRate;
        return amount * E27 / amountOfShares > most ? amountOfShares * most / E27 : amount;
    }
}
