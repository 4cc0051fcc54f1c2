// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Locks of CVX as `CvxLockerV2` keeps them, without boosts: 16 weeks from the start of the next, or of this one if relocked.
contract ConvexLocker {
    using SafeERC20 for IERC20;

    struct LockedBalance {
        uint112 amount;
        uint112 boosted;
        uint32 unlockTime;
    }
    struct EarnedData {
        address token;
        uint256 amount;
    }

    uint256 private constant WEEK = 7 days;
    uint256 private constant LOCKED = 16 * WEEK;

    IERC20 public immutable stakingToken;
    address private immutable reward;
    uint256 private perToken;
    uint256 private supply;
    mapping(address => LockedBalance[]) private locks;
    mapping(address => uint256) private next;
    mapping(address => uint256) private total;
    mapping(address => uint256) private paid;
    mapping(address => uint256) private due;

    event Staked(
        address indexed user, uint256 indexed epoch, uint256 paidAmount, uint256 lockedAmount, uint256 boostedAmount
    );
    event Withdrawn(address indexed user, uint256 amount, bool relocked);
    event RewardPaid(address indexed user, address indexed rewardsToken, uint256 reward);

    constructor(IERC20 locked, address reward_) {
        stakingToken = locked;
        reward = reward_;
    }

    function rewardTokens(uint256 i) external view returns (address) {
        require(i == 0);
        return reward;
    }

    function lock(address account, uint256 amount, uint256) external {
        stakingToken.safeTransferFrom(msg.sender, address(this), amount);
        put(account, amount, false);
    }

    function processExpiredLocks(bool relock) external {
        update(msg.sender);
        uint256 amount;
        LockedBalance[] storage own = locks[msg.sender];
        uint256 i = next[msg.sender];
        for (; i < own.length && own[i].unlockTime <= block.timestamp; i++) amount += own[i].amount;
        require(amount > 0, "no exp locks");
        next[msg.sender] = i;
        total[msg.sender] -= amount;
        supply -= amount;
        emit Withdrawn(msg.sender, amount, relock);
        if (relock) put(msg.sender, amount, true);
        else stakingToken.safeTransfer(msg.sender, amount);
    }

    function fund(uint256 amount) external {
        IERC20(reward).safeTransferFrom(msg.sender, address(this), amount);
        perToken += (amount * 1e18) / supply;
    }

    function getReward(address account) external {
        update(account);
        uint256 amount = due[account];
        due[account] = 0;
        if (amount == 0) return;
        IERC20(reward).safeTransfer(account, amount);
        emit RewardPaid(account, reward, amount);
    }

    function claimableRewards(address account) external view returns (EarnedData[] memory found) {
        found = new EarnedData[](1);
        found[0] = EarnedData(reward, due[account] + (total[account] * (perToken - paid[account])) / 1e18);
    }

    function lockedBalances(address account)
        external
        view
        returns (uint256 all, uint256 unlockable, uint256 locked, LockedBalance[] memory lockData)
    {
        LockedBalance[] storage own = locks[account];
        uint256 idx;
        for (uint256 i = next[account]; i < own.length; i++) {
            if (own[i].unlockTime > block.timestamp) {
                if (idx == 0) lockData = new LockedBalance[](own.length - i);
                lockData[idx++] = own[i];
                locked += own[i].amount;
            } else {
                unlockable += own[i].amount;
            }
        }
        return (total[account], unlockable, locked, lockData);
    }

    /// What is locked from the start of this week on; neither what has run out nor what begins later.
    function balanceOf(address account) external view returns (uint256 amount) {
        uint256 week = (block.timestamp / WEEK) * WEEK;
        LockedBalance[] storage own = locks[account];
        for (uint256 i = next[account]; i < own.length; i++) {
            if (own[i].unlockTime > block.timestamp && own[i].unlockTime - LOCKED <= week) amount += own[i].amount;
        }
    }

    function put(address account, uint256 amount, bool isRelock) private {
        update(account);
        uint256 epoch = (block.timestamp / WEEK) * WEEK + (isRelock ? 0 : WEEK);
        uint32 end = uint32(epoch + LOCKED);
        LockedBalance[] storage own = locks[account];
        if (own.length > 0 && own[own.length - 1].unlockTime == end) {
            own[own.length - 1].amount += uint112(amount);
        } else {
            own.push(LockedBalance(uint112(amount), uint112(amount), end));
        }
        total[account] += amount;
        supply += amount;
        emit Staked(account, epoch, amount, amount, amount);
    }

    function update(address account) private {
        due[account] += (total[account] * (perToken - paid[account])) / 1e18;
        paid[account] = perToken;
    }
}
