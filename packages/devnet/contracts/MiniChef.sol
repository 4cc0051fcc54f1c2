// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IRewarder {
    function onSushiReward(uint256 pid, address user, address recipient, uint256 sushiAmount, uint256 newLpAmount)
        external;
    function pendingTokens(uint256 pid, address user, uint256 sushiAmount)
        external
        view
        returns (IERC20[] memory tokens, uint256[] memory amounts);
}

/**
 * SushiSwap's MiniChefV2, as far as stakes go: a reward a second out of what it was given, claimed by `harvest`, and a
 * rewarder a pool that pays another token beside it. A stake may be put in for another wallet.
 */
contract MiniChef {
    using SafeERC20 for IERC20;

    struct UserInfo {
        uint256 amount;
        int256 rewardDebt;
    }

    struct PoolInfo {
        uint128 accSushiPerShare;
        uint64 lastRewardTime;
        uint64 allocPoint;
    }

    uint256 private constant PRECISION = 1e12;

    IERC20 public immutable SUSHI;
    uint256 public immutable sushiPerSecond;
    PoolInfo[] public poolInfo;
    IERC20[] public lpToken;
    IRewarder[] public rewarder;
    mapping(uint256 pid => mapping(address user => UserInfo)) public userInfo;
    uint256 public totalAllocPoint;

    event Deposit(address indexed user, uint256 indexed pid, uint256 amount, address indexed to);
    event Withdraw(address indexed user, uint256 indexed pid, uint256 amount, address indexed to);
    event EmergencyWithdraw(address indexed user, uint256 indexed pid, uint256 amount, address indexed to);
    event Harvest(address indexed user, uint256 indexed pid, uint256 amount);

    constructor(IERC20 sushi, uint256 sushiPerSecond_) {
        (SUSHI, sushiPerSecond) = (sushi, sushiPerSecond_);
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function add(uint64 allocPoint, IERC20 lpToken_, IRewarder rewarder_) external {
        totalAllocPoint += allocPoint;
        lpToken.push(lpToken_);
        rewarder.push(rewarder_);
        poolInfo.push(PoolInfo(0, uint64(block.timestamp), allocPoint));
    }

    function pendingSushi(uint256 pid, address user) external view returns (uint256) {
        return due(userInfo[pid][user], accrued(pid));
    }

    function updatePool(uint256 pid) public returns (PoolInfo memory pool) {
        pool = accrued(pid);
        poolInfo[pid] = pool;
    }

    function deposit(uint256 pid, uint256 amount, address to) external {
        PoolInfo memory pool = updatePool(pid);
        UserInfo storage user = userInfo[pid][to];
        user.amount += amount;
        user.rewardDebt += shareOf(amount, pool);
        tell(pid, to, to, 0, user.amount);
        lpToken[pid].safeTransferFrom(msg.sender, address(this), amount);
        emit Deposit(msg.sender, pid, amount, to);
    }

    function withdraw(uint256 pid, uint256 amount, address to) external {
        PoolInfo memory pool = updatePool(pid);
        UserInfo storage user = userInfo[pid][msg.sender];
        user.rewardDebt -= shareOf(amount, pool);
        user.amount -= amount;
        tell(pid, msg.sender, to, 0, user.amount);
        lpToken[pid].safeTransfer(to, amount);
        emit Withdraw(msg.sender, pid, amount, to);
    }

    function harvest(uint256 pid, address to) external {
        PoolInfo memory pool = updatePool(pid);
        UserInfo storage user = userInfo[pid][msg.sender];
        uint256 pending = due(user, pool);
        user.rewardDebt = shareOf(user.amount, pool);
        if (pending != 0) SUSHI.safeTransfer(to, pending);
        tell(pid, msg.sender, to, pending, user.amount);
        emit Harvest(msg.sender, pid, pending);
    }

    function withdrawAndHarvest(uint256 pid, uint256 amount, address to) external {
        PoolInfo memory pool = updatePool(pid);
        UserInfo storage user = userInfo[pid][msg.sender];
        uint256 pending = due(user, pool);
        user.rewardDebt = shareOf(user.amount, pool) - shareOf(amount, pool);
        user.amount -= amount;
        SUSHI.safeTransfer(to, pending);
        tell(pid, msg.sender, to, pending, user.amount);
        lpToken[pid].safeTransfer(to, amount);
        emit Withdraw(msg.sender, pid, amount, to);
        emit Harvest(msg.sender, pid, pending);
    }

    function emergencyWithdraw(uint256 pid, address to) external {
        UserInfo storage user = userInfo[pid][msg.sender];
        uint256 amount = user.amount;
        (user.amount, user.rewardDebt) = (0, 0);
        tell(pid, msg.sender, to, 0, 0);
        lpToken[pid].safeTransfer(to, amount);
        emit EmergencyWithdraw(msg.sender, pid, amount, to);
    }

    function accrued(uint256 pid) private view returns (PoolInfo memory pool) {
        pool = poolInfo[pid];
        if (block.timestamp <= pool.lastRewardTime) return pool;
        uint256 supply = lpToken[pid].balanceOf(address(this));
        if (supply > 0) {
            uint256 time = block.timestamp - pool.lastRewardTime;
            uint256 reward = (time * sushiPerSecond * pool.allocPoint) / totalAllocPoint;
            pool.accSushiPerShare += uint128((reward * PRECISION) / supply);
        }
        pool.lastRewardTime = uint64(block.timestamp);
    }

    function shareOf(uint256 amount, PoolInfo memory pool) private pure returns (int256) {
        return int256((amount * pool.accSushiPerShare) / PRECISION);
    }

    function due(UserInfo memory user, PoolInfo memory pool) private pure returns (uint256) {
        int256 pending = shareOf(user.amount, pool) - user.rewardDebt;
        require(pending >= 0, "Integer < 0");
        return uint256(pending);
    }

    function tell(uint256 pid, address user, address to, uint256 pending, uint256 amount) private {
        if (address(rewarder[pid]) != address(0)) rewarder[pid].onSushiReward(pid, user, to, pending, amount);
    }
}
