// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/**
 * The first version of Aave's stake token, as stkWELL is, as far as stakers see it: a share is a unit of what was staked, and
 * the cooldown is kept as the time at which it began. What comes after it moves that time forward by its part.
 */
contract PlainStake is ERC20 {
    using SafeERC20 for IERC20;

    uint256 private constant UNIT = 1e18;

    IERC20 public immutable STAKED_TOKEN;
    IERC20 public immutable REWARD_TOKEN;
    address public immutable REWARDS_VAULT;
    uint256 public immutable COOLDOWN_SECONDS;
    uint256 public immutable UNSTAKE_WINDOW;

    mapping(address => uint256) public stakerRewardsToClaim;
    mapping(address => uint256) public stakersCooldowns;
    mapping(address => uint256) private indexOf;
    uint256 private emissionPerSecond;
    uint256 private lastUpdate;
    uint256 private index;

    event Staked(address indexed from, address indexed onBehalfOf, uint256 amount);
    event Redeem(address indexed from, address indexed to, uint256 amount);
    event Cooldown(address indexed user);
    event RewardsClaimed(address indexed from, address indexed to, uint256 amount);

    constructor(IERC20 staked, IERC20 rewarded, address vault, uint256 cooldownSeconds, uint256 window)
        ERC20("Staked token", "stk")
    {
        (STAKED_TOKEN, REWARD_TOKEN, REWARDS_VAULT) = (staked, rewarded, vault);
        (COOLDOWN_SECONDS, UNSTAKE_WINDOW) = (cooldownSeconds, window);
    }

    function setEmission(uint256 perSecond) external {
        accrueIndex();
        emissionPerSecond = perSecond;
    }

    function getTotalRewardsBalance(address staker) external view returns (uint256) {
        return stakerRewardsToClaim[staker] + balanceOf(staker) * (currentIndex() - indexOf[staker]) / UNIT;
    }

    function stake(address to, uint256 amount) external {
        require(amount != 0, "INVALID_ZERO_AMOUNT");
        stakersCooldowns[to] = nextCooldown(0, amount, to);
        _mint(to, amount);
        STAKED_TOKEN.safeTransferFrom(msg.sender, address(this), amount);
        emit Staked(msg.sender, to, amount);
    }

    function cooldown() external {
        require(balanceOf(msg.sender) != 0, "INVALID_BALANCE_ON_COOLDOWN");
        stakersCooldowns[msg.sender] = block.timestamp;
        emit Cooldown(msg.sender);
    }

    function redeem(address to, uint256 amount) external {
        require(amount != 0, "INVALID_ZERO_AMOUNT");
        uint256 end = stakersCooldowns[msg.sender] + COOLDOWN_SECONDS;
        require(block.timestamp > end, "INSUFFICIENT_COOLDOWN");
        require(block.timestamp - end <= UNSTAKE_WINDOW, "UNSTAKE_WINDOW_FINISHED");
        uint256 held = balanceOf(msg.sender);
        uint256 redeemed = amount > held ? held : amount;
        _burn(msg.sender, redeemed);
        if (held == redeemed) stakersCooldowns[msg.sender] = 0;
        STAKED_TOKEN.safeTransfer(to, redeemed);
        emit Redeem(msg.sender, to, redeemed);
    }

    function claimRewards(address to, uint256 amount) external {
        accrue(msg.sender);
        uint256 total = stakerRewardsToClaim[msg.sender];
        uint256 claimed = amount == type(uint256).max ? total : amount;
        stakerRewardsToClaim[msg.sender] = total - claimed;
        REWARD_TOKEN.safeTransferFrom(REWARDS_VAULT, to, claimed);
        emit RewardsClaimed(msg.sender, to, claimed);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from != address(0)) accrue(from);
        if (to != address(0)) accrue(to);
        if (from != address(0) && to != address(0) && from != to) {
            uint256 begin = stakersCooldowns[from];
            stakersCooldowns[to] = nextCooldown(begin, value, to);
            if (balanceOf(from) == value) stakersCooldowns[from] = 0;
        }
        super._update(from, to, value);
    }

    function nextCooldown(uint256 begin, uint256 amount, address to) private view returns (uint256) {
        uint256 own = stakersCooldowns[to];
        uint256 oldest = block.timestamp - COOLDOWN_SECONDS - UNSTAKE_WINDOW;
        if (own < oldest) return 0;
        uint256 other = begin < oldest ? block.timestamp : begin;
        return other < own ? own : (amount * other + balanceOf(to) * own) / (amount + balanceOf(to));
    }

    function accrue(address staker) private {
        accrueIndex();
        stakerRewardsToClaim[staker] += balanceOf(staker) * (index - indexOf[staker]) / UNIT;
        indexOf[staker] = index;
    }

    function accrueIndex() private {
        (index, lastUpdate) = (currentIndex(), block.timestamp);
    }

    function currentIndex() private view returns (uint256) {
        if (totalSupply() == 0) return index;
        return index + (block.timestamp - lastUpdate) * emissionPerSecond * UNIT / totalSupply();
    }
}
