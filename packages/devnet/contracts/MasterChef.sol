// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IReward is IERC20 {
    function mint(address to, uint256 value) external;
}

/**
 * SushiSwap's first MasterChef, as far as stakes go: a reward a block, minted when a pool is touched, and paid with every
 * deposit and withdrawal, at most what the chef has. Every quotient is rounded down as there.
 */
contract MasterChef {
    using SafeERC20 for IERC20;

    struct UserInfo {
        uint256 amount;
        uint256 rewardDebt;
    }

    struct PoolInfo {
        IERC20 lpToken;
        uint256 allocPoint;
        uint256 lastRewardBlock;
        uint256 accSushiPerShare;
    }

    uint256 private constant PRECISION = 1e12;

    IReward public immutable sushi;
    address public immutable devaddr;
    uint256 public immutable sushiPerBlock;
    PoolInfo[] public poolInfo;
    mapping(uint256 pid => mapping(address user => UserInfo)) public userInfo;
    uint256 public totalAllocPoint;
    /// Once it is out of service, the chef may mint no more: every claim reverts.
    bool public retired;

    event Deposit(address indexed user, uint256 indexed pid, uint256 amount);
    event Withdraw(address indexed user, uint256 indexed pid, uint256 amount);
    event EmergencyWithdraw(address indexed user, uint256 indexed pid, uint256 amount);

    constructor(IReward sushi_, address devaddr_, uint256 sushiPerBlock_) {
        (sushi, devaddr, sushiPerBlock) = (sushi_, devaddr_, sushiPerBlock_);
    }

    function retire() external {
        retired = true;
    }

    function poolLength() external view returns (uint256) {
        return poolInfo.length;
    }

    function add(uint256 allocPoint, IERC20 lpToken) external {
        for (uint256 pid = 0; pid < poolInfo.length; pid++) updatePool(pid);
        totalAllocPoint += allocPoint;
        poolInfo.push(PoolInfo(lpToken, allocPoint, block.number, 0));
    }

    function pendingSushi(uint256 pid, address user) external view returns (uint256) {
        PoolInfo memory pool = poolInfo[pid];
        UserInfo memory info = userInfo[pid][user];
        uint256 supply = pool.lpToken.balanceOf(address(this));
        if (block.number > pool.lastRewardBlock && supply != 0) {
            pool.accSushiPerShare += (rewardOf(pool) * PRECISION) / supply;
        }
        return (info.amount * pool.accSushiPerShare) / PRECISION - info.rewardDebt;
    }

    function updatePool(uint256 pid) public {
        PoolInfo storage pool = poolInfo[pid];
        if (block.number <= pool.lastRewardBlock) return;
        uint256 supply = pool.lpToken.balanceOf(address(this));
        if (supply > 0) {
            require(!retired, "caller is not the owner");
            uint256 reward = rewardOf(pool);
            sushi.mint(devaddr, reward / 10);
            sushi.mint(address(this), reward);
            pool.accSushiPerShare += (reward * PRECISION) / supply;
        }
        pool.lastRewardBlock = block.number;
    }

    function deposit(uint256 pid, uint256 amount) external {
        UserInfo storage user = userInfo[pid][msg.sender];
        updatePool(pid);
        if (user.amount > 0) pay(pid, user);
        poolInfo[pid].lpToken.safeTransferFrom(msg.sender, address(this), amount);
        settle(pid, user, user.amount + amount);
        emit Deposit(msg.sender, pid, amount);
    }

    function withdraw(uint256 pid, uint256 amount) external {
        UserInfo storage user = userInfo[pid][msg.sender];
        require(user.amount >= amount, "withdraw: not good");
        updatePool(pid);
        pay(pid, user);
        settle(pid, user, user.amount - amount);
        poolInfo[pid].lpToken.safeTransfer(msg.sender, amount);
        emit Withdraw(msg.sender, pid, amount);
    }

    function emergencyWithdraw(uint256 pid) external {
        UserInfo storage user = userInfo[pid][msg.sender];
        poolInfo[pid].lpToken.safeTransfer(msg.sender, user.amount);
        emit EmergencyWithdraw(msg.sender, pid, user.amount);
        (user.amount, user.rewardDebt) = (0, 0);
    }

    function rewardOf(PoolInfo memory pool) private view returns (uint256) {
        return ((block.number - pool.lastRewardBlock) * sushiPerBlock * pool.allocPoint) / totalAllocPoint;
    }

    function pay(uint256 pid, UserInfo storage user) private {
        uint256 pending = (user.amount * poolInfo[pid].accSushiPerShare) / PRECISION - user.rewardDebt;
        uint256 kept = sushi.balanceOf(address(this));
        sushi.transfer(msg.sender, pending > kept ? kept : pending);
    }

    function settle(uint256 pid, UserInfo storage user, uint256 amount) private {
        user.amount = amount;
        user.rewardDebt = (amount * poolInfo[pid].accSushiPerShare) / PRECISION;
    }
}
