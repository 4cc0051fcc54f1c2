// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Chef {
    function getLatestPeriodInfo(address pool) external view returns (uint256 rewardPerSecond, uint256 endTime);
}

/**
 * What MasterChefV3 needs beside itself and the position manager, in one contract: the pool whose NFTs it takes, as far
 * as it asks about it; the deployer of its farm; and the farm, which here pays every staked range, the price in it or not.
 */
contract LiquidityMining {
    uint256 private constant PRECISION = 1e12;
    uint256 private constant Q128 = 1 << 128;

    Chef private immutable chef;
    address public immutable token0;
    address public immutable token1;
    uint24 public immutable fee;

    /// Reward of one unit of liquidity since the beginning, in 128 fractional bits.
    uint256 private growth;
    uint256 private liquidity;
    uint256 private settledAt;

    constructor(Chef chef_, address token0_, address token1_, uint24 fee_) {
        chef = chef_;
        token0 = token0_;
        token1 = token1_;
        fee = fee_;
    }

    function deploy(address) external view returns (address) {
        return address(this);
    }

    function lmPool() external view returns (address) {
        return address(this);
    }

    /// The reward grows only here, so that views lag behind until someone deposits, claims or withdraws.
    function accumulateReward(uint32 time) external {
        require(msg.sender == address(chef));
        (uint256 perSecond, uint256 end) = chef.getLatestPeriodInfo(address(this));
        uint256 until = time < end ? time : end;
        if (liquidity > 0 && until > settledAt) {
            growth += (until - settledAt) * perSecond * Q128 / PRECISION / liquidity;
        }
        settledAt = time;
    }

    function updatePosition(int24, int24, int128 liquidityDelta) external {
        require(msg.sender == address(chef));
        liquidity = liquidityDelta < 0
            ? liquidity - uint128(-liquidityDelta)
            : liquidity + uint128(liquidityDelta);
    }

    function getRewardGrowthInside(int24, int24) external view returns (uint256) {
        return growth;
    }
}
