// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A pool that is its own share, and whose balances are no view: asked for them, it sends what it has to another pool.
contract ReentrantPool {
    address private immutable coin;
    address private immutable victim;
    address private immutable holder;

    constructor(address coin_, address victim_, address holder_) {
        (coin, victim, holder) = (coin_, victim_, holder_);
    }

    function coins(uint256 i) external view returns (address) {
        require(i == 0);
        return coin;
    }

    function totalSupply() external pure returns (uint256) {
        return 10;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owner == holder ? 5 : 0;
    }

    /// What it had before it sent all of it away.
    function balances(uint256) external returns (uint256 had) {
        had = IERC20(coin).balanceOf(address(this));
        IERC20(coin).transfer(victim, had);
    }
}
