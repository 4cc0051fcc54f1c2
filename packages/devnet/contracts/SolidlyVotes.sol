// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SolidlyVoter} from "./SolidlyVoter.sol";

/// The voter with what votes need: an escrow of locks, a distributor of rebases, and fees and bribes of each gauge.
contract SolidlyVotes is SolidlyVoter {
    VoteNfts public immutable ve;
    RebaseDistributor public immutable distributor;
    mapping(address gauge => VoteRewards) public gaugeToFees;
    mapping(address gauge => VoteRewards) public gaugeToBribe;
    mapping(uint256 id => address[]) public poolVote;
    mapping(uint256 id => mapping(address pool => uint256)) public votes;

    event Voted(
        address indexed voter,
        address indexed pool,
        uint256 indexed tokenId,
        uint256 weight,
        uint256 totalWeight,
        uint256 timestamp
    );

    constructor(address token) SolidlyVoter(token) {
        ve = new VoteNfts(IERC20(token));
        distributor = new RebaseDistributor(ve, IERC20(token));
        ve.setDistributor(address(distributor));
    }

    function openVotes(address pool) external {
        address gauge = gauges[pool];
        gaugeToFees[gauge] = new VoteRewards(ve, address(this));
        gaugeToBribe[gauge] = new VoteRewards(ve, address(this));
    }

    function vote(uint256 id, address[] calldata pools, uint256[] calldata parts) external {
        require(ve.ownerOf(id) == msg.sender, "not the owner");
        reset(id);
        uint256 weight = ve.balanceOfNFTAt(id, block.timestamp);
        uint256 whole = 0;
        for (uint256 i = 0; i < parts.length; i++) whole += parts[i];
        for (uint256 i = 0; i < pools.length; i++) {
            uint256 own = weight * parts[i] / whole;
            address gauge = gauges[pools[i]];
            poolVote[id].push(pools[i]);
            votes[id][pools[i]] = own;
            gaugeToFees[gauge]._deposit(own, id);
            gaugeToBribe[gauge]._deposit(own, id);
            emit Voted(msg.sender, pools[i], id, own, 0, block.timestamp);
        }
    }

    function reset(uint256 id) public {
        require(ve.ownerOf(id) == msg.sender, "not the owner");
        address[] storage pools = poolVote[id];
        for (uint256 i = 0; i < pools.length; i++) {
            uint256 own = votes[id][pools[i]];
            address gauge = gauges[pools[i]];
            gaugeToFees[gauge]._withdraw(own, id);
            gaugeToBribe[gauge]._withdraw(own, id);
            votes[id][pools[i]] = 0;
        }
        delete poolVote[id];
    }

    function depositManaged(uint256 id, uint256 managed) external {
        require(ve.ownerOf(id) == msg.sender, "not the owner");
        ve.depositManaged(id, managed);
    }

    function withdrawManaged(uint256 id) external {
        require(ve.ownerOf(id) == msg.sender, "not the owner");
        ve.withdrawManaged(id);
    }

    function claimBribes(address[] calldata from, address[][] calldata tokens, uint256 id) external {
        require(ve.ownerOf(id) == msg.sender, "not the owner");
        for (uint256 i = 0; i < from.length; i++) VoteRewards(from[i]).getReward(id, tokens[i]);
    }
}

/**
 * Locks as NFTs, for what wallets do: they grow, run longer, become permanent, merge, split, lie in a managed one, and pay
 * when they have run out. The weight of a lock falls with time, by a slope of whole units.
 */
