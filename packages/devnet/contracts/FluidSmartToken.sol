// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {FluidDex} from "./FluidDex.sol";

/// Fluid's token of smart lending: shares of a pool's collateral by an exchange price of 18 decimals, which is set.
contract FluidSmartToken is ERC20 {
    using SafeERC20 for IERC20;

    FluidDex public immutable DEX;
    uint256 private price = 1e18;
    address private payer;

    constructor(FluidDex dex) ERC20("Fluid Smart Lending", "fSL") {
        DEX = dex;
    }

    receive() external payable {}

    function TOKEN0() external view returns (address) {
        return DEX.token0();
    }

    function TOKEN1() external view returns (address) {
        return DEX.token1();
    }

    function getUpdateExchangePrice() external view returns (uint184, bool) {
        return (uint184(price), false);
    }

    function setPrice(uint256 price_) external {
        price = price_;
    }

    function depositPerfect(uint256 shares, uint256 max0, uint256 max1, address to)
        external
        payable
        returns (uint256 amount, uint256 amount0, uint256 amount1)
    {
        payer = msg.sender;
        (amount0, amount1) = DEX.depositPerfect{value: msg.value}(shares + 1, max0, max1, false);
        amount = shares * 1e18 / price;
        _mint(to, amount);
        (bool ok,) = msg.sender.call{value: address(this).balance}("");
        require(ok, "not taken");
    }

    /// `shares`: the largest number for all that the caller has.
    function withdrawPerfect(uint256 shares, uint256 min0, uint256 min1, address to)
        external
        returns (uint256 amount, uint256 amount0, uint256 amount1)
    {
        if (shares == type(uint256).max) {
            amount = balanceOf(msg.sender);
            shares = amount * price / 1e18 - 1;
        } else {
            amount = shares * 1e18 / price + 1;
        }
        _burn(msg.sender, amount);
        (amount0, amount1) = DEX.withdrawPerfect(shares, min0, min1, to);
    }

    function dexCallback(address token, uint256 amount) external {
        require(msg.sender == address(DEX), "not for you");
        IERC20(token).safeTransferFrom(payer, address(DEX.liquidity()), amount);
    }
}
