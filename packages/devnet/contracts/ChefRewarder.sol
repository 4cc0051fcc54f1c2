// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// SushiSwap's simplest rewarder: so much of another token for each unit of the chef's reward, at most what it has.
contract ChefRewarder {
    uint256 private constant UNIT = 1e18;

    IERC20 public immutable rewardToken;
    uint256 public immutable rewardMultiplier;
    bool public broken;

    constructor(IERC20 rewardToken_, uint256 rewardMultiplier_) {
        (rewardToken, rewardMultiplier) = (rewardToken_, rewardMultiplier_);
    }

    function turn(bool broken_) external {
        broken = broken_;
    }

    function onSushiReward(uint256, address, address recipient, uint256 sushiAmount, uint256) external {
        uint256 pending = (sushiAmount * rewardMultiplier) / UNIT;
        uint256 kept = rewardToken.balanceOf(address(this));
        rewardToken.transfer(recipient, pending > kept ? kept : pending);
    }

    function pendingTokens(uint256, address, uint256 sushiAmount)
        external
        view
        returns (IERC20[] memory tokens, uint256[] memory amounts)
    {
        require(!broken, "not now");
        (tokens, amounts) = (new IERC20[](1), new uint256[](1));
        (tokens[0], amounts[0]) = (rewardToken, (sushiAmount * rewardMultiplier) / UNIT);
    }
}
