// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/**
 * Aave's stake token (StakedTokenV3, as stkAAVE is) as far as stakers see it: shares at a rate that a slashing raises, rewards
 * from a vault that lets the contract take them, and a cooldown after which there is a window to redeem in. Anyone may slash here.
 */
contract WindowStake is ERC20 {
    using SafeERC20 for IERC20;

    struct CooldownSnapshot {
        uint40 timestamp;
        uint216 amount;
    }

    uint256 private constant UNIT = 1e18;

    IERC20 public immutable STAKED_TOKEN;
    IERC20 public immutable REWARD_TOKEN;
    address public immutable REWARDS_VAULT;
    uint256 public immutable UNSTAKE_WINDOW;
    uint256 public immutable getCooldownSeconds;

    mapping(address => uint256) public stakerRewardsToClaim;
    mapping(address => CooldownSnapshot) public stakersCooldowns;
    mapping(address => uint256) private indexOf;
    uint256 public getExchangeRate;
    bool public inPostSlashingPeriod;
    uint256 private emissionPerSecond;
    uint256 private lastUpdate;
    uint256 private index;

    event Staked(address indexed from, address indexed to, uint256 assets, uint256 shares);
    event Redeem(address indexed from, address indexed to, uint256 assets, uint256 shares);
    event Cooldown(address indexed user, uint256 amount);
    event RewardsAccrued(address user, uint256 amount);
    event RewardsClaimed(address indexed from, address indexed to, uint256 amount);
    event Slashed(address indexed destination, uint256 amount);

    constructor(IERC20 staked, IERC20 rewarded, address vault, uint256 cooldownSeconds, uint256 window)
        ERC20("Staked token", "stk")
    {
        STAKED_TOKEN = staked;
        REWARD_TOKEN = rewarded;
        REWARDS_VAULT = vault;
        getCooldownSeconds = cooldownSeconds;
        UNSTAKE_WINDOW = window;
        getExchangeRate = UNIT;
    }

    function setEmission(uint256 perSecond) external {
        accrueIndex();
        emissionPerSecond = perSecond;
    }

    function slash(address destination, uint256 amount) external {
        uint256 left = previewRedeem(totalSupply()) - amount;
        getExchangeRate = (totalSupply() * UNIT + left - 1) / left;
        inPostSlashingPeriod = true;
        STAKED_TOKEN.safeTransfer(destination, amount);
        emit Slashed(destination, amount);
    }

    function settleSlashing() external {
        inPostSlashingPeriod = false;
    }

    function previewStake(uint256 assets) public view returns (uint256) {
        return assets * getExchangeRate / UNIT;
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return UNIT * shares / getExchangeRate;
    }

    function getTotalRewardsBalance(address staker) external view returns (uint256) {
        return stakerRewardsToClaim[staker] + balanceOf(staker) * (currentIndex() - indexOf[staker]) / UNIT;
    }

    function stake(address to, uint256 amount) external {
        require(!inPostSlashingPeriod, "SLASHING_ONGOING");
        require(amount != 0, "INVALID_ZERO_AMOUNT");
        accrue(to);
        uint256 shares = previewStake(amount);
        STAKED_TOKEN.safeTransferFrom(msg.sender, address(this), amount);
        _mint(to, shares);
        emit Staked(msg.sender, to, amount, shares);
    }

    function cooldown() external {
        uint256 amount = balanceOf(msg.sender);
        require(amount != 0, "INVALID_BALANCE_ON_COOLDOWN");
        stakersCooldowns[msg.sender] = CooldownSnapshot(uint40(block.timestamp), uint216(amount));
        emit Cooldown(msg.sender, amount);
    }

    function redeem(address to, uint256 amount) external {
        require(amount != 0, "INVALID_ZERO_AMOUNT");
        CooldownSnapshot memory snapshot = stakersCooldowns[msg.sender];
        if (!inPostSlashingPeriod) {
            require(block.timestamp >= snapshot.timestamp + getCooldownSeconds, "INSUFFICIENT_COOLDOWN");
            require(
                block.timestamp - (snapshot.timestamp + getCooldownSeconds) <= UNSTAKE_WINDOW, "UNSTAKE_WINDOW_FINISHED"
            );
        }
        uint256 most = inPostSlashingPeriod ? balanceOf(msg.sender) : snapshot.amount;
        require(most != 0, "INVALID_ZERO_MAX_REDEEMABLE");
        uint256 shares = amount > most ? most : amount;
        accrue(msg.sender);
        uint256 assets = previewRedeem(shares);
        _burn(msg.sender, shares);
        if (snapshot.timestamp != 0) {
            if (snapshot.amount == shares) delete stakersCooldowns[msg.sender];
            else stakersCooldowns[msg.sender].amount -= uint216(shares);
        }
        STAKED_TOKEN.safeTransfer(to, assets);
        emit Redeem(msg.sender, to, assets, shares);
    }

    function claimRewards(address to, uint256 amount) external {
        accrue(msg.sender);
        uint256 total = stakerRewardsToClaim[msg.sender];
        uint256 claimed = amount > total ? total : amount;
        require(claimed != 0, "INVALID_ZERO_AMOUNT");
        stakerRewardsToClaim[msg.sender] = total - claimed;
        REWARD_TOKEN.safeTransferFrom(REWARDS_VAULT, to, claimed);
        emit RewardsClaimed(msg.sender, to, claimed);
    }

    /// Of a transfer between wallets; minting and burning accrue before. One to oneself is logged, however much it is.
    function _update(address from, address to, uint256 value) internal override {
        if (from == to) {
            accrue(from);
            emit Transfer(from, to, value);
            return;
        }
        if (from != address(0) && to != address(0)) {
            accrue(from);
            accrue(to);
            uint256 left = balanceOf(from) - value;
            if (stakersCooldowns[from].timestamp != 0) {
                if (left == 0) delete stakersCooldowns[from];
                else if (left < stakersCooldowns[from].amount) stakersCooldowns[from].amount = uint216(left);
            }
        }
        super._update(from, to, value);
    }

    function currentIndex() private view returns (uint256) {
        if (totalSupply() == 0 || lastUpdate == block.timestamp) return index;
        return index + emissionPerSecond * (block.timestamp - lastUpdate) * UNIT / totalSupply();
    }

    function accrueIndex() private {
        index = currentIndex();
        lastUpdate = block.timestamp;
    }

    function accrue(address user) private {
        accrueIndex();
        uint256 amount = balanceOf(user) * (index - indexOf[user]) / UNIT;
        indexOf[user] = index;
        if (amount == 0) return;
        stakerRewardsToClaim[user] += amount;
        emit RewardsAccrued(user, amount);
    }
}
