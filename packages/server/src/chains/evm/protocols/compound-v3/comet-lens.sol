// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Comet {
    struct AssetInfo {
        uint8 offset;
        address asset;
        address priceFeed;
        uint64 scale;
        uint64 borrowCollateralFactor;
        uint64 liquidateCollateralFactor;
        uint64 liquidationFactor;
        uint128 supplyCap;
    }

    function userBasic(address wallet)
        external
        view
        returns (int104 principal, uint64 trackingIndex, uint64 trackingAccrued, uint16 assetsIn, uint8 reserved);
    function balanceOf(address wallet) external view returns (uint256);
    function borrowBalanceOf(address wallet) external view returns (uint256);
    function userCollateral(address wallet, address asset) external view returns (uint128 balance, uint128 reserved);
    function getAssetInfo(uint8 i) external view returns (AssetInfo memory);
    function getPrice(address priceFeed) external view returns (uint256);
    function baseTokenPriceFeed() external view returns (address);
    function baseScale() external view returns (uint256);
}

interface Rewards {
    /// Deployed versions return more behind it.
    function rewardConfig(address comet) external view returns (address token);
    function getRewardOwed(address comet, address wallet) external returns (address token, uint256 owed);
}

/**
 * What a wallet has in markets of Compound v3, in one call. It is never deployed: its runtime code travels with the call.
 */
contract CometLens {
    struct Amount {
        address token;
        uint256 amount;
    }

    struct Account {
        address comet;
        uint256 supplied;
        uint256 borrowed;
        Amount[] collaterals;
        Amount reward;
        // What counts as collateral ÷ what is owed, 18 decimals; the maximum without debt, or where a price is missing.
        uint256 health;
    }

    uint256 private constant BASIC_BYTES = 160;

    /// rewards: the contract that pays for all markets; none if it has no code. refused: markets that could not be read.
    function accounts(address wallet, address rewards, address[] calldata comets)
        external
        returns (Account[] memory found, address[] memory refused)
    {
        found = new Account[](comets.length);
        refused = new address[](comets.length);
        uint256 known = 0;
        uint256 unknown = 0;
        for (uint256 i = 0; i < comets.length; i++) {
            (bool ok, bytes memory basic) = comets[i].staticcall(abi.encodeCall(Comet.userBasic, (wallet)));
            ok = ok && basic.length >= BASIC_BYTES;
            if (ok) {
                try this.account(Comet(comets[i]), wallet, rewards, flagsIn(basic)) returns (Account memory one) {
                    found[known++] = one;
                } catch {
                    ok = false;
                }
            }
            if (!ok) refused[unknown++] = comets[i];
        }
        assembly ("memory-safe") {
            mstore(found, known)
            mstore(refused, unknown)
        }
    }

    /// A bit for each collateral of the wallet. Markets of more than 16 assets keep the flags of the others in `reserved`.
    function flagsIn(bytes memory basic) private pure returns (uint256) {
        (,,, uint256 assetsIn, uint256 reserved) = abi.decode(basic, (uint256, uint256, uint256, uint256, uint256));
        return assetsIn | (reserved << 16);
    }

    function account(Comet comet, address wallet, address rewards, uint256 flags) external returns (Account memory one) {
        one.comet = address(comet);
        one.supplied = comet.balanceOf(wallet);
        one.borrowed = comet.borrowBalanceOf(wallet);
        one.collaterals = collateralsOf(comet, wallet, flags);
        one.health = type(uint256).max;
        if (one.borrowed > 0) {
            try this.healthOf(comet, wallet, flags, one.borrowed) returns (uint256 health) {
                one.health = health;
            } catch {}
        }
        // Last: it accrues the account.
        one.reward = rewardOf(comet, wallet, Rewards(rewards));
    }

    function collateralsOf(Comet comet, address wallet, uint256 flags) private view returns (Amount[] memory all) {
        uint256 count = 0;
        for (uint256 rest = flags; rest > 0; rest &= rest - 1) count++;
        all = new Amount[](count);
        count = 0;
        for (uint8 i = 0; flags >> i > 0; i++) {
            if ((flags >> i) & 1 == 0) continue;
            address asset = comet.getAssetInfo(i).asset;
            (uint128 balance,) = comet.userCollateral(wallet, asset);
            all[count++] = Amount(asset, balance);
        }
    }

    /// As the market itself decides about a liquidation, which begins below 1. Reverts where a price is missing.
    function healthOf(Comet comet, address wallet, uint256 flags, uint256 borrowed) external view returns (uint256) {
        uint256 owed = (borrowed * comet.getPrice(comet.baseTokenPriceFeed())) / comet.baseScale();
        uint256 backing = 0;
        for (uint8 i = 0; flags >> i > 0; i++) {
            if ((flags >> i) & 1 == 0) continue;
            Comet.AssetInfo memory info = comet.getAssetInfo(i);
            (uint128 balance,) = comet.userCollateral(wallet, info.asset);
            uint256 worth = (balance * comet.getPrice(info.priceFeed)) / info.scale;
            backing += (worth * info.liquidateCollateralFactor) / 1e18;
        }
        return (backing * 1e18) / owed;
    }

    /// `getRewardOwed` reverts for a market that pays no rewards.
    function rewardOf(Comet comet, address wallet, Rewards rewards) private returns (Amount memory reward) {
        if (address(rewards).code.length == 0 || rewards.rewardConfig(address(comet)) == address(0)) return reward;
        (reward.token, reward.amount) = rewards.getRewardOwed(address(comet), wallet);
    }
}
