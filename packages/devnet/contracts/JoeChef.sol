// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IReward is IERC20 {
    function mint(address to, uint256 value) external;
}

/**
 * Trader Joe's second chef, as far as stakes go: a reward a second, minted when a pool is touched and paid with every
 * deposit and withdrawal, at most what the chef has, and a rewarder in each pool that is told of the stake.
 */
contract JoeChef {
    using SafeERC20 for IERC20;

    struct UserInfo {
        uint256 amount;
        uint256 rewardDebt;
    }

    struct PoolInfo {
        IERC20 lpToken;
        uint256 allocPoint;
        uint256 lastRewardTimestamp;
        uint256 accJoePerShare;
        JoeRewarder rewarder;
    }

    uint256 private constant PRECISION = 1e12;

    IReward public immutable joe;
    uint256 public immutable joePerSec;
    PoolInfo[] public poolInfo;
    mapping(uint256 pid => mapping(address user => UserInfo)) public userInfo;
    uint256 public totalAllocPoint;

    event Deposit(address indexed user, uint256 indexed pid, uint256 amount);
    event Withdraw(address indexed user, uint256 indexed pid, uint256 amount);
    event Harvest(address indexed user, uint256 indexed pid, uint256 amount);

    constructor(IReward joe_, uint256 joePerSec_) {
        (joe, joePerSec) = (joe_, joePerSec_);
    }

    /// `bonusPerSec`: zero for a pool without a rewarder; `bonus`: zero for the native coin in the place of `wrapped`.
    function add(uint256 allocPoint, IERC20 lpToken, IERC20 bonus, IERC20 wrapped, uint256 bonusPerSec) external {
        for (uint256 pid = 0; pid < poolInfo.length; pid++) updatePool(pid);
        totalAllocPoint += allocPoint;
        bool isNative = address(bonus) == address(0);
        JoeRewarder rewarder = bonusPerSec == 0
            ? JoeRewarder(payable(0))
            : new JoeRewarder(isNative ? wrapped : bonus, lpToken, bonusPerSec, isNative);
        poolInfo.push(PoolInfo(lpToken, allocPoint, block.timestamp, 0, rewarder));
    }

    function pendingTokens(uint256 pid, address user)
        external
        view
        returns (uint256 pendingJoe, address bonusToken, string memory bonusSymbol, uint256 pendingBonus)
    {
        PoolInfo memory pool = poolInfo[pid];
        UserInfo memory info = userInfo[pid][user];
        uint256 supply = pool.lpToken.balanceOf(address(this));
        if (block.timestamp > pool.lastRewardTimestamp && supply != 0) {
            pool.accJoePerShare += rewardOf(pool) * PRECISION / supply;
        }
        pendingJoe = info.amount * pool.accJoePerShare / PRECISION - info.rewardDebt;
        if (address(pool.rewarder) == address(0)) return (pendingJoe, address(0), "", 0);
        return (pendingJoe, address(pool.rewarder.rewardToken()), "BONUS", pool.rewarder.pendingTokens(user));
    }

    function updatePool(uint256 pid) public {
        PoolInfo storage pool = poolInfo[pid];
        if (block.timestamp <= pool.lastRewardTimestamp) return;
        uint256 supply = pool.lpToken.balanceOf(address(this));
        if (supply > 0) {
            uint256 reward = rewardOf(pool);
            joe.mint(address(this), reward);
            pool.accJoePerShare += reward * PRECISION / supply;
        }
        pool.lastRewardTimestamp = block.timestamp;
    }

    function deposit(uint256 pid, uint256 amount) external {
        UserInfo storage user = userInfo[pid][msg.sender];
        PoolInfo storage pool = poolInfo[pid];
        updatePool(pid);
        if (user.amount > 0) pay(pid, user);
        settle(pool, user, user.amount + amount);
        pool.lpToken.safeTransferFrom(msg.sender, address(this), amount);
        emit Deposit(msg.sender, pid, amount);
    }

    function withdraw(uint256 pid, uint256 amount) external {
        UserInfo storage user = userInfo[pid][msg.sender];
        PoolInfo storage pool = poolInfo[pid];
        require(user.amount >= amount, "withdraw: not good");
        updatePool(pid);
        pay(pid, user);
        settle(pool, user, user.amount - amount);
        pool.lpToken.safeTransfer(msg.sender, amount);
        emit Withdraw(msg.sender, pid, amount);
    }

    function rewardOf(PoolInfo memory pool) private view returns (uint256) {
        return (block.timestamp - pool.lastRewardTimestamp) * joePerSec * pool.allocPoint / totalAllocPoint;
    }

    function pay(uint256 pid, UserInfo storage user) private {
        uint256 pending = user.amount * poolInfo[pid].accJoePerShare / PRECISION - user.rewardDebt;
        uint256 kept = joe.balanceOf(address(this));
        joe.transfer(msg.sender, pending > kept ? kept : pending);
        emit Harvest(msg.sender, pid, pending);
    }

    function settle(PoolInfo storage pool, UserInfo storage user, uint256 amount) private {
        user.amount = amount;
        user.rewardDebt = amount * pool.accJoePerShare / PRECISION;
        if (address(pool.rewarder) != address(0)) pool.rewarder.onJoeReward(msg.sender, amount);
    }
}

/// A bonus a second, of a token or of the native coin, at most what the rewarder has; the rest stays owed.
contract JoeRewarder {
    using SafeERC20 for IERC20;

    struct UserInfo {
        uint256 amount;
        uint256 rewardDebt;
        uint256 unpaidRewards;
    }

    uint256 private constant PRECISION = 1e36;

    IERC20 public immutable rewardToken;
    IERC20 private immutable lpToken;
    uint256 private immutable tokenPerSec;
    bool public immutable isNative;
    address private immutable chef = msg.sender;
    uint256 private lastRewardTimestamp = block.timestamp;
    uint256 private accTokenPerShare;
    mapping(address user => UserInfo) public userInfo;

    constructor(IERC20 rewardToken_, IERC20 lpToken_, uint256 tokenPerSec_, bool isNative_) {
        (rewardToken, lpToken, tokenPerSec, isNative) = (rewardToken_, lpToken_, tokenPerSec_, isNative_);
    }

    receive() external payable {}

    function pendingTokens(address user) public view returns (uint256) {
        UserInfo memory info = userInfo[user];
        return info.amount * perShare() / PRECISION - info.rewardDebt + info.unpaidRewards;
    }

    function onJoeReward(address user, uint256 amount) external {
        require(msg.sender == chef, "onlyMCJ");
        (accTokenPerShare, lastRewardTimestamp) = (perShare(), block.timestamp);
        UserInfo storage info = userInfo[user];
        if (info.amount > 0) {
            uint256 pending = pendingTokens(user);
            uint256 kept = isNative ? address(this).balance : rewardToken.balanceOf(address(this));
            uint256 paid = pending > kept ? kept : pending;
            info.unpaidRewards = pending - paid;
            if (isNative) {
                (bool ok,) = user.call{value: paid}("");
                require(ok, "Transfer failed");
            } else {
                rewardToken.safeTransfer(user, paid);
            }
        }
        info.amount = amount;
        info.rewardDebt = amount * accTokenPerShare / PRECISION;
    }

    function perShare() private view returns (uint256) {
        uint256 supply = lpToken.balanceOf(chef);
        if (block.timestamp <= lastRewardTimestamp || supply == 0) return accTokenPerShare;
        return accTokenPerShare + (block.timestamp - lastRewardTimestamp) * tokenPerSec * PRECISION / supply;
    }
}
