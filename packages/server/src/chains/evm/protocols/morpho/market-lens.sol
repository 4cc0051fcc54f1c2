// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Blue, Market, MarketParams, assetsDown, assetsUp} from "./blue.sol";

interface Oracle {
    function price() external view returns (uint256);
}

/**
 * What a wallet has in markets of Morpho Blue, by the ids of the markets, in one call. Interest is accrued first, by the
 * market's own function. It is never deployed: its runtime code travels with the call.
 */
contract MarketLens {
    struct Account {
        bytes32 id;
        address loanToken;
        address collateralToken;
        uint256 supplied;
        // What of the loan token is lent to no one.
        uint256 liquidity;
        uint256 borrowed;
        uint256 collateral;
        // What may be owed at most ÷ what is owed, 18 decimals; the maximum without debt, or without a price.
        uint256 health;
    }

    /// For one market, its oracle included; and what must be left for an answer.
    uint256 private constant MARKET_GAS = 2_000_000;
    uint256 private constant ORACLE_GAS = 1_000_000;
    uint256 private constant RESERVE = 500_000;

    /// refused: markets that could not be read, without those in which the wallet owes nothing: nothing can be taken out of
    /// a market that cannot accrue, and anyone may supply to one in the wallet's name.
    function accounts(Blue blue, address wallet, bytes32[] calldata ids)
        external
        returns (Account[] memory found, bytes32[] memory refused)
    {
        found = new Account[](ids.length);
        refused = new bytes32[](ids.length);
        uint256 known = 0;
        uint256 unknown = 0;
        for (uint256 i = 0; i < ids.length; i++) {
            if (gasleft() < MARKET_GAS + RESERVE) {
                refused[unknown++] = ids[i];
                continue;
            }
            (uint256 shares, uint128 debtShares, uint128 collateral) = blue.position(ids[i], wallet);
            if (shares == 0 && debtShares == 0 && collateral == 0) continue;
            try this.account{gas: MARKET_GAS}(blue, wallet, ids[i]) returns (Account memory one) {
                found[known++] = one;
            } catch {
                if (debtShares > 0) refused[unknown++] = ids[i];
            }
        }
        assembly ("memory-safe") {
            mstore(found, known)
            mstore(refused, unknown)
        }
    }

    function account(Blue blue, address wallet, bytes32 id) external returns (Account memory one) {
        MarketParams memory params = blue.idToMarketParams(id);
        blue.accrueInterest(params);
        Market memory market = blue.market(id);
        (uint256 shares, uint128 debtShares, uint128 collateral) = blue.position(id, wallet);
        one.id = id;
        one.loanToken = params.loanToken;
        one.collateralToken = params.collateralToken;
        one.supplied = assetsDown(shares, market.totalSupplyAssets, market.totalSupplyShares);
        one.liquidity = market.totalSupplyAssets - market.totalBorrowAssets;
        one.borrowed = assetsUp(debtShares, market.totalBorrowAssets, market.totalBorrowShares);
        one.collateral = collateral;
        one.health = type(uint256).max;
        if (one.borrowed == 0) return one;
        try this.healthOf{gas: ORACLE_GAS}(params, collateral, one.borrowed) returns (uint256 health) {
            one.health = health;
        } catch {}
    }

    /// As the market itself decides about a liquidation, which begins below 1. Reverts where the price is missing.
    function healthOf(MarketParams calldata params, uint256 collateral, uint256 borrowed)
        external
        view
        returns (uint256)
    {
        uint256 worth = (collateral * Oracle(params.oracle).price()) / 1e36;
        return (((worth * params.lltv) / 1e18) * 1e18) / borrowed;
    }
}
