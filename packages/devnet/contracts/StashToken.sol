// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// What Convex' extra pools pay instead of a token: a transfer of it sends the token that it keeps.
contract StashToken {
    IERC20 public immutable token;

    constructor(IERC20 token_) {
        token = token_;
    }

    function balanceOf(address) external view returns (uint256) {
        return token.balanceOf(address(this));
    }

    function transferFrom(address from, address, uint256 amount) external returns (bool) {
        return token.transferFrom(from, address(this), amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return token.transfer(to, amount);
    }
}
