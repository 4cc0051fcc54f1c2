// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// An oracle of a vault: debt for a unit of collateral, 27 decimals. Refuses without a price, and burns all gas with the largest.
contract FluidOracle {
    uint256 private price;

    function set(uint256 price_) external {
        price = price_;
    }

    function getExchangeRateLiquidate() external view returns (uint256) {
        require(price > 0, "no price");
        if (price == type(uint256).max) while (true) {}
        return price;
    }
}