contract VoteNfts {
    using SafeERC20 for IERC20;

    struct LockedBalance {
        int128 amount;
        uint256 end;
        bool isPermanent;
    }

    struct Point {
        uint256 time;
        LockedBalance lock;
    }

    uint8 private constant NORMAL = 0;
    uint8 private constant LOCKED = 1;
    uint8 private constant MANAGED = 2;
    uint256 private constant WEEK = 7 days;
    uint256 private constant MOST = 4 * 365 days;

    IERC20 public immutable token;
    address public immutable voter = msg.sender;
    address public distributor;
    uint256 public tokenId;
    mapping(uint256 id => address) public ownerOf;
    mapping(address owner => uint256[]) private owned;
    mapping(uint256 id => LockedBalance) private kept;
    mapping(uint256 id => Point[]) private points;
    mapping(uint256 id => uint8) public escrowType;
    mapping(uint256 id => uint256) public idToManaged;
    mapping(uint256 id => mapping(uint256 managed => uint256)) public weights;
    mapping(uint256 managed => VoteRewards) public managedToLocked;
    mapping(uint256 managed => VoteRewards) public managedToFree;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Deposit(
        address indexed provider, uint256 indexed tokenId, uint8 indexed depositType, uint256 value, uint256 locktime, uint256 ts
    );
    event Withdraw(address indexed provider, uint256 indexed tokenId, uint256 value, uint256 ts);
    event LockPermanent(address indexed owner, uint256 indexed tokenId, uint256 amount, uint256 ts);
    event Merge(
        address indexed sender,
        uint256 indexed from,
        uint256 indexed to,
        uint256 amountFrom,
        uint256 amountTo,
        uint256 amountFinal,
        uint256 locktime,
        uint256 ts
    );
    event Split(
        uint256 indexed from,
        uint256 indexed tokenId1,
        uint256 indexed tokenId2,
        address sender,
        uint256 splitAmount1,
        uint256 splitAmount2,
        uint256 locktime,
        uint256 ts
    );
    event DepositManaged(address indexed owner, uint256 indexed tokenId, uint256 indexed managed, uint256 weight, uint256 ts);
    event WithdrawManaged(address indexed owner, uint256 indexed tokenId, uint256 indexed managed, uint256 weight, uint256 ts);

    constructor(IERC20 token_) {
        token = token_;
    }

    modifier onlyOwner(uint256 id) {
        require(ownerOf[id] == msg.sender, "not the owner");
        _;
    }

    function setDistributor(address distributor_) external {
        require(msg.sender == voter, "not the voter");
        distributor = distributor_;
    }

    function locked(uint256 id) external view returns (LockedBalance memory) {
        return kept[id];
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function ownerToNFTokenIdList(address owner, uint256 index) external view returns (uint256) {
        return index < owned[owner].length ? owned[owner][index] : 0;
    }

    function balanceOfNFTAt(uint256 id, uint256 time) public view returns (uint256) {
        Point[] storage own = points[id];
        for (uint256 i = own.length; i > 0; i--) {
            Point memory point = own[i - 1];
            if (point.time > time) continue;
            uint256 amount = uint256(int256(point.lock.amount));
            if (point.lock.isPermanent) return amount;
            return point.lock.end > time ? amount / MOST * (point.lock.end - time) : 0;
        }
        return 0;
    }

    function totalSupplyAt(uint256 time) external view returns (uint256 sum) {
        for (uint256 id = 1; id <= tokenId; id++) sum += balanceOfNFTAt(id, time);
    }

    function createLock(uint256 value, uint256 duration) external returns (uint256) {
        return createLockFor(value, duration, msg.sender);
    }

    function createLockFor(uint256 value, uint256 duration, address to) public returns (uint256 id) {
        uint256 end = (block.timestamp + duration) / WEEK * WEEK;
        require(value > 0 && end > block.timestamp && end <= block.timestamp + MOST, "no lock");
        id = mint(to);
        kept[id].end = end;
        take(id, value, 1);
    }

    function increaseAmount(uint256 id, uint256 value) external onlyOwner(id) {
        grow(id, value, 2);
    }

    function depositFor(uint256 id, uint256 value) external {
        require(escrowType[id] != MANAGED || msg.sender == distributor, "not the distributor");
        grow(id, value, 0);
    }

    function increaseUnlockTime(uint256 id, uint256 duration) external onlyOwner(id) {
        uint256 end = (block.timestamp + duration) / WEEK * WEEK;
        require(!kept[id].isPermanent && kept[id].end > block.timestamp && end > kept[id].end, "no longer");
        kept[id].end = end;
        take(id, 0, 3);
    }

    function lockPermanent(uint256 id) external onlyOwner(id) {
        require(escrowType[id] == NORMAL && kept[id].end > block.timestamp, "no lock");
        (kept[id].end, kept[id].isPermanent) = (0, true);
        note(id);
        emit LockPermanent(msg.sender, id, uint256(int256(kept[id].amount)), block.timestamp);
    }

    function unlockPermanent(uint256 id) external onlyOwner(id) {
        require(escrowType[id] == NORMAL && kept[id].isPermanent, "not permanent");
        (kept[id].end, kept[id].isPermanent) = ((block.timestamp + MOST) / WEEK * WEEK, false);
        note(id);
    }

    function withdraw(uint256 id) external onlyOwner(id) {
        LockedBalance memory lock = kept[id];
        require(escrowType[id] == NORMAL && !lock.isPermanent && lock.end <= block.timestamp, "not expired");
        burn(id);
        token.safeTransfer(msg.sender, uint256(int256(lock.amount)));
        emit Withdraw(msg.sender, id, uint256(int256(lock.amount)), block.timestamp);
    }

    function merge(uint256 from, uint256 to) external onlyOwner(from) onlyOwner(to) {
        (LockedBalance memory one, LockedBalance memory other) = (kept[from], kept[to]);
        require(from != to && !one.isPermanent && escrowType[from] == NORMAL && escrowType[to] == NORMAL, "not these");
        burn(from);
        kept[to].amount += one.amount;
        if (!other.isPermanent && one.end > other.end) kept[to].end = one.end;
        note(to);
        emit Merge(
            msg.sender,
            from,
            to,
            uint256(int256(one.amount)),
            uint256(int256(other.amount)),
            uint256(int256(kept[to].amount)),
            kept[to].end,
            block.timestamp
        );
    }

    function split(uint256 from, uint256 amount) external onlyOwner(from) returns (uint256 id1, uint256 id2) {
        LockedBalance memory lock = kept[from];
        int128 part = int128(int256(amount));
        require(escrowType[from] == NORMAL && part > 0 && lock.amount > part, "not so");
        burn(from);
        (id1, id2) = (mint(msg.sender), mint(msg.sender));
        kept[id1] = LockedBalance(lock.amount - part, lock.end, lock.isPermanent);
        kept[id2] = LockedBalance(part, lock.end, lock.isPermanent);
        note(id1);
        note(id2);
        emit Split(from, id1, id2, msg.sender, uint256(int256(lock.amount - part)), amount, lock.end, block.timestamp);
    }

    function createManagedLockFor(address to) external returns (uint256 id) {
        id = mint(to);
        kept[id].isPermanent = true;
        escrowType[id] = MANAGED;
        managedToLocked[id] = new VoteRewards(this, address(this));
        managedToFree[id] = new VoteRewards(this, address(this));
        note(id);
    }

    function depositManaged(uint256 id, uint256 managed) external {
        require(msg.sender == voter && escrowType[id] == NORMAL && escrowType[managed] == MANAGED, "not these");
        int128 amount = kept[id].amount;
        uint256 weight = uint256(int256(amount));
        delete kept[id];
        kept[managed].amount += amount;
        note(id);
        note(managed);
        (weights[id][managed], idToManaged[id], escrowType[id]) = (weight, managed, LOCKED);
        managedToLocked[managed]._deposit(weight, id);
        managedToFree[managed]._deposit(weight, id);
        emit DepositManaged(ownerOf[id], id, managed, weight, block.timestamp);
    }

    function withdrawManaged(uint256 id) external {
        require(msg.sender == voter && escrowType[id] == LOCKED, "not locked");
        uint256 managed = idToManaged[id];
        VoteRewards inside = managedToLocked[managed];
        uint256 weight = weights[id][managed];
        uint256 total = weight + inside.earned(address(token), id);
        address[] memory tokens = new address[](1);
        tokens[0] = address(token);
        inside.getReward(id, tokens);
        kept[id] = LockedBalance(int128(int256(total)), (block.timestamp + MOST) / WEEK * WEEK, false);
        kept[managed].amount -= int128(int256(total));
        note(id);
        note(managed);
        inside._withdraw(weight, id);
        managedToFree[managed]._withdraw(weight, id);
        (weights[id][managed], idToManaged[id], escrowType[id]) = (0, 0, NORMAL);
        emit WithdrawManaged(ownerOf[id], id, managed, total, block.timestamp);
    }

    function grow(uint256 id, uint256 value, uint8 why) private {
        LockedBalance memory lock = kept[id];
        require(escrowType[id] != LOCKED && value > 0 && lock.amount > 0, "no lock");
        require(lock.isPermanent || lock.end > block.timestamp, "expired");
        take(id, value, why);
        if (escrowType[id] != MANAGED) return;
        VoteRewards inside = managedToLocked[id];
        token.forceApprove(address(inside), value);
        inside.notifyRewardAmount(address(token), value);
    }

    function take(uint256 id, uint256 value, uint8 why) private {
        kept[id].amount += int128(int256(value));
        note(id);
        if (value > 0) token.safeTransferFrom(msg.sender, address(this), value);
        emit Deposit(msg.sender, id, why, value, kept[id].end, block.timestamp);
    }

    function note(uint256 id) private {
        points[id].push(Point(block.timestamp, kept[id]));
    }

    function mint(address to) private returns (uint256 id) {
        id = ++tokenId;
        ownerOf[id] = to;
        owned[to].push(id);
        emit Transfer(address(0), to, id);
    }

    function burn(uint256 id) private {
        uint256[] storage list = owned[msg.sender];
        for (uint256 i = 0; i < list.length; i++) {
            if (list[i] != id) continue;
            list[i] = list[list.length - 1];
            list.pop();
            break;
        }
        delete ownerOf[id];
        delete kept[id];
        note(id);
        emit Transfer(msg.sender, address(0), id);
    }
}

/// Rewards of a week for those who had a vote at its end, claimable from the next on, of any number of tokens.
contract VoteRewards {
    using SafeERC20 for IERC20;

    struct Checkpoint {
        uint256 timestamp;
        uint256 balanceOf;
    }

    uint256 private constant WEEK = 7 days;

    VoteNfts private immutable ve;
    address private immutable authorized;
    uint256 public totalSupply;
    mapping(uint256 id => uint256) public balanceOf;
    mapping(address token => mapping(uint256 week => uint256)) public tokenRewardsPerEpoch;
    mapping(address token => mapping(uint256 id => uint256)) public lastEarn;
    address[] public rewards;
    mapping(address token => bool) public isReward;
    mapping(uint256 id => Checkpoint[]) public checkpoints;
    Checkpoint[] private supplies;

    event ClaimRewards(address indexed from, address indexed reward, uint256 amount);

    constructor(VoteNfts ve_, address authorized_) {
        (ve, authorized) = (ve_, authorized_);
    }

    function rewardsListLength() external view returns (uint256) {
        return rewards.length;
    }

    function numCheckpoints(uint256 id) external view returns (uint256) {
        return checkpoints[id].length;
    }

    function _deposit(uint256 amount, uint256 id) external {
        change(id, balanceOf[id] + amount, totalSupply + amount);
    }

    function _withdraw(uint256 amount, uint256 id) external {
        change(id, balanceOf[id] - amount, totalSupply - amount);
    }

    function notifyRewardAmount(address token, uint256 amount) external {
        if (!isReward[token]) {
            isReward[token] = true;
            rewards.push(token);
        }
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        tokenRewardsPerEpoch[token][block.timestamp / WEEK * WEEK] += amount;
    }

    function earned(address token, uint256 id) public view returns (uint256 reward) {
        Checkpoint[] storage own = checkpoints[id];
        if (own.length == 0) return 0;
        uint256 week = lastEarn[token][id] / WEEK * WEEK;
        uint256 first = at(own, week).timestamp / WEEK * WEEK;
        if (week < first) week = first;
        for (; week < block.timestamp / WEEK * WEEK; week += WEEK) {
            uint256 supply = at(supplies, week + WEEK - 1).balanceOf;
            if (supply == 0) supply = 1;
            reward += at(own, week + WEEK - 1).balanceOf * tokenRewardsPerEpoch[token][week] / supply;
        }
    }

    function getReward(uint256 id, address[] calldata tokens) external {
        address owner = ve.ownerOf(id);
        require(msg.sender == owner || msg.sender == authorized, "not authorized");
        address recipient = msg.sender == address(ve) ? msg.sender : owner;
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 reward = earned(tokens[i], id);
            lastEarn[tokens[i]][id] = block.timestamp;
            if (reward > 0) IERC20(tokens[i]).safeTransfer(recipient, reward);
            emit ClaimRewards(recipient, tokens[i], reward);
        }
    }

    function change(uint256 id, uint256 balance, uint256 supply) private {
        require(msg.sender == authorized, "not authorized");
        (balanceOf[id], totalSupply) = (balance, supply);
        write(checkpoints[id], balance);
        write(supplies, supply);
    }

    /// One for each week.
    function write(Checkpoint[] storage all, uint256 balance) private {
        Checkpoint memory last = Checkpoint(block.timestamp, balance);
        if (all.length > 0 && all[all.length - 1].timestamp / WEEK == block.timestamp / WEEK) all[all.length - 1] = last;
        else all.push(last);
    }

    /// The last one until then; the first if all are later.
    function at(Checkpoint[] storage all, uint256 time) private view returns (Checkpoint memory) {
        for (uint256 i = all.length; i > 1; i--) {
            if (all[i - 1].timestamp <= time) return all[i - 1];
        }
        return all.length == 0 ? Checkpoint(0, 0) : all[0];
    }
}

