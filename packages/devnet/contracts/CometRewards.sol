// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IComet {
    function accrueAccount(address account) external;
    function baseAccrualScale() external view returns (uint64);
    function baseTrackingAccrued(address account) external view returns (uint64);
    function hasPermission(address owner, address manager) external view returns (bool);
}

interface IRewardToken {
    function decimals() external view returns (uint8);
}

/**
 * Pays what markets of Compound v3 track, in one reward token a market, as Compound's own contract does; but every caller
 * may set a market's reward, once.
 */
contract CometRewards {
    using SafeERC20 for IERC20;

    struct RewardConfig {
        address token;
        uint64 rescaleFactor;
        bool shouldUpscale;
        uint256 multiplier;
    }

    struct RewardOwed {
        address token;
        uint256 owed;
    }

    error AlreadyConfigured(address comet);
    error NotPermitted(address caller);
    error NotSupported(address comet);

    event RewardClaimed(address indexed src, address indexed recipient, address indexed token, uint256 amount);

    mapping(address => RewardConfig) public rewardConfig;
    mapping(address => mapping(address => uint256)) public rewardsClaimed;

    /// multiplier: units of the reward token for a tracked unit, 18 decimals.
    function setRewardConfigWithMultiplier(address comet, address token, uint256 multiplier) external {
        if (rewardConfig[comet].token != address(0)) revert AlreadyConfigured(comet);
        uint64 tracked = IComet(comet).baseAccrualScale();
        uint64 scale = uint64(10 ** IRewardToken(token).decimals());
        bool upscale = scale >= tracked;
        rewardConfig[comet] = RewardConfig(token, upscale ? scale / tracked : tracked / scale, upscale, multiplier);
    }

    function getRewardOwed(address comet, address account) external returns (RewardOwed memory) {
        RewardConfig memory config = configOf(comet);
        IComet(comet).accrueAccount(account);
        return RewardOwed(config.token, owedTo(comet, account, config));
    }

    function claim(address comet, address src, bool shouldAccrue) external {
        pay(comet, src, src, shouldAccrue);
    }

    function claimTo(address comet, address src, address to, bool shouldAccrue) external {
        if (!IComet(comet).hasPermission(src, msg.sender)) revert NotPermitted(msg.sender);
        pay(comet, src, to, shouldAccrue);
    }

    function pay(address comet, address src, address to, bool shouldAccrue) private {
        RewardConfig memory config = configOf(comet);
        if (shouldAccrue) IComet(comet).accrueAccount(src);
        uint256 owed = owedTo(comet, src, config);
        if (owed == 0) return;
        rewardsClaimed[comet][src] += owed;
        IERC20(config.token).safeTransfer(to, owed);
        emit RewardClaimed(src, to, config.token, owed);
    }

    function configOf(address comet) private view returns (RewardConfig memory config) {
        config = rewardConfig[comet];
        if (config.token == address(0)) revert NotSupported(comet);
    }

    function owedTo(address comet, address account, RewardConfig memory config) private view returns (uint256) {
        uint256 tracked = IComet(comet).baseTrackingAccrued(account);
        uint256 units = config.shouldUpscale ? tracked * config.rescaleFactor : tracked / config.rescaleFactor;
        uint256 accrued = units * config.multiplier / 1e18;
        uint256 claimed = rewardsClaimed[comet][account];
        return accrued > claimed ? accrued - claimed : 0;
    }
}
