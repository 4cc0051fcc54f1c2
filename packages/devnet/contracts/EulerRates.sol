// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Interest in proportion to what is lent out of a vault, up to a rate by second in ray.
contract EulerRates {
    uint256 public immutable most;

    constructor(uint256 most_) {
        most = most_;
    }

    function computeInterestRate(address, uint256 cash, uint256 borrows) external view returns (uint256) {
        return cash + borrows == 0 ? 0 : (most * borrows) / (cash + borrows);
    }

    function computeInterestRateView(address, uint256 cash, uint256 borrows) external view returns (uint256) {
        return cash + borrows == 0 ? 0 : (most * borrows) / (cash + borrows);
    }
}
