// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/**
 * A stake token of Aave's Umbrella as far as stakers see it, with a controller of its own: assets are counted and not looked
 * up, a cooldown covers the shares of its time, and rewards of several tokens are counted with 18 digits. Anyone may slash here.
 */
contract UmbrellaStake is ERC4626 {
    using SafeERC20 for IERC20;

    struct Snapshot {
        uint192 amount;
        uint32 endOfCooldown;
        uint32 withdrawalWindow;
    }

    StakeRewards public immutable REWARDS_CONTROLLER;
    uint32 private immutable cooldownSeconds;
    uint32 private immutable window;
    uint256 private counted;
    mapping(address user => Snapshot) private snapshots;

    event StakerCooldownUpdated(address indexed user, uint256 amount, uint256 endOfCooldown, uint256 unstakeWindow);
    event Slashed(address indexed destination, uint256 amount);

    constructor(IERC20 staked, address payer, uint32 cooldown_, uint32 window_)
        ERC4626(staked)
        ERC20("Umbrella stake", "stk")
    {
        REWARDS_CONTROLLER = new StakeRewards(this, payer);
        (cooldownSeconds, window) = (cooldown_, window_);
    }

    function totalAssets() public view override returns (uint256) {
        return counted;
    }

    function getStakerCooldown(address user) external view returns (Snapshot memory) {
        return snapshots[user];
    }

    function maxWithdraw(address owner) public view override returns (uint256) {
        return previewRedeem(maxRedeem(owner));
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        Snapshot memory own = snapshots[owner];
        if (block.timestamp < own.endOfCooldown || block.timestamp - own.endOfCooldown > own.withdrawalWindow) return 0;
        return own.amount;
    }

    function cooldown() external {
        uint256 amount = balanceOf(msg.sender);
        require(amount != 0, "nothing staked");
        uint32 end = uint32(block.timestamp) + cooldownSeconds;
        snapshots[msg.sender] = Snapshot(uint192(amount), end, window);
        emit StakerCooldownUpdated(msg.sender, amount, end, window);
    }

    function slash(address destination, uint256 amount) external {
        REWARDS_CONTROLLER.handleAction(address(0));
        counted -= amount;
        IERC20(asset()).safeTransfer(destination, amount);
        emit Slashed(destination, amount);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        counted += assets;
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares) internal override {
        super._withdraw(caller, receiver, owner, assets, shares);
        counted -= assets;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (to != address(0)) REWARDS_CONTROLLER.handleAction(to);
        if (from != address(0) && from != to) {
            REWARDS_CONTROLLER.handleAction(from);
            Snapshot storage own = snapshots[from];
            if (block.timestamp <= own.endOfCooldown + own.withdrawalWindow) {
                uint256 left = to == address(0) ? own.amount - value : balanceOf(from) - value;
                if (left < own.amount) own.amount = uint192(left);
                if (own.amount == 0) delete snapshots[from];
            }
        }
        super._update(from, to, value);
    }
}

/// Counts rewards as Umbrella's controller does, at a rate that does not depend on what is staked.
contract StakeRewards {
    using SafeERC20 for IERC20;

    struct UserData {
        uint256 index;
        uint256 accrued;
    }

    uint256 private constant UNIT = 1e18;
    uint256 private constant LEAST_SHARES = 1e6;

    UmbrellaStake private immutable stake;
    address private immutable payer;
    address[] private rewards;
    uint256 private lastUpdate;
    mapping(address reward => uint256) private perSecond;
    mapping(address reward => uint256) private scale;
    mapping(address reward => uint256) private indices;
    mapping(address reward => mapping(address user => UserData)) private users;

    event RewardClaimed(
        address indexed asset, address indexed reward, address indexed user, address receiver, uint256 amount
    );

    constructor(UmbrellaStake stake_, address payer_) {
        (stake, payer) = (stake_, payer_);
    }

    function addReward(address reward, uint256 emission) external {
        handleAction(address(0));
        rewards.push(reward);
        scale[reward] = 10 ** (18 - ERC20(reward).decimals());
        perSecond[reward] = emission * scale[reward];
    }

    function getAllRewards(address) external view returns (address[] memory) {
        return rewards;
    }

    function getUserDataByAsset(address, address user) external view returns (address[] memory, UserData[] memory data) {
        data = new UserData[](rewards.length);
        for (uint256 i = 0; i < rewards.length; i++) {
            data[i] = users[rewards[i]][user];
            data[i].accrued /= scale[rewards[i]];
        }
        return (rewards, data);
    }

    function calculateCurrentUserRewards(address, address user)
        external
        view
        returns (address[] memory, uint256[] memory accrued)
    {
        accrued = new uint256[](rewards.length);
        for (uint256 i = 0; i < rewards.length; i++) accrued[i] = current(rewards[i], user) / scale[rewards[i]];
        return (rewards, accrued);
    }

    function handleAction(address user) public {
        for (uint256 i = 0; i < rewards.length; i++) {
            address reward = rewards[i];
            if (user != address(0)) users[reward][user].accrued = current(reward, user);
            indices[reward] = indexOf(reward);
            if (user != address(0)) users[reward][user].index = indices[reward];
        }
        lastUpdate = block.timestamp;
    }

    function claimAllRewards(address asset, address receiver) external {
        handleAction(msg.sender);
        for (uint256 i = 0; i < rewards.length; i++) {
            address reward = rewards[i];
            uint256 amount = users[reward][msg.sender].accrued / scale[reward];
            if (amount == 0) continue;
            users[reward][msg.sender].accrued -= amount * scale[reward];
            IERC20(reward).safeTransferFrom(payer, receiver, amount);
            emit RewardClaimed(asset, reward, msg.sender, receiver, amount);
        }
    }

    function indexOf(address reward) private view returns (uint256) {
        uint256 supply = stake.totalSupply();
        if (supply < LEAST_SHARES) supply = LEAST_SHARES;
        return indices[reward] + perSecond[reward] * (block.timestamp - lastUpdate) * UNIT / supply;
    }

    function current(address reward, address user) private view returns (uint256) {
        UserData memory own = users[reward][user];
        return own.accrued + stake.balanceOf(user) * (indexOf(reward) - own.index) / UNIT;
    }
}
