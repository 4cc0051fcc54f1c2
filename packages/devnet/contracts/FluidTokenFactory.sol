// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {FluidDex} from "./FluidDex.sol";
import {FluidLendingToken} from "./FluidLendingToken.sol";
import {FluidLiquidity} from "./FluidLiquidity.sol";
import {FluidSmartToken} from "./FluidSmartToken.sol";

/// Makes the tokens of lenders, or those of smart lending, and lists them.
contract FluidTokenFactory {
    address[] private all;

    function createToken(FluidLiquidity liquidity, address asset) external {
        all.push(address(new FluidLendingToken(liquidity, asset)));
    }

    function createSmartToken(FluidDex dex) external {
        all.push(address(new FluidSmartToken(dex)));
    }

    function allTokens() external view returns (address[] memory) {
        return all;
    }
}