/// Rebases by weight at the end of a week: into a lock that has not run out, else to its owner. At most 50 weeks a claim.
contract RebaseDistributor {
    using SafeERC20 for IERC20;

    uint256 private constant WEEK = 7 days;

    VoteNfts private immutable ve;
    IERC20 private immutable token;
    uint256 private immutable startTime = block.timestamp / WEEK * WEEK;
    mapping(uint256 id => uint256) public timeCursorOf;
    mapping(uint256 week => uint256) public tokensPerWeek;

    event Claimed(uint256 indexed tokenId, uint256 indexed epochStart, uint256 indexed epochEnd, uint256 amount);

    constructor(VoteNfts ve_, IERC20 token_) {
        (ve, token) = (ve_, token_);
        token_.approve(address(ve_), type(uint256).max);
    }

    /// All for the week that runs.
    function notifyRebase(uint256 amount) external {
        token.safeTransferFrom(msg.sender, address(this), amount);
        tokensPerWeek[block.timestamp / WEEK * WEEK] += amount;
    }

    function claimable(uint256 id) external view returns (uint256 amount) {
        (amount,,) = claimableOf(id);
    }

    function claim(uint256 id) external returns (uint256 amount) {
        require(ve.escrowType(id) != 1, "in a managed lock");
        uint256 from;
        uint256 to;
        (amount, from, to) = claimableOf(id);
        timeCursorOf[id] = to;
        if (amount == 0) return 0;
        emit Claimed(id, from, to, amount);
        VoteNfts.LockedBalance memory lock = ve.locked(id);
        if (block.timestamp >= lock.end && !lock.isPermanent) token.safeTransfer(ve.ownerOf(id), amount);
        else ve.depositFor(id, amount);
    }

    function claimableOf(uint256 id) private view returns (uint256 amount, uint256 from, uint256 week) {
        from = timeCursorOf[id];
        week = from == 0 ? startTime : from;
        for (uint256 i = 0; i < 50 && week < block.timestamp / WEEK * WEEK; i++) {
            uint256 supply = ve.totalSupplyAt(week + WEEK - 1);
            amount += ve.balanceOfNFTAt(id, week + WEEK - 1) * tokensPerWeek[week] / (supply == 0 ? 1 : supply);
            week += WEEK;
        }
    }
}
