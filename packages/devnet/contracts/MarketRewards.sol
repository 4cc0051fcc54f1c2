// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IRewardedMarket {
    function totalSupply() external view returns (uint256);
    function totalBorrows() external view returns (uint256);
    function borrowIndex() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function borrowBalanceStored(address account) external view returns (uint256);
}

interface IRewardedComptroller {
    function getAllMarkets() external view returns (address[] memory);
}

/**
 * Moonwell's MultiRewardDistributor as far as wallets see it: a market pays several tokens to those who supply and those who
 * borrow, by indices that its comptroller moves on. Anyone may do here what the comptroller and the admin do there.
 */
contract MarketRewards {
    using SafeERC20 for IERC20;

    struct MarketConfig {
        address owner;
        address emissionToken;
        uint256 endTime;
        uint224 supplyGlobalIndex;
        uint32 supplyGlobalTimestamp;
        uint224 borrowGlobalIndex;
        uint32 borrowGlobalTimestamp;
        uint256 supplyEmissionsPerSec;
        uint256 borrowEmissionsPerSec;
    }

    struct Emission {
        MarketConfig config;
        mapping(address => uint256) supplierIndices;
        mapping(address => uint256) supplierRewardsAccrued;
        mapping(address => uint256) borrowerIndices;
        mapping(address => uint256) borrowerRewardsAccrued;
    }

    struct RewardInfo {
        address emissionToken;
        uint256 totalAmount;
        uint256 supplySide;
        uint256 borrowSide;
    }

    struct RewardWithMToken {
        address mToken;
        RewardInfo[] rewards;
    }

    uint224 private constant FIRST_INDEX = 1e36;
    uint256 private constant INDEX_UNIT = 1e36;

    IRewardedComptroller public immutable comptroller;
    bool public paused;
    mapping(address => Emission[]) private emissions;

    event GlobalSupplyIndexUpdated(address mToken, address emissionToken, uint256 newSupplyIndex, uint32 newTimestamp);
    event GlobalBorrowIndexUpdated(address mToken, address emissionToken, uint256 newIndex, uint32 newTimestamp);
    event DisbursedSupplierRewards(
        address indexed mToken, address indexed supplier, address indexed emissionToken, uint256 totalAccrued
    );
    event DisbursedBorrowerRewards(
        address indexed mToken, address indexed borrower, address indexed emissionToken, uint256 totalAccrued
    );
    event InsufficientTokensToEmit(address user, address rewardToken, uint256 amount);

    constructor(IRewardedComptroller comptroller_) {
        comptroller = comptroller_;
    }

    function _addEmissionConfig(
        address mToken,
        address owner,
        address emissionToken,
        uint256 supplyPerSec,
        uint256 borrowPerSec,
        uint256 endTime
    ) external {
        uint32 time = uint32(block.timestamp);
        emissions[mToken].push().config = MarketConfig(
            owner, emissionToken, endTime, FIRST_INDEX, time, FIRST_INDEX, time, supplyPerSec, borrowPerSec
        );
    }

    function _updateSupplySpeed(address mToken, address emissionToken, uint256 perSec) external {
        updateMarketSupplyIndex(mToken);
        emissionOf(mToken, emissionToken).config.supplyEmissionsPerSec = perSec;
    }

    function _updateBorrowSpeed(address mToken, address emissionToken, uint256 perSec) external {
        updateMarketBorrowIndex(mToken);
        emissionOf(mToken, emissionToken).config.borrowEmissionsPerSec = perSec;
    }

    function _updateEndTime(address mToken, address emissionToken, uint256 endTime) external {
        updateMarketBorrowIndex(mToken);
        updateMarketSupplyIndex(mToken);
        emissionOf(mToken, emissionToken).config.endTime = endTime;
    }

    function _pauseRewards() external {
        paused = true;
    }

    function _unpauseRewards() external {
        paused = false;
    }

    function getAllMarketConfigs(address mToken) external view returns (MarketConfig[] memory configs) {
        Emission[] storage all = emissions[mToken];
        configs = new MarketConfig[](all.length);
        for (uint256 i = 0; i < all.length; i++) configs[i] = all[i].config;
    }

    function getOutstandingRewardsForUser(address user) external view returns (RewardWithMToken[] memory outstanding) {
        address[] memory markets = comptroller.getAllMarkets();
        outstanding = new RewardWithMToken[](markets.length);
        for (uint256 i = 0; i < markets.length; i++) {
            outstanding[i] = RewardWithMToken(markets[i], getOutstandingRewardsForUser(markets[i], user));
        }
    }

    function getOutstandingRewardsForUser(address mToken, address user) public view returns (RewardInfo[] memory rewards) {
        Emission[] storage all = emissions[mToken];
        rewards = new RewardInfo[](all.length);
        for (uint256 i = 0; i < all.length; i++) {
            uint256 supplySide = supplyRewards(all[i], newSupplyIndex(all[i].config, mToken), mToken, user);
            uint256 borrowSide = borrowRewards(all[i], newBorrowIndex(all[i].config, mToken), mToken, user);
            rewards[i] = RewardInfo(all[i].config.emissionToken, supplySide + borrowSide, supplySide, borrowSide);
        }
    }

    /// The comptroller does so before a supply, a redemption, a transfer of market tokens, and a seizure.
    function updateMarketSupplyIndexAndDisburseSupplierRewards(address mToken, address supplier, bool send) external {
        updateMarketSupplyIndex(mToken);
        disburseSupplierRewards(mToken, supplier, send);
    }

    /// The comptroller does so before a loan and a repayment.
    function updateMarketBorrowIndexAndDisburseBorrowerRewards(address mToken, address borrower, bool send) external {
        updateMarketBorrowIndex(mToken);
        disburseBorrowerRewards(mToken, borrower, send);
    }

    /// As the comptroller claims for one holder.
    function claimReward(address holder, address[] calldata mTokens) external {
        for (uint256 i = 0; i < mTokens.length; i++) {
            updateMarketSupplyIndex(mTokens[i]);
            disburseSupplierRewards(mTokens[i], holder, true);
            updateMarketBorrowIndex(mTokens[i]);
            disburseBorrowerRewards(mTokens[i], holder, true);
        }
    }

    function updateMarketSupplyIndex(address mToken) public {
        Emission[] storage all = emissions[mToken];
        for (uint256 i = 0; i < all.length; i++) {
            MarketConfig storage config = all[i].config;
            config.supplyGlobalIndex = newSupplyIndex(config, mToken);
            config.supplyGlobalTimestamp = uint32(block.timestamp);
            emit GlobalSupplyIndexUpdated(
                mToken, config.emissionToken, config.supplyGlobalIndex, config.supplyGlobalTimestamp
            );
        }
    }

    function updateMarketBorrowIndex(address mToken) public {
        Emission[] storage all = emissions[mToken];
        for (uint256 i = 0; i < all.length; i++) {
            MarketConfig storage config = all[i].config;
            config.borrowGlobalIndex = newBorrowIndex(config, mToken);
            config.borrowGlobalTimestamp = uint32(block.timestamp);
            emit GlobalBorrowIndexUpdated(
                mToken, config.emissionToken, config.borrowGlobalIndex, config.borrowGlobalTimestamp
            );
        }
    }

    function disburseSupplierRewards(address mToken, address supplier, bool send) public {
        Emission[] storage all = emissions[mToken];
        for (uint256 i = 0; i < all.length; i++) {
            Emission storage each = all[i];
            uint256 owed = supplyRewards(each, each.config.supplyGlobalIndex, mToken, supplier);
            each.supplierIndices[supplier] = each.config.supplyGlobalIndex;
            each.supplierRewardsAccrued[supplier] = owed;
            emit DisbursedSupplierRewards(mToken, supplier, each.config.emissionToken, owed);
            if (send) each.supplierRewardsAccrued[supplier] = sendReward(supplier, owed, each.config.emissionToken);
        }
    }

    function disburseBorrowerRewards(address mToken, address borrower, bool send) public {
        Emission[] storage all = emissions[mToken];
        for (uint256 i = 0; i < all.length; i++) {
            Emission storage each = all[i];
            uint256 owed = borrowRewards(each, each.config.borrowGlobalIndex, mToken, borrower);
            each.borrowerIndices[borrower] = each.config.borrowGlobalIndex;
            each.borrowerRewardsAccrued[borrower] = owed;
            emit DisbursedBorrowerRewards(mToken, borrower, each.config.emissionToken, owed);
            if (send) each.borrowerRewardsAccrued[borrower] = sendReward(borrower, owed, each.config.emissionToken);
        }
    }

    function emissionOf(address mToken, address emissionToken) private view returns (Emission storage) {
        Emission[] storage all = emissions[mToken];
        for (uint256 i = 0; i < all.length; i++) {
            if (all[i].config.emissionToken == emissionToken) return all[i];
        }
        revert("Unable to find emission token in mToken configs");
    }

    function supplyRewards(Emission storage each, uint256 index, address mToken, address user)
        private
        view
        returns (uint256)
    {
        uint256 own = each.supplierIndices[user];
        uint256 growth = index - (own == 0 ? FIRST_INDEX : own);
        return each.supplierRewardsAccrued[user] + IRewardedMarket(mToken).balanceOf(user) * growth / INDEX_UNIT;
    }

    function borrowRewards(Emission storage each, uint256 index, address mToken, address user)
        private
        view
        returns (uint256)
    {
        uint256 own = each.borrowerIndices[user];
        uint256 growth = index - (own == 0 ? FIRST_INDEX : own);
        uint256 principal =
            IRewardedMarket(mToken).borrowBalanceStored(user) * 1e18 / IRewardedMarket(mToken).borrowIndex();
        return each.borrowerRewardsAccrued[user] + principal * growth / INDEX_UNIT;
    }

    function newSupplyIndex(MarketConfig memory config, address mToken) private view returns (uint224) {
        uint256 total = IRewardedMarket(mToken).totalSupply();
        uint256 perSec = config.supplyEmissionsPerSec;
        return grown(config.supplyGlobalIndex, perSec * secondsSince(config.supplyGlobalTimestamp, config.endTime), total);
    }

    function newBorrowIndex(MarketConfig memory config, address mToken) private view returns (uint224) {
        uint256 total = IRewardedMarket(mToken).totalBorrows() * 1e18 / IRewardedMarket(mToken).borrowIndex();
        uint256 perSec = config.borrowEmissionsPerSec;
        return grown(config.borrowGlobalIndex, perSec * secondsSince(config.borrowGlobalTimestamp, config.endTime), total);
    }

    /// Nothing is emitted after the end.
    function secondsSince(uint32 time, uint256 endTime) private view returns (uint256) {
        if (block.timestamp <= endTime) return block.timestamp - time;
        return time < endTime ? endTime - time : 0;
    }

    function grown(uint224 index, uint256 emitted, uint256 total) private pure returns (uint224) {
        return total == 0 ? index : index + uint224(emitted * INDEX_UNIT / total);
    }

    /// All of it or nothing: what is not there stays owed.
    function sendReward(address user, uint256 amount, address token) private returns (uint256 left) {
        if (amount == 0 || paused) return amount;
        if (amount > IERC20(token).balanceOf(address(this))) {
            emit InsufficientTokensToEmit(user, token, amount);
            return amount;
        }
        IERC20(token).safeTransfer(user, amount);
    }
}
