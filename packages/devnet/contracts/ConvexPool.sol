// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface Operator {
    function withdrawTo(uint256 pid, uint256 amount, address to) external;
    function rewardClaimed(uint256 pid, address account, uint256 amount) external returns (bool);
}

interface Depositor {
    function deposit(uint256 amount) external;
    function minted() external view returns (IERC20);
}

/**
 * Convex' reward pools by the rounding of Synthetix: `BaseRewardPool`, Aura's, whose stakes log transfers (`isVault`), the
 * extra pools beside one (`deposits`), and the pool of CVX, which pays what a depositor turns its reward into.
 */
contract ConvexPool {
    using SafeERC20 for IERC20;

    struct Setup {
        uint256 pid;
        IERC20 stakingToken;
        IERC20 rewardToken;
        Operator operator;
        bool isVault;
        ConvexPool deposits;
        Depositor depositor;
    }

    uint256 public constant duration = 7 days;

    Setup private setup;
    uint256 private supply;
    mapping(address => uint256) private balances;
    mapping(address => uint256) public rewards;
    mapping(address => uint256) public userRewardPerTokenPaid;
    uint256 public rewardRate;
    uint256 public periodFinish;
    uint256 public lastUpdateTime;
    uint256 public rewardPerTokenStored;
    ConvexPool[] public extraRewards;

    event Staked(address indexed user, uint256 amount);
    event Withdrawn(address indexed user, uint256 amount);
    event RewardPaid(address indexed user, uint256 reward);
    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(Setup memory setup_) {
        setup = setup_;
    }

    function pid() external view returns (uint256) {
        return setup.pid;
    }

    function stakingToken() external view returns (IERC20) {
        return setup.stakingToken;
    }

    function rewardToken() external view returns (IERC20) {
        return setup.rewardToken;
    }

    /// Only of a vault, which says so by being a token.
    function symbol() external view returns (string memory) {
        require(setup.isVault);
        return "vault";
    }

    function decimals() external view returns (uint8) {
        require(setup.isVault);
        return 18;
    }

    function totalSupply() public view returns (uint256) {
        return isExtra() ? setup.deposits.totalSupply() : supply;
    }

    function balanceOf(address account) public view returns (uint256) {
        return isExtra() ? setup.deposits.balanceOf(account) : balances[account];
    }

    function extraRewardsLength() external view returns (uint256) {
        return extraRewards.length;
    }

    function addExtraReward(ConvexPool extra) external {
        extraRewards.push(extra);
    }

    function rewardPerToken() public view returns (uint256) {
        uint256 total = totalSupply();
        if (total == 0) return rewardPerTokenStored;
        return rewardPerTokenStored + ((lastTime() - lastUpdateTime) * rewardRate * 1e18) / total;
    }

    function earned(address account) public view returns (uint256) {
        return
            (balanceOf(account) * (rewardPerToken() - userRewardPerTokenPaid[account])) / 1e18 + rewards[account];
    }

    function stakeFor(address account, uint256 amount) external returns (bool) {
        enter(account, amount);
        setup.stakingToken.safeTransferFrom(msg.sender, address(this), amount);
        return true;
    }

    /// Of the operator, which keeps the shares itself.
    function credit(address account, uint256 amount) external {
        require(msg.sender == address(setup.operator), "!auth");
        enter(account, amount);
    }

    function withdraw(uint256 amount, bool claim) external {
        leave(amount);
        setup.stakingToken.safeTransfer(msg.sender, amount);
        if (claim) getReward(msg.sender, true);
    }

    function withdrawAndUnwrap(uint256 amount, bool claim) external {
        leave(amount);
        setup.operator.withdrawTo(setup.pid, amount, msg.sender);
        if (claim) getReward(msg.sender, true);
    }

    function getReward(address account, bool withExtras) public {
        pay(account);
        if (!withExtras) return;
        for (uint256 i = 0; i < extraRewards.length; i++) extraRewards[i].getReward(account);
    }

    /// Of the pool of CVX.
    function getReward(address account, bool, bool) external {
        pay(account);
    }

    function getReward(address account) external {
        pay(account);
    }

    /// Pays out over a week what is sent with it and what is left.
    function fund(uint256 amount) external {
        update(address(0));
        IERC20 from = setup.rewardToken;
        if (msg.sender != address(this)) from.safeTransferFrom(msg.sender, address(this), amount);
        uint256 left = block.timestamp < periodFinish ? (periodFinish - block.timestamp) * rewardRate : 0;
        rewardRate = (amount + left) / duration;
        lastUpdateTime = block.timestamp;
        periodFinish = block.timestamp + duration;
    }

    /// As the pool it is beside changes a stake.
    function follow(address account) external {
        update(account);
    }

    function isExtra() private view returns (bool) {
        return address(setup.deposits) != address(0);
    }

    function lastTime() private view returns (uint256) {
        return block.timestamp < periodFinish ? block.timestamp : periodFinish;
    }

    function update(address account) private {
        rewardPerTokenStored = rewardPerToken();
        lastUpdateTime = lastTime();
        if (account == address(0)) return;
        rewards[account] = earned(account);
        userRewardPerTokenPaid[account] = rewardPerTokenStored;
    }

    function enter(address account, uint256 amount) private {
        change(account);
        supply += amount;
        balances[account] += amount;
        if (setup.isVault) emit Transfer(address(0), account, amount);
        emit Staked(account, amount);
    }

    function leave(uint256 amount) private {
        change(msg.sender);
        supply -= amount;
        balances[msg.sender] -= amount;
        emit Withdrawn(msg.sender, amount);
        if (setup.isVault) emit Transfer(msg.sender, address(0), amount);
    }

    function change(address account) private {
        update(account);
        for (uint256 i = 0; i < extraRewards.length; i++) extraRewards[i].follow(account);
    }

    function pay(address account) private {
        update(account);
        uint256 amount = rewards[account];
        if (amount == 0) return;
        rewards[account] = 0;
        if (address(setup.depositor) != address(0)) {
            setup.rewardToken.approve(address(setup.depositor), amount);
            setup.depositor.deposit(amount);
            IERC20 minted = setup.depositor.minted();
            amount = minted.balanceOf(address(this));
            minted.safeTransfer(account, amount);
        } else {
            setup.rewardToken.safeTransfer(account, amount);
            if (address(setup.operator) != address(0)) setup.operator.rewardClaimed(setup.pid, account, amount);
        }
        emit RewardPaid(account, amount);
    }
}
