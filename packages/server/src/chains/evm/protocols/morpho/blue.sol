// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

struct MarketParams {
    address loanToken;
    address collateralToken;
    address oracle;
    address irm;
    uint256 lltv;
}

struct Market {
    uint128 totalSupplyAssets;
    uint128 totalSupplyShares;
    uint128 totalBorrowAssets;
    uint128 totalBorrowShares;
    uint128 lastUpdate;
    uint128 fee;
}

interface Blue {
    function position(bytes32 id, address wallet)
        external
        view
        returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral);
    function market(bytes32 id) external view returns (Market memory);
    function idToMarketParams(bytes32 id) external view returns (MarketParams memory);
    function accrueInterest(MarketParams memory params) external;
}

uint256 constant VIRTUAL_SHARES = 1e6;
uint256 constant VIRTUAL_ASSETS = 1;

function assetsDown(uint256 shares, uint256 assets, uint256 supply) pure returns (uint256) {
    return (shares * (assets + VIRTUAL_ASSETS)) / (supply + VIRTUAL_SHARES);
}

function assetsUp(uint256 shares, uint256 assets, uint256 supply) pure returns (uint256) {
    uint256 per = supply + VIRTUAL_SHARES;
    return (shares * (assets + VIRTUAL_ASSETS) + per - 1) / per;
}
