// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Makes a gauge for a pool, knows which are its own, hands them emissions, and claims for who asks, as a voter does.
contract SolidlyVoter {
    using SafeERC20 for IERC20;

    address public immutable rewardToken;
    mapping(address pool => address) public gauges;
    mapping(address gauge => address) public poolForGauge;
    mapping(address gauge => bool) public isGauge;
    address[] public pools;

    constructor(address rewardToken_) {
        rewardToken = rewardToken_;
    }

    function length() external view returns (uint256) {
        return pools.length;
    }

    function createGauge(address pool) external returns (address gauge) {
        gauge = address(new SolidlyGauge(IERC20(pool), IERC20(rewardToken)));
        addGauge(pool, gauge);
    }

    /// A gauge of another kind, made elsewhere.
    function addGauge(address pool, address gauge) public {
        (gauges[pool], poolForGauge[gauge], isGauge[gauge]) = (gauge, pool, true);
        pools.push(pool);
    }

    function notifyReward(address gauge, uint256 amount) external {
        IERC20(rewardToken).safeTransferFrom(msg.sender, address(this), amount);
        IERC20(rewardToken).forceApprove(gauge, amount);
        SolidlyGauge(gauge).notifyRewardAmount(amount);
    }

    function claimRewards(address[] calldata claimed) external {
        for (uint256 i = 0; i < claimed.length; i++) SolidlyGauge(claimed[i]).getReward(msg.sender);
    }
}

/// A gauge as Velodrome v2's and Aerodrome's: shares of a pool earn emissions by the second until the end of the week.
contract SolidlyGauge {
    using SafeERC20 for IERC20;

    uint256 private constant WEEK = 7 days;
    uint256 private constant ONE = 1e18;

    IERC20 public immutable stakingToken;
    IERC20 public immutable rewardToken;
    address public immutable voter = msg.sender;
    uint256 public periodFinish;
    uint256 public rewardRate;
    uint256 public lastUpdateTime;
    uint256 public rewardPerTokenStored;
    uint256 public totalSupply;
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => uint256) public userRewardPerTokenPaid;
    mapping(address owner => uint256) public rewards;

    event Deposit(address indexed from, address indexed to, uint256 amount);
    event Withdraw(address indexed from, uint256 amount);
    event NotifyReward(address indexed from, uint256 amount);
    event ClaimRewards(address indexed from, uint256 amount);

    constructor(IERC20 staking, IERC20 reward) {
        (stakingToken, rewardToken) = (staking, reward);
    }

    function lastTimeRewardApplicable() public view returns (uint256) {
        return block.timestamp < periodFinish ? block.timestamp : periodFinish;
    }

    function rewardPerToken() public view returns (uint256) {
        if (totalSupply == 0) return rewardPerTokenStored;
        return rewardPerTokenStored + (lastTimeRewardApplicable() - lastUpdateTime) * rewardRate * ONE / totalSupply;
    }

    function earned(address owner) public view returns (uint256) {
        return balanceOf[owner] * (rewardPerToken() - userRewardPerTokenPaid[owner]) / ONE + rewards[owner];
    }

    function deposit(uint256 amount) external {
        deposit(amount, msg.sender);
    }

    function deposit(uint256 amount, address to) public {
        require(amount > 0, "nothing staked");
        settle(to);
        stakingToken.safeTransferFrom(msg.sender, address(this), amount);
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Deposit(msg.sender, to, amount);
    }

    function withdraw(uint256 amount) external {
        settle(msg.sender);
        totalSupply -= amount;
        balanceOf[msg.sender] -= amount;
        stakingToken.safeTransfer(msg.sender, amount);
        emit Withdraw(msg.sender, amount);
    }

    function getReward(address owner) external {
        require(msg.sender == owner || msg.sender == voter, "not authorised");
        settle(owner);
        uint256 reward = rewards[owner];
        if (reward == 0) return;
        rewards[owner] = 0;
        rewardToken.safeTransfer(owner, reward);
        emit ClaimRewards(owner, reward);
    }

    function notifyRewardAmount(uint256 amount) external {
        require(msg.sender == voter, "not the voter");
        rewardPerTokenStored = rewardPerToken();
        uint256 left = WEEK - block.timestamp % WEEK;
        uint256 unpaid = block.timestamp < periodFinish ? (periodFinish - block.timestamp) * rewardRate : 0;
        rewardToken.safeTransferFrom(msg.sender, address(this), amount);
        rewardRate = (amount + unpaid) / left;
        require(rewardRate > 0, "rate of zero");
        (lastUpdateTime, periodFinish) = (block.timestamp, block.timestamp + left);
        emit NotifyReward(msg.sender, amount);
    }

    function settle(address owner) private {
        rewardPerTokenStored = rewardPerToken();
        lastUpdateTime = lastTimeRewardApplicable();
        rewards[owner] = earned(owner);
        userRewardPerTokenPaid[owner] = rewardPerTokenStored;
    }
}
